#include "catena/sundials/integrators.hpp"

#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <cmath>

#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::VectorXd;

// What is done with a solver of one of the three kinds.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual void begin(double t, N_Vector y) = 0;
  virtual int step(double t_end, N_Vector y, double* t) = 0;
  virtual int at(double t, N_Vector y) = 0;
  virtual void errors(N_Vector weights, N_Vector local) = 0;
  virtual std::string reason(int flag) const = 0;
};

struct Setup {
  SUNContext context;
  int (*derivative)(double, N_Vector, N_Vector, void*);
  void* user;
  N_Vector y;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver fixed_point;
  IntegratorOptions options;
};

std::string taken(char* name) {
  const std::string text = name;
  std::free(name);
  return text;
}

class CvodeSolver final : public Solver {
 public:
  CvodeSolver(bool stiff, const Setup& s)
      : memory_(CVodeCreate(stiff ? CV_BDF : CV_ADAMS, s.context)) {
    CVodeInit(memory_, s.derivative, 0, s.y);
    CVodeSetErrFile(memory_, nullptr);
    CVodeSetUserData(memory_, s.user);
    // Errors of many small steps add up: with a tenth the end meets what was asked for.
    CVodeSStolerances(memory_, s.options.rtol / 10, s.options.atol / 10);
    if (stiff)
      CVodeSetLinearSolver(memory_, s.linear, s.matrix);
    else
      CVodeSetNonlinearSolver(memory_, s.fixed_point);
    CVodeSetMaxNumSteps(memory_, -1);
    if (s.options.step > 0) CVodeSetInitStep(memory_, s.options.step);
    if (std::isfinite(s.options.max_step)) CVodeSetMaxStep(memory_, s.options.max_step);
  }
  ~CvodeSolver() override { CVodeFree(&memory_); }
  void begin(double t, N_Vector y) override { CVodeReInit(memory_, t, y); }
  int step(double t_end, N_Vector y, double* t) override {
    CVodeSetStopTime(memory_, t_end);
    return CVode(memory_, t_end, y, t, CV_ONE_STEP);
  }
  int at(double t, N_Vector y) override { return CVodeGetDky(memory_, t, 0, y); }
  void errors(N_Vector weights, N_Vector local) override {
    CVodeGetErrWeights(memory_, weights);
    CVodeGetEstLocalErrors(memory_, local);
  }
  std::string reason(int flag) const override { return taken(CVodeGetReturnFlagName(flag)); }

 private:
  void* memory_;
};

class ErkSolver final : public Solver {
 public:
  explicit ErkSolver(const Setup& s)
      : derivative_(s.derivative), memory_(ERKStepCreate(s.derivative, 0, s.y, s.context)) {
    ERKStepSetErrFile(memory_, nullptr);
    ERKStepSetUserData(memory_, s.user);
    ERKStepSStolerances(memory_, s.options.rtol, s.options.atol);
    ERKStepSetOrder(memory_, 5);
    ERKStepSetMaxNumSteps(memory_, -1);
    if (s.options.step > 0) ERKStepSetInitStep(memory_, s.options.step);
    if (std::isfinite(s.options.max_step)) ERKStepSetMaxStep(memory_, s.options.max_step);
  }
  ~ErkSolver() override { ERKStepFree(&memory_); }
  void begin(double t, N_Vector y) override { ERKStepReInit(memory_, derivative_, t, y); }
  int step(double t_end, N_Vector y, double* t) override {
    ERKStepSetStopTime(memory_, t_end);
    return ERKStepEvolve(memory_, t_end, y, t, ARK_ONE_STEP);
  }
  int at(double t, N_Vector y) override { return ERKStepGetDky(memory_, t, 0, y); }
  void errors(N_Vector weights, N_Vector local) override {
    ERKStepGetErrWeights(memory_, weights);
    ERKStepGetEstLocalErrors(memory_, local);
  }
  std::string reason(int flag) const override { return taken(ERKStepGetReturnFlagName(flag)); }

 private:
  int (*derivative_)(double, N_Vector, N_Vector, void*);
  void* memory_;
};

class DirkSolver final : public Solver {
 public:
  explicit DirkSolver(const Setup& s)
      : derivative_(s.derivative),
        memory_(ARKStepCreate(nullptr, s.derivative, 0, s.y, s.context)) {
    ARKStepSetErrFile(memory_, nullptr);
    ARKStepSetUserData(memory_, s.user);
    ARKStepSStolerances(memory_, s.options.rtol, s.options.atol);
    ARKStepSetOrder(memory_, 5);
    ARKStepSetLinearSolver(memory_, s.linear, s.matrix);
    ARKStepSetMaxNumSteps(memory_, -1);
    if (s.options.step > 0) ARKStepSetInitStep(memory_, s.options.step);
    if (std::isfinite(s.options.max_step)) ARKStepSetMaxStep(memory_, s.options.max_step);
  }
  ~DirkSolver() override { ARKStepFree(&memory_); }
  void begin(double t, N_Vector y) override { ARKStepReInit(memory_, nullptr, derivative_, t, y); }
  int step(double t_end, N_Vector y, double* t) override {
    ARKStepSetStopTime(memory_, t_end);
    return ARKStepEvolve(memory_, t_end, y, t, ARK_ONE_STEP);
  }
  int at(double t, N_Vector y) override { return ARKStepGetDky(memory_, t, 0, y); }
  void errors(N_Vector weights, N_Vector local) override {
    ARKStepGetErrWeights(memory_, weights);
    ARKStepGetEstLocalErrors(memory_, local);
  }
  std::string reason(int flag) const override { return taken(ARKStepGetReturnFlagName(flag)); }

