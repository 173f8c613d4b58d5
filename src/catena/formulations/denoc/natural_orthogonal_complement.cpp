#include "catena/formulations/denoc/natural_orthogonal_complement.hpp"

#include <array>

#include "catena/formulations/denoc/inverse_dynamics.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena::denoc {
namespace {

template <class T>
using Complement = NaturalOrthogonalComplement<T>;

// A 6x6 matrix by rows, and what is needed of its algebra.
template <class T>
struct Block {
  std::array<T, 36> e;
  Block() { e.fill(T(0)); }
  T& operator()(int i, int j) { return e[index(6 * i + j)]; }
  const T& operator()(int i, int j) const { return e[index(6 * i + j)]; }
};
template <class T>
Block<T> operator*(const Block<T>& a, const Block<T>& b) {
  Block<T> r;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) r(i, j) = r(i, j) + a(i, k) * b(k, j);
    }
  }
  return r;
}
template <class T>
Block<T> operator+(const Block<T>& a, const Block<T>& b) {
  Block<T> r;
  for (std::size_t k = 0; k < 36; ++k) r.e[k] = a.e[k] + b.e[k];
  return r;
}
template <class T>
Block<T> transpose(const Block<T>& a) {
  Block<T> r;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) r(i, j) = a(j, i);
  }
  return r;
}
template <class T>
std::array<T, 6> numbers(const Motion<T>& p) {
  return {p.w.x, p.w.y, p.w.z, p.v.x, p.v.y, p.v.z};
}
template <class T>
T product(const Motion<T>& a, const Block<T>& M, const Motion<T>& b) {  // aᵀ M b
  const auto x = numbers(a), y = numbers(b);
  T sum(0);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) sum = sum + x[index(i)] * (M(i, j) * y[index(j)]);
  }
  return sum;
}
// Writes r x 1 at (row, column).
template <class T>
void put_cross(Block<T>& M, int row, int column, const Vec3<T>& r) {
  M(row, column + 1) = -r.z, M(row, column + 2) = r.y;
  M(row + 1, column) = r.z, M(row + 1, column + 2) = -r.x;
  M(row + 2, column) = -r.y, M(row + 2, column + 1) = r.x;
}

// B_ij = [1 0; c_ij x 1, 1], c_ij = C_j - C_i (13)
template <class T>
Block<T> propagation(const Complement<T>& noc, int i, int j) {
  Block<T> B;
  for (int k = 0; k < 6; ++k) B(k, k) = T(1);
  put_cross(B, 3, 0, noc.centre[index(j)] - noc.centre[index(i)]);
  return B;
}
template <class T>
Block<T> propagation_rate(const Complement<T>& noc, int i, int j) {
  Block<T> B;
  put_cross(B, 3, 0, noc.t[index(j)].v - noc.t[index(i)].v);
  return B;
}
// Omega_i = diag(w x 1, w x 1) (2)
template <class T>
Block<T> angular_velocity(const Complement<T>& noc, int i) {
  Block<T> W;
  put_cross(W, 0, 0, noc.t[index(i)].w);
  put_cross(W, 3, 3, noc.t[index(i)].w);
  return W;
}
template <class T>
Block<T> mass(const Complement<T>& noc, int i) {
  Block<T> M;
  const Sym3<T>& I = noc.I[index(i)];
  M(0, 0) = I.xx, M(0, 1) = M(1, 0) = I.xy, M(0, 2) = M(2, 0) = I.xz;
  M(1, 1) = I.yy, M(1, 2) = M(2, 1) = I.yz, M(2, 2) = I.zz;
  for (int k = 3; k < 6; ++k) M(k, k) = noc.mass[index(i)];
  return M;
}
// [w x I (- I w x), 0; 0, 0] (8)
template <class T>
Block<T> mass_rate(const Complement<T>& noc, int i, MassRate rate) {
  Block<T> I = mass(noc, i), W;
  for (int k = 3; k < 6; ++k) I(k, k) = T(0);
  put_cross(W, 0, 0, noc.t[index(i)].w);
  if (rate == MassRate::cross_only) return W * I;
  return W * I + I * transpose(W);
}

