// Explicit Runge-Kutta methods in local coordinates of each step (Munthe-Kaas): y = (u, v) with
// q = q0 moved by u. The chart begins anew with every step, so that it stays near its centre.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "catena/simulation/hermite_output.hpp"
#include "catena/simulation/methods.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::VectorXd;

constexpr double safety = 0.9, shrink_most = 0.2, grow_most = 10;
// A chart of rotations is good up to half a turn and ends at a full one.
constexpr double largest_move = 2;

// Of Dormand-Prince 5(4): the weights of its own dense output (Shampine 1986).
constexpr double dense_weights[7] = {-12715105075. / 11282082432.,  0,
                                     87487479700. / 32700410799.,   -10690763975. / 1880347072.,
                                     701980252875. / 199316789632., -1453857185. / 822651844.,
                                     69997945. / 29380423.};

class RungeKutta final : public Integrator {
 public:
  RungeKutta(const Tableau& tableau, System& system, const IntegratorOptions& options)
      : Integrator(system),
        tableau_(tableau),
        options_(options),
        nv_(system.nv()),
        stages_(static_cast<int>(tableau.c.size())),
        k_(2 * nv_, stages_),
        y_(2 * nv_),
        y1_(2 * nv_),
        slope_(2 * nv_),
        scale_(2 * nv_),
        error_(2 * nv_),
        a_(nv_),
        a0_(nv_),
        stage_q_(system.nq()),
        own_output_(tableau.order == 5 && tableau.last_is_first),
        output_(2 * nv_, tableau.order),
        dense_(2 * nv_, own_output_ ? 5 : 0) {
    memory_.step = options.step;
  }

 private:
  bool adaptive() const { return tableau_.error_order > 0; }

  void do_start() override { has_acceleration_ = false; }
  void do_restore() override {
    accelerate(t1_, in(q1_), in(v1_), out(a_));
    has_acceleration_ = true;
  }

  // dy/dt at y in the chart of q0
  void derivative(double t, const VectorXd& y, Eigen::Ref<VectorXd> dy) {
    const std::size_t n = static_cast<std::size_t>(nv_);
    const In u{y.data(), n}, v{y.data() + nv_, n};
    system_.move(in(q0_), u, out(stage_q_));
    system_.local_rate(u, v, {dy.data(), n});
    accelerate(t, in(stage_q_), v, {dy.data() + nv_, n});
  }

