// Weighted sums of the stages of a Runge-Kutta step, four numbers at a time.
//
// Vectors here have a multiple of eight numbers, half of them positions, half velocities, each half
// with zeros at its end.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "catena/scalar/isa.hpp"
#include "catena/scalar/pack.hpp"

namespace catena {

// The next multiple of four.
inline Eigen::Index padded(Eigen::Index n) { return (n + 3) / 4 * 4; }

// A sum of stages with weights, those that are zero left out. It keeps pointers.
class StageSum {
 public:
  // n: numbers of a stage; stages stand one after the other.
  StageSum(const std::vector<double>& weights, Eigen::Index n, const double* stages)
      : n_(n), stages_(stages) {
    for (std::size_t j = 0; j < weights.size(); ++j)
      if (weights[j] != 0) parts_.push_back({weights[j], static_cast<Eigen::Index>(j) * n});
  }

  // y = y0 + h sum; the second half of y once more as `rates`, unless that is null.
  void write(double h, const double* y0, double* y, double* rates) const {
    run_kernel<double, Sum>(this, h, y0, y, rates);
  }

  // error = h sum / (size rtol + atol); returns the sum of its squares. Sizes are those given for
  // the first half, and the larger ones of y0 and y1 for the second.
  double scaled(double h, const double* sizes, const double* y0, const double* y1, double rtol,
                double atol, double* error) const {
    double squares = 0;
    run_kernel<double, Scaled>(this, h, sizes, y0, y1, rtol, atol, error, &squares);
    return squares;
  }

 private:
  using Four = Pack<double, 4>;
  struct Part {
    double weight;
    Eigen::Index first;
  };

  // N packs of the sum, from number i on.
  template <int N>
  void add(Eigen::Index i, Four* sum) const {
    for (const Part& part : parts_) {
      const double* const from = stages_ + part.first + i;
      for (int k = 0; k < N; ++k) sum[k].lanes += Four::load(from + 4 * k).lanes * part.weight;
    }
  }
  static Four size_of(const Four& x) { return Four(x.lanes < 0 ? -x.lanes : x.lanes); }

  struct Sum {
    static void run(const StageSum* s, double h, const double* y0, double* y, double* rates) {
      const Eigen::Index n = s->n_;
      Eigen::Index i = 0;
      for (; i + 16 <= n; i += 16) write_packs<4>(*s, i, y0, h, y);
      for (; i < n; i += 4) write_packs<1>(*s, i, y0, h, y);
      if (rates == nullptr) return;
      for (i = 0; i < n / 2; i += 4) Four::load(y + n / 2 + i).store(rates + i);
    }
    template <int N>
    static void write_packs(const StageSum& s, Eigen::Index i, const double* y0, double h,
                            double* y) {
      Four sum[N]{};
      s.add<N>(i, sum);
      for (int k = 0; k < N; ++k)
        Four(Four::load(y0 + i + 4 * k).lanes + sum[k].lanes * h).store(y + i + 4 * k);
    }
  };

  struct Scaled {
    static void run(const StageSum* s, double h, const double* sizes, const double* y0,
                    const double* y1, double rtol, double atol, double* error, double* squares) {
      const Eigen::Index n = s->n_;
      Four all{};
      for (Eigen::Index i = 0; i < n; i += 4) {
        Four size = size_of(Four::load((i < n / 2 ? sizes : y0) + i));
        if (i >= n / 2) {
          const Four other = size_of(Four::load(y1 + i));
          size.lanes = size.lanes > other.lanes ? size.lanes : other.lanes;
        }
        Four sum{};
        s->add<1>(i, &sum);
        const Four e(sum.lanes * h / (size.lanes * rtol + atol));
        e.store(error + i);
        all.lanes += e.lanes * e.lanes;
      }
      *squares = (all[0] + all[1]) + (all[2] + all[3]);
    }
  };

  Eigen::Index n_;
  const double* stages_;
  std::vector<Part> parts_;
};

}  // namespace catena
