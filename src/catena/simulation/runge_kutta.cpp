// Explicit Runge-Kutta methods in local coordinates of each step (Munthe-Kaas): y = (u, v) with
// q = q0 moved by u. The chart begins anew with every step, so that it stays near its centre. Where
// positions are plain numbers, y = (q, v).
//
// Both halves of y are filled up to multiples of four numbers (half_): positions begin at 0,
// velocities at half_.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

#include "catena/simulation/hermite_output.hpp"
#include "catena/simulation/methods.hpp"
#include "catena/simulation/stage_sum.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double safety = 0.9, shrink_most = 0.2, grow_most = 10;
// A chart of rotations is good up to half a turn and ends at a full one.
constexpr double largest_move = 2;

// Where rounding spoils accelerations (it is divided by the clearance twice) errors say little, and
// shorter steps only creep up to the place: steps of other lengths are tried that leap over it.
constexpr double no_place_for_stages = 3e-4, no_place_for_control = 0.02;
constexpr double leaps[] = {0.87, 0.76, 0.66, 0.57, 0.5, 1.15, 1.3};
constexpr double largest_leap_error = 1e3;  // in tolerances, if there is no better one

// Of Dormand-Prince 5(4): the weights of its own dense output (Shampine 1986).
constexpr double dense_weights[7] = {-12715105075. / 11282082432.,  0,
                                     87487479700. / 32700410799.,   -10690763975. / 1880347072.,
                                     701980252875. / 199316789632., -1453857185. / 822651844.,
                                     69997945. / 29380423.};

// The search for a step that leaps over such a place.
struct Leap {
  double clearance_at_begin, first;  // the length of the first try
  std::size_t tried = 0;
  bool taken = false;  // the best one has been chosen, and is good enough
  double best = 0, best_rank = std::numeric_limits<double>::infinity();

  // After a try: whether h is to be tried next.
  bool goes_on(double clearance, double error, double& h) {
    const bool bad_place = clearance < no_place_for_stages;
    if (taken || tried > std::size(leaps) || (error <= 1 && !bad_place)) return false;
    if (std::min(clearance, clearance_at_begin) > no_place_for_control) return false;
    const double rank = bad_place ? error + largest_leap_error : error;
    if (rank < best_rank) best_rank = rank, best = h;
    if (tried == std::size(leaps)) {
      ++tried;
      taken = best_rank < 2 * largest_leap_error;
      if (taken) h = best;
      return taken;
    }
    h = first * leaps[tried++];
    return true;
  }
};

class RungeKutta final : public Integrator {
 public:
  RungeKutta(const Tableau& tableau, System& system, const IntegratorOptions& options)
      : Integrator(system),
        tableau_(tableau),
        options_(options),
        nv_(system.nv()),
        half_(padded(nv_)),
        stages_(static_cast<int>(tableau.c.size())),
        flat_(system.flat()),
        k_(MatrixXd::Zero(2 * half_, stages_)),
        y_(VectorXd::Zero(2 * half_)),
        y0_(y_),
        y1_(y_),
        slope_(y_),
        size_(y_),
        error_(y_),
        a_(nv_),
        stage_q_(system.nq()),
        own_output_(tableau.order == 5 && tableau.last_is_first),
        end_(tableau.b, 2 * half_, k_.data()),
        difference_(difference(tableau), 2 * half_, k_.data()),
        output_(static_cast<int>(2 * half_), tableau.order),
        dense_(2 * half_, own_output_ ? 5 : 0) {
    for (const auto& row : tableau.a) inner_.emplace_back(row, 2 * half_, k_.data());
    memory_.step = options.step;
  }

 private:
  bool adaptive() const { return tableau_.error_order > 0; }
  static std::vector<double> difference(const Tableau& tableau) {
    std::vector<double> d(tableau.other);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = tableau.b[i] - d[i];
    return d;
  }

  void do_start() override { has_acceleration_ = false; }
  void do_restore() override {
    accelerate(t1_, in(q1_), in(v1_), out(a_));
    has_acceleration_ = true;
  }

  // The velocities (or accelerations) of a y.
  Out tail(double* y) const { return {y + half_, static_cast<std::size_t>(nv_)}; }
  In tail(const double* y) const { return {y + half_, static_cast<std::size_t>(nv_)}; }
  In head(const double* y) const { return {y, static_cast<std::size_t>(nv_)}; }

  // y at the begin of the step.
  void write_begin(VectorXd& y) const {
    if (flat_)
      y.head(nv_) = q0_;
    else
      y.head(half_).setZero();
    y.segment(half_, nv_) = v0_;
  }

  // dy/dt at y; where positions are plain numbers its first half is there already.
  void derivative(double t, const double* y, double* dy) {
    In q = head(y);
    if (!flat_) {
      system_.move(in(q0_), q, out(stage_q_));
      system_.local_rate(q, tail(y), {dy, static_cast<std::size_t>(nv_)});
      q = in(stage_q_);
    }
    clearance_ = std::min(clearance_, system_.clearance(q));
    accelerate(t, q, tail(y), tail(dy));
  }

  // Stages and the end y1 of a step of length h from (t0, q0, v0).
  void stages(double h) {
    clearance_ = 1;
    k_.col(0).head(nv_) = v0_;
    k_.col(0).segment(half_, nv_) = a_;
    write_begin(y0_);
    for (int i = 1; i < stages_; ++i) {
      double* const y = (tableau_.last_is_first && i + 1 == stages_ ? y1_ : y_).data();
      double* const dy = k_.data() + i * k_.rows();
      inner_[static_cast<std::size_t>(i)].write(h, y0_.data(), y, flat_ ? dy : nullptr);
      derivative(t0_ + tableau_.c[static_cast<std::size_t>(i)] * h, y, dy);
    }
    if (!tableau_.last_is_first) end_.write(h, y0_.data(), y1_.data(), nullptr);
  }

