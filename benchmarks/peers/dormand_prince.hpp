// Dormand-Prince 5(4) around any right-hand side: the tableau, norm and step control of Catena's
// default integrator, for machines whose positions are plain numbers. What a program for one
// library would be written like: no virtual calls, no memory but its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace bench {

struct RunCounts {
  long steps = 0, rejected = 0, evaluations = 0;
};

// y = (q, v), n numbers each. `acceleration(q, v, a)` is called with pointers.
template <class Acceleration>
class DormandPrince {
 public:
  DormandPrince(int n, double tolerance, Acceleration acceleration)
      : n_(n), tolerance_(tolerance), acceleration_(acceleration), y1_(2 * n), error_(2 * n) {
    for (auto& k : k_) k.resize(2 * n);
  }

  RunCounts run(std::vector<double>& y, double end) {
    RunCounts counts;
    double t = 0, last_error = 1e-4;
    derivative(y, k_[0], counts);
    double h = first_step(y, end, counts);
    bool rejected = false;
    while (t < end) {
      const bool at_end = t + h > end - 1e-6 * h;
      const double step = at_end ? end - t : h;
      for (int s = 1; s < 7; ++s) stage(y, step, s), derivative(y1_, k_[s], counts);
      const double error = error_of(y, step);
      if (error <= 1) {
        const double k = 5, beta = 0.2 / k, alpha = 1 / k - 0.75 * beta;
        double factor = error > 0 ? 0.9 * std::pow(error, -alpha) * std::pow(last_error, beta) : 10;
        factor = std::clamp(factor, 0.2, rejected ? 1. : 10.);
        last_error = std::max(error, 1e-4);
        h = step < h ? std::max(h, step * factor) : step * factor;
        t = at_end ? end : t + step;
        y.swap(y1_), k_[0].swap(k_[6]);
        rejected = false;
        ++counts.steps;
      } else {
        h = step * std::max(0.2, 0.9 * std::pow(error, -0.2));
        rejected = true;
        ++counts.rejected;
      }
    }
    return counts;
  }

 private:
  static constexpr double a_[7][6] = {
      {},
      {1. / 5},
      {3. / 40, 9. / 40},
      {44. / 45, -56. / 15, 32. / 9},
      {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
      {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
      {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  static constexpr double e_[7] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                   -17253. / 339200, 22. / 525, -1. / 40};

  void derivative(const std::vector<double>& y, std::vector<double>& dy, RunCounts& counts) {
    ++counts.evaluations;
    std::copy(y.begin() + n_, y.end(), dy.begin());
    acceleration_(y.data(), y.data() + n_, dy.data() + n_);
  }

  void stage(const std::vector<double>& y, double h, int s) {
    for (int i = 0; i < 2 * n_; ++i) {
      double sum = 0;
      for (int j = 0; j < s; ++j) sum += a_[s][j] * k_[j][i];
      y1_[i] = y[i] + h * sum;
    }
  }

  double error_of(const std::vector<double>& y, double h) {
    double sum = 0;
    for (int i = 0; i < 2 * n_; ++i) {
      double e = 0;
      for (int j = 0; j < 7; ++j) e += e_[j] * k_[j][i];
      const double size = i < n_ ? std::abs(y[i]) : std::max(std::abs(y[i]), std::abs(y1_[i]));
      e *= h / (tolerance_ + tolerance_ * size);
      sum += e * e;
    }
    return std::sqrt(sum / (2 * n_));
  }

  // Hairer, Norsett & Wanner II.4
  double first_step(const std::vector<double>& y, double end, RunCounts& counts) {
    const auto norm = [&](const std::vector<double>& x) {
      double sum = 0;
      for (int i = 0; i < 2 * n_; ++i) {
        const double e = x[i] / (tolerance_ + tolerance_ * std::abs(y[i]));
        sum += e * e;
      }
      return std::sqrt(sum / (2 * n_));
    };
    const double d0 = norm(y), d1 = norm(k_[0]);
    const double h = std::min(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, end);
    for (int i = 0; i < 2 * n_; ++i) y1_[i] = y[i] + h * k_[0][i];
    derivative(y1_, k_[1], counts);
    for (int i = 0; i < 2 * n_; ++i) error_[i] = k_[1][i] - k_[0][i];
    const double top = std::max(d1, norm(error_) / h);
    return std::min(100 * h,
                    top <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / top, 1. / 6));
  }

  int n_;
  double tolerance_;
  Acceleration acceleration_;
  std::vector<double> y1_, error_, k_[7];
};

}  // namespace bench
