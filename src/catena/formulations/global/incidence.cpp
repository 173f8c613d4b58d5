#include "catena/formulations/global/incidence.hpp"

#include <vector>

#include "catena/formulations/global/common_frame.hpp"
#include "catena/formulations/global/joint_basis.hpp"
#include "catena/support/error.hpp"

namespace catena::global_analysis {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

class Triplets {
 public:
  void add(int row, int column, double x) {
    if (x != 0) list_.emplace_back(row, column, x);
  }
  template <class V>
  void add_column(int first_row, int column, V six) {
    for (int k = 0; k < 6; ++k) add(first_row + k, column, component(six, k));
  }
  Sparse matrix(int rows, int columns) const {
    Sparse m(rows, columns);
    m.setFromTriplets(list_.begin(), list_.end());
    return m;
  }

 private:
  std::vector<Eigen::Triplet<double>> list_;
};

// A unit vector of [angular; linear].
template <class V>
V unit(int axis) {
  V r{{0, 0, 0}, {0, 0, 0}};
  component(r, axis) = 1;
  return r;
}

}  // namespace

GlobalMatrices global_matrices(const Mechanism<double>& m, std::span<const double> q) {
  check_size("q", q.size(), index(m.tree_nq));
  Workspace<double> w(m, common_room<double>(m));
  Arena arena = w.arena();
  const CommonFrame<double> frame = common_frame<double>(m, q.data(), arena);
  const int rows = 6 * (m.num_bodies() - 1);
  Triplets P, H, I, T, F;
  int constraints = 0;
  for (int i = 1; i < m.num_bodies(); ++i) {
    const auto& b = m.bodies[index(i)];
    const int row = 6 * (i - 1), above = 6 * (b.parent - 1);
    const Inertia<double> M = common_inertia<double>(b, frame.X[i]);
    for (int k = 0; k < 6; ++k) {
      P.add(row + k, row + k, 1);
      if (b.parent != 0) P.add(row + k, above + k, -1);
      I.add_column(row, row + k, M * unit<Motion<double>>(k));
    }
    // Pᵀ: what acts on the body acts on its parent the other way.
    const auto act = [&](Triplets& on, int column, Force<double> f) {
      f = transform(frame.X[i], f);
      on.add_column(row, column, f);
      if (b.parent != 0) on.add_column(above, column, Force<double>{-f.n, -f.f});
    };
    with_joint(b.kind, [&](auto joint) {
      for (int k = 0; k < joint.nv; ++k) {
        H.add_column(row, b.v + k, frame.H[b.v + k]);
        act(F, b.v + k, unit<Force<double>>(free_axis(joint, k)));
      }
      for (int axis = 0; axis < 6; ++axis) {
        if (!is_held(joint, axis)) continue;
        Force<double> f = unit<Force<double>>(axis);
        if (b.kind == Primitive::screw) shear(f, -b.pitch);
        act(T, constraints++, f);
      }
    });
  }
  return {P.matrix(rows, rows), H.matrix(rows, m.tree_nv), I.matrix(rows, rows),
          T.matrix(rows, constraints), F.matrix(rows, m.tree_nv)};
}

Sparse motion_subspace(const GlobalMatrices& g) {
  Sparse S = g.H;
  g.P.triangularView<Eigen::Lower>().solveInPlace(S);
  return S;
}

Sparse inertia_matrix(const GlobalMatrices& g) {
  const Sparse S = motion_subspace(g);
  return S.transpose() * g.I * S;
}

Sparse augmented_matrix(const GlobalMatrices& g) {
  Triplets all;
  const int n = static_cast<int>(g.I.rows());
  for (int c = 0; c < g.I.outerSize(); ++c) {
    for (Sparse::InnerIterator it(g.I, c); it; ++it)
      all.add(static_cast<int>(it.row()), c, it.value());
  }
  for (int c = 0; c < g.T.outerSize(); ++c) {
    for (Sparse::InnerIterator it(g.T, c); it; ++it) {
      all.add(static_cast<int>(it.row()), n + c, it.value());
      all.add(n + c, static_cast<int>(it.row()), it.value());
    }
  }
  const int size = n + static_cast<int>(g.T.cols());
  return all.matrix(size, size);
}

}  // namespace catena::global_analysis
