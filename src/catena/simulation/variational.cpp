// A variational integrator: the discrete Euler-Lagrange equations of the midpoint rule, on the
// manifold (Marsden & West 2001; Lie groups: Bou-Rabee & Marsden 2009).
//
// With q1 = q0 moved by h xi, qm = q0 moved by h xi/2, p = M(qm) xi and the force F at (qm, xi),
//   p0 = A(-h xi)ᵀ (p - h/2 B(-h xi/2)ᵀ F)      A: local_rate, B: its inverse
//   p1 = A(+h xi)ᵀ (p + h/2 B(+h xi/2)ᵀ F)
// The first line is solved for xi, the second gives the momentum of the next step. The method is
// symplectic and symmetric, of order 2; it keeps the momenta of symmetries, and its energy swings
// but does not drift.
#include <cmath>
#include <string>

#include "catena/simulation/hermite_output.hpp"
#include "catena/simulation/methods.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::VectorXd;

class Variational final : public Integrator {
 public:
  Variational(LagrangianSystem& system, const IntegratorOptions& options)
      : Integrator(system),
        lagrangian_(system),
        step_(options.step),
        p0_(system.nv()),
        p1_(system.nv()),
        xi_(system.nv()),
        u_(system.nv()),
        p_(system.nv()),
        force_(system.nv()),
        x_(system.nv()),
        residual_(system.nv()),
        change_(system.nv()),
        qm_(system.nq()),
        slope_(2 * system.nv()),
        output_(2 * system.nv(), 4),
        y_(2 * system.nv()) {}

 private:
  void do_start() override {}

  // A(-+h xi)ᵀ (p -+ h/2 B(-+h xi/2)ᵀ F) for side = -1, +1; p, F as midpoint() has left them.
  void momentum(double h, double side, VectorXd& result) {
    u_ = side * h / 2 * xi_;
    lagrangian_.velocity_of_rate_transposed(in(u_), in(force_), out(x_));
    x_ = p_ + side * h / 2 * x_;
    u_ = side * h * xi_;
    lagrangian_.local_rate_transposed(in(u_), in(x_), out(result));
  }
  void midpoint(double h) {
    u_ = h / 2 * xi_;
    system_.move(in(q0_), in(u_), out(qm_));
    lagrangian_.inertia_times(in(qm_), in(xi_), out(p_));
    lagrangian_.momentum_force(t0_ + h / 2, in(qm_), in(xi_), out(force_));
    ++counts_.evaluations;
  }

  void do_step(double t_end) override {
    const double end = end_of_step(t0_, step_, t_end), h = end - t0_;
    lagrangian_.inertia_times(in(q0_), in(v0_), out(p0_));
    xi_ = v0_;
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 0;; ++iteration) {
      midpoint(h);
      momentum(h, -1, residual_);
      residual_ -= p0_;
      lagrangian_.solve_inertia(in(qm_), in(residual_), out(change_));
      xi_ -= change_;
      const double size = change_.norm(), scale = xi_.norm() + 1e-300;
      // As far as rounding lets it: small, and not smaller than the time before.
      if (size <= 1e-15 * scale || (size <= 1e-11 * scale && size >= last / 2)) break;
      if (iteration == 100 || !std::isfinite(size))
        throw NumericalError("the equations of a step have no solution near; the step of " +
                             std::to_string(h) +
                             " s is too long for this motion, use a shorter --step");
      last = size;
    }
    midpoint(h);
    momentum(h, +1, p1_);
    u_ = h * xi_;
    system_.move(in(q0_), in(u_), out(q1_));
    lagrangian_.solve_inertia(in(q1_), in(p1_), out(v1_));
    t1_ = end;
    has_output_ = false;
  }

  void do_at(double t, Out q, Out v) override {
    const double h = t1_ - t0_;
    const Eigen::Index n = system_.nv();
    if (!has_output_) {
      // A cubic of the end values and accelerations.
      has_output_ = true;
      VectorXd end(2 * n), last(2 * n);
      slope_.head(n) = v0_;
      accelerate(t0_, in(q0_), in(v0_), {slope_.data() + n, v.size()});
      u_ = h * xi_;
      system_.local_rate(in(u_), in(v1_), {end.data(), v.size()});
      accelerate(t1_, in(q1_), in(v1_), {end.data() + n, v.size()});
      y_.setZero(), y_.tail(n) = v0_;
      last.head(n) = u_, last.tail(n) = v1_;
      output_.set(y_, h * slope_, last, h * end, h, {});
    }
    output_.at((t - t0_) / h, y_);
    system_.move(in(q0_), {y_.data(), v.size()}, q);
    std::copy(y_.begin() + n, y_.end(), v.begin());
  }

  LagrangianSystem& lagrangian_;
  double step_;
  VectorXd p0_, p1_, xi_, u_, p_, force_, x_, residual_, change_, qm_, slope_;
  HermiteOutput output_;
  VectorXd y_;
  bool has_output_ = false;
};

}  // namespace

std::unique_ptr<Integrator> make_variational(LagrangianSystem& system,
                                             const IntegratorOptions& options) {
  return std::make_unique<Variational>(system, options);
}

}  // namespace catena