// S~_i = S_i + sum B_ciᵀ S~_c B_ci over the children c (23b), for blocks S_i.
template <class T>
std::vector<Block<T>> composite_masses(const Complement<T>& noc) {
  std::vector<Block<T>> M;
  for (int i = 0; i < noc.num_bodies(); ++i) M.push_back(mass(noc, i));
  for (int i = noc.num_bodies() - 1; i >= 0; --i) {
    const int j = noc.parent[index(i)];
    if (j < 0) continue;
    const Block<T> B = propagation(noc, i, j);
    M[index(j)] = M[index(j)] + transpose(B) * M[index(i)] * B;
  }
  return M;
}
// The same for the mass rates, whose one block no B changes (28).
template <class T>
std::vector<Block<T>> composite_mass_rates(const Complement<T>& noc, MassRate rate) {
  std::vector<Block<T>> M;
  for (int i = 0; i < noc.num_bodies(); ++i) M.push_back(mass_rate(noc, i, rate));
  for (int i = noc.num_bodies() - 1; i >= 0; --i) {
    const int j = noc.parent[index(i)];
    if (j >= 0) M[index(j)] = M[index(j)] + M[index(i)];
  }
  return M;
}
// H~_ij = M_i B'_ij + sum B_ciᵀ H~_cj over the children c of i (28), for one j and all i below it.
// At j itself stands the sum over its children, which (27) carries on to the bodies above.
template <class T>
std::vector<Block<T>> propagation_rates(const Complement<T>& noc, int j) {
  std::vector<Block<T>> H(index(noc.num_bodies()));
  for (int i = noc.subtree_end[index(j)] - 1; i > j; --i) {
    H[index(i)] = H[index(i)] + mass(noc, i) * propagation_rate(noc, i, j);
    const int up = noc.parent[index(i)];
    H[index(up)] = H[index(up)] + transpose(propagation(noc, i, up)) * H[index(i)];
  }
  return H;
}

template <class T>
void put(Matrix<T>& M, int row, int column, const Block<T>& B) {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) M(6 * row + i, 6 * column + j) = B(i, j);
  }
}

// The constants of body b at X_WB, and the directions of its joint.
template <class T>
void add_body(Complement<T>& noc, const MechanismBody<Constant<T>>& b,
              const MassCentre<Constant<T>>& c, const Pose<T>& X_WB) {
  noc.parent.push_back(b.parent - 1);
  noc.subtree_end.push_back(b.subtree_end - 1);
  const Vec3<T> C = X_WB * c.d;
  noc.centre.push_back(C);
  noc.mass.push_back(T(b.M.m));
  noc.I.push_back(rotate(X_WB.R, c.I));
  with_joint(b.kind, [&](auto joint) {
    for (int k = 0; k < joint.nv; ++k) {  // direction() is at the world's origin
      const Motion<T> s = direction(joint, b, k, X_WB);
      noc.p.push_back({s.w, s.v + cross(s.w, C)});
      noc.body_of_v.push_back(noc.num_bodies() - 1);
    }
  });
}

}  // namespace

template <class T>
NaturalOrthogonalComplement<T> natural_orthogonal_complement(const Mechanism<Constant<T>>& m,
                                                             const T* q, const T* qd) {
  Workspace<T> workspace(m);
  Arena arena = workspace.arena();
  const JointPositions<T> at = joint_positions(m, q, arena);
  const std::vector<MassCentre<Constant<T>>> centres = mass_centres(m);
  std::vector<Pose<T>> X_WB{world_pose<T>(m)};
  Complement<T> noc;
  for (int i = 1; i < m.num_bodies(); ++i) {
    const auto& b = m.bodies[index(i)];
    with_joint(b.kind, [&](auto joint) {
      X_WB.push_back(transform_of<T>(joint, b, at).after(X_WB[index(b.parent)]));
    });
    add_body(noc, b, centres[index(i)], X_WB.back());
    // t_i = B_{i,j} t_j + p_i qd_i (12)
    const T o(0);
    Motion<T> t{{o, o, o}, {o, o, o}};
    if (b.parent > 0) {
      t = noc.t[index(b.parent - 1)];
      t.v = t.v + cross(t.w, noc.centre.back() - noc.centre[index(b.parent - 1)]);
    }
    for (int v = b.v; v < noc.num_velocities(); ++v) {
      t = t + Motion<T>{qd[v] * noc.p[index(v)].w, qd[v] * noc.p[index(v)].v};
    }
    noc.t.push_back(t);
  }
  return noc;
}

template <class T>
Matrix<T> twist_propagation(const NaturalOrthogonalComplement<T>& noc) {
  Matrix<T> N(6 * noc.num_bodies(), 6 * noc.num_bodies());
  for (int j = 0; j < noc.num_bodies(); ++j) {
    for (int i = j; i < noc.subtree_end[index(j)]; ++i) put(N, i, j, propagation(noc, i, j));
  }
  return N;
}