  // Stages and the end y1 of a step of length h from (t0, q0, v0).
  void stages(double h) {
    k_.col(0).head(nv_) = v0_;
    k_.col(0).tail(nv_) = a_;
    for (int i = 1; i < stages_; ++i) {
      const auto& row = tableau_.a[static_cast<std::size_t>(i)];
      y_.setZero();
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (row[j] != 0) y_ += row[j] * k_.col(static_cast<Eigen::Index>(j));
      }
      y_ *= h;
      y_.tail(nv_) += v0_;
      derivative(t0_ + tableau_.c[static_cast<std::size_t>(i)] * h, y_, k_.col(i));
    }
    if (tableau_.last_is_first) {
      y1_ = y_;
      return;
    }
    y1_.setZero();
    for (int i = 0; i < stages_; ++i) {
      const double b = tableau_.b[static_cast<std::size_t>(i)];
      if (b != 0) y1_ += b * k_.col(i);
    }
    y1_ *= h;
    y1_.tail(nv_) += v0_;
  }

  // The error of the step over what is allowed, root mean square.
  double error_of(double h) {
    error_.setZero();
    for (int i = 0; i < stages_; ++i) {
      const double d =
          tableau_.b[static_cast<std::size_t>(i)] - tableau_.other[static_cast<std::size_t>(i)];
      if (d != 0) error_ += d * k_.col(i);
    }
    error_ *= h;
    system_.position_sizes(in(q0_), {scale_.data(), static_cast<std::size_t>(nv_)});
    scale_.tail(nv_) = v0_.cwiseAbs().cwiseMax(y1_.tail(nv_).cwiseAbs());
    scale_ = (scale_.array() * options_.rtol + options_.atol).matrix();
    error_ = error_.cwiseQuotient(scale_);
    return std::sqrt(error_.squaredNorm() /
                     static_cast<double>(std::max<Eigen::Index>(1, error_.size())));
  }

  // Hairer, Norsett & Wanner II.4: a step whose Euler error would be small.
  double first_step(double t_end) {
    if (nv_ == 0) return t_end - t0_;
    const auto norm = [&](const VectorXd& x) {
      return x.cwiseQuotient(scale_).norm() / std::sqrt(2. * nv_);
    };
    system_.position_sizes(in(q0_), {y_.data(), static_cast<std::size_t>(nv_)});
    y_.tail(nv_) = v0_;
    scale_ = (y_.cwiseAbs().array() * options_.rtol + options_.atol).matrix();
    slope_.head(nv_) = v0_;
    slope_.tail(nv_) = a_;
    const double d0 = norm(y_), d1 = norm(slope_);
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = std::min({h, t_end - t0_, options_.max_step});
    y_ = h * slope_;
    y_.tail(nv_) += v0_;
    derivative(t0_ + h, y_, error_);
    const double top = std::max(d1, norm(error_ - slope_) / h);
    const double guess =
        top <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / top, 1. / (tableau_.order + 1));
    return std::isfinite(guess) ? std::min(100 * h, guess) : h;
  }

  void do_step(double t_end) override {
    if (!has_acceleration_) {
      accelerate(t0_, in(q0_), in(v0_), out(a_));
      has_acceleration_ = true;
    }
    if (!adaptive()) {
      h_ = end_of_step(t0_, options_.step, t_end) - t0_;
      stages(h_);
      accept(t0_ + h_);
      return;
    }
    if (!(memory_.step > 0)) memory_.step = first_step(t_end);
    bool rejected = false;
    for (double h = memory_.step;;) {
      h = std::min(h, options_.max_step);
      const double end = end_of_step(t0_, h, t_end);
      h_ = end - t0_;
      if (h_ < 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t0_), 1e-3))
        throw_step_too_small(t0_, h_, system_, static_cast<int>(worst_ % nv_));
      stages(h_);
      const double error = error_of(h_);
      if (nv_ > 0 && std::isfinite(error)) error_.cwiseAbs().maxCoeff(&worst_);
      const bool near = y1_.head(nv_).size() == 0 || !turns_too_far();
      if (error <= 1 && near) {
        const double k = tableau_.error_order + 1, beta = 0.2 / k, alpha = 1 / k - 0.75 * beta;
        const double last = memory_.last_error > 0 ? memory_.last_error : 1e-4;
        double factor =
            error > 0 ? safety * std::pow(error, -alpha) * std::pow(last, beta) : grow_most;
        factor = std::clamp(factor, shrink_most, rejected ? 1 : grow_most);
        memory_.last_error = std::max(error, 1e-4);
        memory_.step = h_ < h ? std::max(h, h_ * factor) : h_ * factor;
        accept(end);
        return;
      }
      ++counts_.rejected;
      rejected = true;
      const double k = tableau_.error_order + 1;
      h = h_ * (std::isfinite(error) && near
                    ? std::max(shrink_most, safety * std::pow(error, -1 / k))
                    : shrink_most);
    }
  }

  bool turns_too_far() const {
    // Only rotations have a chart that ends; a long way of a sliding joint is fine for them, too,
    // but never comes near this without a large error.
    return system_.nq() != nv_ && y1_.head(nv_).cwiseAbs().maxCoeff() > largest_move;
  }

  void accept(double end) {
    const std::size_t n = static_cast<std::size_t>(nv_);
    system_.move(in(q0_), {y1_.data(), n}, out(q1_));
    v1_ = y1_.tail(nv_);
    t1_ = end;
    a0_ = a_;
    has_output_ = false;
  }

  void do_finish(bool changed) override {
    if (tableau_.last_is_first && !changed)
      a_ = k_.col(stages_ - 1).tail(nv_);
    else
      accelerate(t1_, in(q1_), in(v1_), out(a_));
  }

  void prepare_output() {
    has_output_ = true;
    slope_.head(nv_) = v0_;
    slope_.tail(nv_) = a0_;
    y_.setZero();
    y_.tail(nv_) = v0_;
    if (own_output_) {
      dense_.col(0) = y_;
      dense_.col(1) = y1_ - y_;
      dense_.col(2) = h_ * k_.col(0) - dense_.col(1);
      dense_.col(3) = dense_.col(1) - h_ * k_.col(stages_ - 1) - dense_.col(2);
      dense_.col(4).setZero();
      for (int i = 0; i < stages_; ++i) dense_.col(4) += h_ * dense_weights[i] * k_.col(i);
      return;
    }
    const std::size_t n = static_cast<std::size_t>(nv_);
    VectorXd end(2 * nv_);
    system_.local_rate({y1_.data(), n}, {y1_.data() + nv_, n}, {end.data(), n});
    end.tail(nv_) = a_;
    output_.set(y_, h_ * slope_, y1_, h_ * end, h_,
                [this](double theta, const VectorXd& y, Eigen::Ref<VectorXd> dy) {
                  derivative(t0_ + theta * h_, y, dy);
                });
  }

  void do_at(double t, Out q, Out v) override {
    if (!has_output_) prepare_output();
    const double theta = (t - t0_) / h_;
    if (own_output_) {
      const double rest = 1 - theta;
      y_ = dense_.col(0) +
           theta * (dense_.col(1) +
                    rest * (dense_.col(2) + theta * (dense_.col(3) + rest * dense_.col(4))));
    } else {
      output_.at(theta, y_);
    }
    const std::size_t n = static_cast<std::size_t>(nv_);
    system_.move(in(q0_), {y_.data(), n}, q);
    std::copy(y_.begin() + nv_, y_.end(), v.begin());
  }

  const Tableau& tableau_;
  IntegratorOptions options_;
  int nv_, stages_;
  Eigen::MatrixXd k_;  // derivatives by stage
  VectorXd y_, y1_, slope_, scale_, error_, a_, a0_, stage_q_;
  bool own_output_;
  HermiteOutput output_;
  Eigen::MatrixXd dense_;
  double h_ = 0;
  Eigen::Index worst_ = 0;
  bool has_acceleration_ = false, has_output_ = false;
};

}  // namespace

double end_of_step(double t, double step, double t_end) {
  const double end = t + step;
  return end > t_end - 1e-6 * step ? t_end : end;
}

void throw_step_too_small(double t, double step, const System& system, int worst) {
  if (const std::string trouble = system.trouble(); !trouble.empty())
    throw NumericalError(at_time(t) + trouble);
  char text[64];
  std::snprintf(text, sizeof text, "%.3g", step);
  throw NumericalError(at_time(t) + "the step has become too small (" + text + " s): joint '" +
                       system.velocity_name(worst) +
                       "' changes faster than it can be followed\n    look for a force or a "
                       "gain that jumps or grows without bounds, or raise --rtol and --atol");
}

std::unique_ptr<Integrator> make_runge_kutta(const Tableau& tableau, System& system,
                                             const IntegratorOptions& options) {
  return std::make_unique<RungeKutta>(tableau, system, options);
}

}  // namespace catena
