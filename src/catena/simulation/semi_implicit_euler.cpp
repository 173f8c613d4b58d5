// Semi-implicit (symplectic) Euler: the velocity first, then the position with the new velocity.
#include "catena/simulation/methods.hpp"

namespace catena {
namespace {

class SemiImplicitEuler final : public Integrator {
 public:
  SemiImplicitEuler(System& system, const IntegratorOptions& options)
      : Integrator(system), step_(options.step), a_(system.nv()), u_(system.nv()) {}

 private:
  void do_start() override {}
  void do_step(double t_end) override {
    t1_ = end_of_step(t0_, step_, t_end);
    const double h = t1_ - t0_;
    accelerate(t0_, in(q0_), in(v0_), out(a_));
    v1_ = v0_ + h * a_;
    u_ = h * v1_;
    system_.move(in(q0_), in(u_), out(q1_));
  }
  // Straight lines between the ends of the step.
  void do_at(double t, Out q, Out v) override {
    const double h = t - t0_;
    u_ = h * v1_;
    system_.move(in(q0_), in(u_), q);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      v[i] = v0_[k] + h * a_[k];
    }
  }

  double step_;
  Eigen::VectorXd a_, u_;
};

}  // namespace

std::unique_ptr<Integrator> make_semi_implicit_euler(System& system,
                                                     const IntegratorOptions& options) {
  return std::make_unique<SemiImplicitEuler>(system, options);
}

}  // namespace catena