template <class T>
Matrix<T> joint_rate_propagation(const NaturalOrthogonalComplement<T>& noc) {
  Matrix<T> N(6 * noc.num_bodies(), noc.num_velocities());
  for (int v = 0; v < noc.num_velocities(); ++v) {
    const auto p = numbers(noc.p[index(v)]);
    for (int k = 0; k < 6; ++k) N(6 * noc.body_of_v[index(v)] + k, v) = p[index(k)];
  }
  return N;
}

template <class T>
Matrix<T> mass_matrix(const NaturalOrthogonalComplement<T>& noc) {
  Matrix<T> M(6 * noc.num_bodies(), 6 * noc.num_bodies());
  for (int i = 0; i < noc.num_bodies(); ++i) put(M, i, i, mass(noc, i));
  return M;
}

template <class T>
Matrix<T> generalized_inertia(const NaturalOrthogonalComplement<T>& noc) {
  const int nv = noc.num_velocities();
  const std::vector<Block<T>> M = composite_masses(noc);
  Matrix<T> I(nv, nv);
  for (int v = 0; v < nv; ++v) {
    for (int u = 0; u <= v; ++u) {
      const int i = noc.body_of_v[index(v)], j = noc.body_of_v[index(u)];
      if (!noc.is_above(j, i)) continue;
      I(v, u) = product(noc.p[index(v)], M[index(i)] * propagation(noc, i, j), noc.p[index(u)]);
      I(u, v) = I(v, u);
    }
  }
  return I;
}

template <class T>
Matrix<T> convective_inertia(const NaturalOrthogonalComplement<T>& noc, MassRate rate) {
  const int nv = noc.num_velocities();
  const std::vector<Block<T>> M = composite_masses(noc), dM = composite_mass_rates(noc, rate);
  Matrix<T> C(nv, nv);
  for (int u = 0; u < nv; ++u) {
    const int j = noc.body_of_v[index(u)];
    const std::vector<Block<T>> H = propagation_rates(noc, j);
    const Block<T> W = angular_velocity(noc, j);
    for (int v = 0; v < nv; ++v) {
      const int i = noc.body_of_v[index(v)];
      Block<T> S;
      if (noc.is_above(i, j))
        S = transpose(propagation(noc, j, i)) * (M[index(j)] * W + H[index(j)]) + dM[index(j)];
      else if (noc.is_above(j, i))
        S = M[index(i)] * propagation(noc, i, j) * W + H[index(i)] + dM[index(i)];
      else
        continue;
      C(v, u) = product(noc.p[index(v)], S, noc.p[index(u)]);
    }
  }
  return C;
}

template <class T>
std::vector<T> generalized_force(const NaturalOrthogonalComplement<T>& noc,
                                 const std::vector<Force<T>>& wrenches) {
  std::vector<Force<T>> w = wrenches;
  for (int i = noc.num_bodies() - 1; i >= 0; --i) {
    const int j = noc.parent[index(i)];
    if (j < 0) continue;
    const Vec3<T> arm = noc.centre[index(i)] - noc.centre[index(j)];
    w[index(j)] += {w[index(i)].n + cross(arm, w[index(i)].f), w[index(i)].f};
  }
  std::vector<T> tau;
  for (int v = 0; v < noc.num_velocities(); ++v) {
    tau.push_back(dot(noc.p[index(v)], w[index(noc.body_of_v[index(v)])]));
  }
  return tau;
}

#define CATENA_INSTANTIATE(T)                                                                \
  template NaturalOrthogonalComplement<T> natural_orthogonal_complement<T>(                  \
      const Mechanism<Constant<T>>&, const T*, const T*);                                    \
  template Matrix<T> twist_propagation<T>(const NaturalOrthogonalComplement<T>&);            \
  template Matrix<T> joint_rate_propagation<T>(const NaturalOrthogonalComplement<T>&);       \
  template Matrix<T> mass_matrix<T>(const NaturalOrthogonalComplement<T>&);                  \
  template Matrix<T> generalized_inertia<T>(const NaturalOrthogonalComplement<T>&);          \
  template Matrix<T> convective_inertia<T>(const NaturalOrthogonalComplement<T>&, MassRate); \
  template std::vector<T> generalized_force<T>(const NaturalOrthogonalComplement<T>&,        \
                                               const std::vector<Force<T>>&);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::denoc