  // The error of the step over what is allowed, root mean square.
  double error_of(double h) {
    if (nv_ == 0) return 0;
    if (!flat_) system_.position_sizes(in(q0_), {size_.data(), static_cast<std::size_t>(nv_)});
    const double squares =
        difference_.scaled(h, (flat_ ? y0_ : size_).data(), y0_.data(), y1_.data(), options_.rtol,
                           options_.atol, error_.data());
    return std::sqrt(squares / (2 * nv_));
  }

  // Hairer, Norsett & Wanner II.4: a step whose Euler error would be small.
  double first_step(double t_end) {
    if (nv_ == 0) return t_end - t0_;
    const auto norm = [&](const VectorXd& x) {
      return x.cwiseQuotient(size_).norm() / std::sqrt(2. * nv_);
    };
    system_.position_sizes(in(q0_), {y_.data(), static_cast<std::size_t>(nv_)});
    y_.segment(half_, nv_) = v0_;
    size_ = (y_.cwiseAbs().array() * options_.rtol + options_.atol).matrix();
    slope_.head(nv_) = v0_;
    slope_.segment(half_, nv_) = a_;
    const double d0 = norm(y_), d1 = norm(slope_);
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = std::min({h, t_end - t0_, options_.max_step});
    write_begin(y_);
    y_ += h * slope_;
    error_.head(nv_) = y_.segment(half_, nv_);
    derivative(t0_ + h, y_.data(), error_.data());
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
    Leap leap{system_.clearance(in(q0_)), memory_.step};
    for (double h = memory_.step;;) {
      h = std::min(h, options_.max_step);
      const double end = end_of_step(t0_, h, t_end);
      h_ = end - t0_;
      if (h_ < 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t0_), 1e-3))
        throw_step_too_small(t0_, h_, system_, static_cast<int>(worst_ % half_));
      stages(h_);
      const double error = error_of(h_);
      const bool near = !turns_too_far();
      if (near && leap.goes_on(clearance_, error, h)) {
        ++counts_.rejected;
        continue;
      }
      if ((error <= 1 || leap.taken) && near) {
        const double k = tableau_.error_order + 1, beta = 0.2 / k, alpha = 1 / k - 0.75 * beta;
        const double last = memory_.last_error > 0 ? memory_.last_error : 1e-4;
        double factor = grow_most;  // error^-alpha last^beta
        if (error > 0) factor = safety * std::exp(beta * std::log(last) - alpha * std::log(error));
        factor = std::clamp(factor, shrink_most, rejected ? 1 : grow_most);
        if (leap.tried == 0) {
          memory_.last_error = std::max(error, 1e-4);
          // A step that was cut off at the end says nothing about the next one.
          memory_.step = end == t_end ? std::max(h, h_ * factor) : h_ * factor;
        }
        accept(end);
        return;
      }
      if (nv_ > 0 && std::isfinite(error)) error_.cwiseAbs().maxCoeff(&worst_);
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
    return !flat_ && nv_ > 0 && y1_.head(nv_).cwiseAbs().maxCoeff() > largest_move;
  }

  void accept(double end) {
    write_state(y1_, out(q1_), out(v1_));
    t1_ = end;
    has_output_ = false;
  }

  void write_state(const VectorXd& y, Out q, Out v) const {
    if (flat_)
      Eigen::Map<VectorXd>(q.data(), nv_) = y.head(nv_);
    else
      system_.move(in(q0_), head(y.data()), q);
    Eigen::Map<VectorXd>(v.data(), nv_) = y.segment(half_, nv_);
  }

  void do_finish(bool changed) override {
    if (tableau_.last_is_first && !changed)
      a_ = k_.col(stages_ - 1).segment(half_, nv_);
    else
      accelerate(t1_, in(q1_), in(v1_), out(a_));
  }

  void prepare_output() {
    has_output_ = true;
    if (own_output_) {
      dense_.col(0) = y0_;
      dense_.col(1) = y1_ - y0_;
      dense_.col(2) = h_ * k_.col(0) - dense_.col(1);
      dense_.col(3) = dense_.col(1) - h_ * k_.col(stages_ - 1) - dense_.col(2);
      dense_.col(4).setZero();
      for (int i = 0; i < stages_; ++i) dense_.col(4) += h_ * dense_weights[i] * k_.col(i);
      return;
    }
    VectorXd end = VectorXd::Zero(2 * half_);
    const In v = tail(y1_.data());
    if (flat_)
      std::copy(v.begin(), v.end(), end.begin());
    else
      system_.local_rate(head(y1_.data()), v, {end.data(), v.size()});
    end.segment(half_, nv_) = a_;
    output_.set(y0_, h_ * k_.col(0), y1_, h_ * end, h_,
                [this](double theta, const VectorXd& y, Eigen::Ref<VectorXd> dy) {
                  dy.setZero();
                  dy.head(nv_) = y.segment(half_, nv_);
                  derivative(t0_ + theta * h_, y.data(), dy.data());
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
    write_state(y_, q, v);
  }

  const Tableau& tableau_;
  IntegratorOptions options_;
  Eigen::Index nv_, half_;
  int stages_;
  bool flat_;   // positions are plain numbers
  MatrixXd k_;  // derivatives by stage
  VectorXd y_, y0_, y1_, slope_, size_, error_, a_, stage_q_;
  double clearance_ = 1;  // the least one of a stage
  bool own_output_;
  StageSum end_, difference_;
  std::vector<StageSum> inner_;
  HermiteOutput output_;
  MatrixXd dense_;
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