 private:
  int (*derivative_)(double, N_Vector, N_Vector, void*);
  void* memory_;
};

// y = (q, v), quaternions number by number.
class SundialsIntegrator final : public Integrator {
 public:
  SundialsIntegrator(const std::string& name, System& system, const IntegratorOptions& options)
      : Integrator(system),
        name_(name),
        nq_(static_cast<std::size_t>(system.nq())),
        nv_(static_cast<std::size_t>(system.nv())),
        unit_q_(system.nq()),
        zero_(VectorXd::Zero(system.nv())) {
    SUNContext_Create(nullptr, &context_);
    const auto n = static_cast<sunindextype>(nq_ + nv_);
    y_ = N_VNew_Serial(n, context_);
    other_ = N_VNew_Serial(n, context_);
    N_VConst(0, y_);
    matrix_ = SUNDenseMatrix(n, n, context_);
    linear_ = SUNLinSol_Dense(y_, matrix_, context_);
    fixed_point_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    const Setup setup{context_, derivative, this, y_, matrix_, linear_, fixed_point_, options};
    if (name == "erk")
      solver_ = std::make_unique<ErkSolver>(setup);
    else if (name == "dirk")
      solver_ = std::make_unique<DirkSolver>(setup);
    else
      solver_ = std::make_unique<CvodeSolver>(name == "bdf", setup);
  }
  ~SundialsIntegrator() override {
    solver_.reset();
    SUNNonlinSolFree(fixed_point_);
    SUNLinSolFree(linear_);
    SUNMatDestroy(matrix_);
    N_VDestroy(other_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  bool can_resume() const override { return false; }

 private:
  static int derivative(double t, N_Vector y, N_Vector dy, void* user) {
    auto& self = *static_cast<SundialsIntegrator*>(user);
    const double* from = N_VGetArrayPointer(y);
    double* to = N_VGetArrayPointer(dy);
    const In q{from, self.nq_}, v{from + self.nq_, self.nv_};
    try {
      self.system_.move(q, in(self.zero_), out(self.unit_q_));
      self.system_.position_rate(q, v, {to, self.nq_});
      self.accelerate(t, in(self.unit_q_), v, {to + self.nq_, self.nv_});
      return 0;
    } catch (const NumericalError& error) {
      self.problem_ = error.what();
      return 1;  // a shorter step may be possible
    }
  }

  void write(N_Vector y, Out q, Out v) const {
    const double* from = N_VGetArrayPointer(y);
    system_.move({from, nq_}, in(zero_), q);
    std::copy_n(from + nq_, nv_, v.begin());
  }

  void do_start() override {
    double* to = N_VGetArrayPointer(y_);
    std::copy(q1_.begin(), q1_.end(), to);
    std::copy(v1_.begin(), v1_.end(), to + nq_);
    solver_->begin(t1_, y_);
  }

  void do_step(double t_end) override {
    problem_.clear();
    double t = t0_;
    const int flag = solver_->step(t_end, y_, &t);
    if (flag < 0) fail(flag);
    t1_ = t;
    write(y_, out(q1_), out(v1_));
  }

  [[noreturn]] void fail(int flag) {
    if (!problem_.empty()) throw NumericalError(problem_);
    N_Vector weights = N_VClone(y_);
    solver_->errors(weights, other_);
    N_VProd(weights, other_, other_);
    const double* error = N_VGetArrayPointer(other_) + nq_;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < nv_; ++i) {
      if (std::fabs(error[i]) > std::fabs(error[worst])) worst = i;
    }
    N_VDestroy(weights);
    throw NumericalError("the integrator '" + name_ + "' cannot go on (" + solver_->reason(flag) +
                         "); joint '" + system_.velocity_name(static_cast<int>(worst)) +
                         "' has the largest error; raise --rtol and --atol, or use another one");
  }

  void do_at(double t, Out q, Out v) override {
    if (solver_->at(t, other_) < 0)
      throw NumericalError("the integrator '" + name_ + "' has no state at this time");
    write(other_, q, v);
  }

  std::string name_;
  std::size_t nq_, nv_;
  VectorXd unit_q_, zero_;
  std::string problem_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, other_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  SUNNonlinearSolver fixed_point_ = nullptr;
  std::unique_ptr<Solver> solver_;
};

}  // namespace

const std::vector<IntegratorInfo>& sundials_integrators() {
  static const std::vector<IntegratorInfo> all = {
      {"bdf", "CVODE, backward differentiation, stiff", 5, true},
      {"adams", "CVODE, Adams-Moulton", 12, true},
      {"erk", "ARKODE, explicit Runge-Kutta", 5, true},
      {"dirk", "ARKODE, diagonally implicit Runge-Kutta, stiff", 5, true},
  };
  return all;
}

std::unique_ptr<Integrator> make_sundials_integrator(const std::string& name, System& system,
                                                     const IntegratorOptions& options) {
  for (const IntegratorInfo& info : sundials_integrators()) {
    if (name == info.name) return std::make_unique<SundialsIntegrator>(name, system, options);
  }
  throw InputError({}, "there is no integrator '" + name + "' of SUNDIALS");
}

}  // namespace catena
