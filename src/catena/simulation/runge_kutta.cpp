// Explicit Runge-Kutta methods in local coordinates of each step (Munthe-Kaas): y = (u, v) with
// q = q0 moved by u. The chart begins anew with every step, so that it stays near its centre.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "catena/scalar/isa.hpp"
#include "catena/scalar/pack.hpp"
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

// A sum of stages with weights, those that are zero left out.
class StageSum {
 public:
  // n: numbers of a stage; stages stand one after the other.
  StageSum(const std::vector<double>& weights, Eigen::Index n) : n_(n) {
    for (std::size_t j = 0; j < weights.size(); ++j)
      if (weights[j] != 0) parts_.push_back({weights[j], static_cast<Eigen::Index>(j) * n});
  }
  // y = y0 + h sum
  void write(const double* y0, double h, const double* stages, double* y) const {
    run_kernel<double, Kernel>(parts_.data(), parts_.size(), n_, y0, h, stages, y);
  }

 private:
  struct Part {
    double weight;
    Eigen::Index first;
  };
  struct Kernel {
    static void run(const Part* parts, std::size_t number, Eigen::Index n, const double* y0,
                    double h, const double* stages, double* y) {
      const Part* const end = parts + number;
      Eigen::Index i = 0;
      for (; i + 12 <= n; i += 12) write_packs<3>(parts, end, i, y0, h, stages, y);
      for (; i + 4 <= n; i += 4) write_packs<1>(parts, end, i, y0, h, stages, y);
      for (; i < n; ++i) {
        double sum = 0;
        for (const Part* p = parts; p != end; ++p) sum += p->weight * stages[p->first + i];
        y[i] = y0[i] + h * sum;
      }
    }
    template <int N>
    static void write_packs(const Part* parts, const Part* end, Eigen::Index i, const double* y0,
                            double h, const double* stages, double* y) {
      using Four = Pack<double, 4>;
      Four sum[N]{};
      for (const Part* p = parts; p != end; ++p) {
        const double* const from = stages + p->first + i;
        for (int k = 0; k < N; ++k) sum[k].lanes += Four::load(from + 4 * k).lanes * p->weight;
      }
      for (int k = 0; k < N; ++k)
        Four(Four::load(y0 + i + 4 * k).lanes + sum[k].lanes * h).store(y + i + 4 * k);
    }
  };
  Eigen::Index n_;
  std::vector<Part> parts_;
};

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
        y0_(2 * nv_),
        zero_(2 * nv_),
        y1_(2 * nv_),
        slope_(2 * nv_),
        scale_(2 * nv_),
        error_(2 * nv_),
        a_(nv_),
        stage_q_(system.nq()),
        own_output_(tableau.order == 5 && tableau.last_is_first),
        end_(tableau.b, 2 * nv_),
        difference_(difference(tableau), 2 * nv_),
        output_(2 * nv_, tableau.order),
        dense_(2 * nv_, own_output_ ? 5 : 0) {
    for (const auto& row : tableau.a) inner_.emplace_back(row, 2 * nv_);
    y0_.setZero(), zero_.setZero();
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

  // dy/dt at y in the chart of q0
  void derivative(double t, const VectorXd& y, double* dy) {
    const std::size_t n = static_cast<std::size_t>(nv_);
    const In u{y.data(), n}, v{y.data() + nv_, n};
    system_.move(in(q0_), u, out(stage_q_));
    spoilt_ = spoilt_ || system_.avoids(in(stage_q_));
    system_.local_rate(u, v, {dy, n});
    accelerate(t, in(stage_q_), v, {dy + nv_, n});
  }

  // Stages and the end y1 of a step of length h from (t0, q0, v0).
  void stages(double h) {
    spoilt_ = false;
    std::copy(a_.begin(), a_.end(), std::copy(v0_.begin(), v0_.end(), k_.data()));
    std::copy(v0_.begin(), v0_.end(), y0_.begin() + nv_);
    for (int i = 1; i < stages_; ++i) {
      VectorXd& y = tableau_.last_is_first && i + 1 == stages_ ? y1_ : y_;
      inner_[static_cast<std::size_t>(i)].write(y0_.data(), h, k_.data(), y.data());
      derivative(t0_ + tableau_.c[static_cast<std::size_t>(i)] * h, y,
                 k_.data() + static_cast<Eigen::Index>(i) * k_.rows());
    }
    if (tableau_.last_is_first) return;
    end_.write(y0_.data(), h, k_.data(), y1_.data());
  }

  // The error of the step over what is allowed, root mean square.
  double error_of(double h) {
    difference_.write(zero_.data(), h, k_.data(), error_.data());
    system_.position_sizes(in(q0_), {scale_.data(), static_cast<std::size_t>(nv_)});
    double sum = 0;
    for (Eigen::Index i = 0; i < error_.size(); ++i) {
      const double size =
          i < nv_ ? scale_[i] : std::max(std::fabs(v0_[i - nv_]), std::fabs(y1_[i]));
      error_[i] /= size * options_.rtol + options_.atol;
      sum += error_[i] * error_[i];
    }
    return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(1, error_.size())));
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
    derivative(t0_ + h, y_, error_.data());
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
    int avoided = 0;
    for (double h = memory_.step;;) {
      h = std::min(h, options_.max_step);
      const double end = end_of_step(t0_, h, t_end);
      h_ = end - t0_;
      if (h_ < 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t0_), 1e-3))
        throw_step_too_small(t0_, h_, system_, static_cast<int>(worst_ % nv_));
      stages(h_);
      const double error = error_of(h_);
      const bool near = y1_.head(nv_).size() == 0 || !turns_too_far();
      if (spoilt_ && avoided < 12) {  // the error says nothing
        ++avoided, ++counts_.rejected;
        h = 0.87 * h_;
        continue;
      }
      if (error <= 1 && near) {
        const double k = tableau_.error_order + 1, beta = 0.2 / k, alpha = 1 / k - 0.75 * beta;
        const double last = memory_.last_error > 0 ? memory_.last_error : 1e-4;
        double factor = grow_most;  // error^-alpha last^beta
        if (error > 0) factor = safety * std::exp(beta * std::log(last) - alpha * std::log(error));
        factor = std::clamp(factor, shrink_most, rejected ? 1 : grow_most);
        memory_.last_error = std::max(error, 1e-4);
        // A step that was cut off at the end says nothing about the next one.
        memory_.step = end == t_end ? std::max(h, h_ * factor) : h_ * factor;
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
    return system_.nq() != nv_ && y1_.head(nv_).cwiseAbs().maxCoeff() > largest_move;
  }

  void accept(double end) {
    const std::size_t n = static_cast<std::size_t>(nv_);
    system_.move(in(q0_), {y1_.data(), n}, out(q1_));
    std::copy(y1_.begin() + nv_, y1_.end(), v1_.begin());
    t1_ = end;
    has_output_ = false;
  }

  void do_finish(bool changed) override {
    if (tableau_.last_is_first && !changed)
      std::copy_n(k_.data() + k_.size() - nv_, nv_, a_.begin());
    else
      accelerate(t1_, in(q1_), in(v1_), out(a_));
  }

  void prepare_output() {
    has_output_ = true;
    slope_.head(nv_) = v0_;
    slope_.tail(nv_) = k_.col(0).tail(nv_);
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
                  derivative(t0_ + theta * h_, y, dy.data());
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
  VectorXd y_, y0_, zero_, y1_, slope_, scale_, error_, a_, stage_q_;
  bool spoilt_ = false;  // a stage was where the system avoids to be
  bool own_output_;
  StageSum end_, difference_;
  std::vector<StageSum> inner_;
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
