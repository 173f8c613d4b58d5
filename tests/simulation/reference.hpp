// Reference motions in quadruple precision: Gragg-Bulirsch-Stoer on the numbers of q and v, with
// forward dynamics of another formulation than the one under test. It shares no line with the
// integrators.
#pragma once

#include <vector>

#include "catena/formulations/formulation.hpp"
#include "catena/model/mechanism.hpp"

namespace catena::oracle {

struct State {
  std::vector<double> q, v;
};

class QuadReference {
 public:
  using Numbers = std::vector<Quad>;

  explicit QuadReference(const Mechanism<double>& m, const char* method = "denoc")
      : m_(cast<Quad>(m)),
        method_(*find_formulation<Quad>(method)),
        w_(m_, method_.room(m_)),
        nq_(static_cast<std::size_t>(m.nq)),
        nv_(static_cast<std::size_t>(m.nv)) {}

  // The state after `duration`, in `steps` steps of order 16.
  State after(const State& start, double duration, int steps) {
    Numbers y;
    for (double x : start.q) y.push_back(x);
    for (double x : start.v) y.push_back(x);
    const Quad h = Quad(duration) / steps;
    for (int i = 0; i < steps; ++i) y = step(y, h);
    State end;
    for (std::size_t i = 0; i < nq_; ++i) end.q.push_back(static_cast<double>(y[i]));
    for (std::size_t i = 0; i < nv_; ++i) end.v.push_back(static_cast<double>(y[nq_ + i]));
    return end;
  }

 private:
  Numbers derivative(const Numbers& y) {
    Numbers dy(nq_ + nv_), q(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(nq_));
    const std::span<const Quad> v(y.data() + nq_, nv_);
    for (const JointInfo& j : m_.names->joints) {
      if (j.mimic || j.nq == 0) continue;
      const auto iq = static_cast<std::size_t>(j.q), iv = static_cast<std::size_t>(j.v);
      if (j.nq == j.nv) {
        for (std::size_t k = 0; k < static_cast<std::size_t>(j.nq); ++k) dy[iq + k] = v[iv + k];
        continue;
      }
      const std::size_t e = j.kind == JointKind::free ? iq + 3 : iq;
      Quad length = 0;
      for (std::size_t k = 0; k < 4; ++k) length += q[e + k] * q[e + k];
      length = sqrt(length);
      for (std::size_t k = 0; k < 4; ++k) q[e + k] /= length;
      const Quad x = q[e], yy = q[e + 1], z = q[e + 2], w = q[e + 3];
      const Quad a = v[iv], b = v[iv + 1], c = v[iv + 2];
      dy[e] = (w * a + yy * c - z * b) / 2;
      dy[e + 1] = (w * b + z * a - x * c) / 2;
      dy[e + 2] = (w * c + x * b - yy * a) / 2;
      dy[e + 3] = -(x * a + yy * b + z * c) / 2;
      if (j.kind != JointKind::free) continue;
      const Quad R[3][3] = {
          {1 - 2 * (yy * yy + z * z), 2 * (x * yy - z * w), 2 * (x * z + yy * w)},
          {2 * (x * yy + z * w), 1 - 2 * (x * x + z * z), 2 * (yy * z - x * w)},
          {2 * (x * z - yy * w), 2 * (yy * z + x * w), 1 - 2 * (x * x + yy * yy)}};
      for (std::size_t r = 0; r < 3; ++r)
        dy[iq + r] = R[r][0] * v[iv + 3] + R[r][1] * v[iv + 4] + R[r][2] * v[iv + 5];
    }
    (void)method_.forward_dynamics(m_, q, v, {}, {}, w_, std::span<Quad>(dy.data() + nq_, nv_));
    return dy;
  }

  // The modified midpoint rule, extrapolated over 2, 4, ..., 16 pieces.
  Numbers step(const Numbers& y, Quad h) {
    constexpr int columns = 8;
    std::vector<Numbers> table;
    const Numbers first = derivative(y);
    for (int k = 0; k < columns; ++k) {
      const int n = 2 * (k + 1);
      const Quad piece = h / n;
      Numbers before = y, now = y;
      for (std::size_t i = 0; i < y.size(); ++i) now[i] += piece * first[i];
      for (int j = 1; j < n; ++j) {
        const Numbers slope = derivative(now);
        Numbers next = before;
        for (std::size_t i = 0; i < y.size(); ++i) next[i] += 2 * piece * slope[i];
        before = now, now = next;
      }
      const Numbers slope = derivative(now);
      for (std::size_t i = 0; i < y.size(); ++i)
        now[i] = (now[i] + before[i] + piece * slope[i]) / 2;
      // Aitken-Neville in h²
      std::vector<Numbers> row = {now};
      for (int j = 1; j <= k; ++j) {
        const Quad ratio = Quad(n) / (2 * (k - j + 1));
        Numbers better = row.back();
        for (std::size_t i = 0; i < y.size(); ++i)
          better[i] +=
              (row.back()[i] - table[static_cast<std::size_t>(j - 1)][i]) / (ratio * ratio - 1);
        row.push_back(better);
      }
      table = row;
    }
    return table.back();
  }

  Mechanism<Quad> m_;
  const Formulation<Quad>& method_;
  Workspace<Quad> w_;
  std::size_t nq_, nv_;
};

}  // namespace catena::oracle
