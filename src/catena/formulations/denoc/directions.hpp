// One direction of a joint, and its elimination from the generalized inertia matrix [Saha 1999,
// appendix B; Recursive Dynamics Algorithms, (19)-(21)].
//
// A joint with several directions is a chain of joints in one place; its directions are eliminated
// from the last to the first, so that U is upper triangular.
#pragma once

#include "catena/formulations/forward_status.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena::denoc {

// What the solution keeps of an eliminated direction.
template <class T>
struct Direction {
  Force<T> psi;  // psi^ / m^
  T tau_tilde;   // tau^ / m^
};

template <class T>
Inertia<T> rigid(const MechanismBody<Constant<T>>& b) {
  const auto& M = b.M;
  return {T(M.m),
          {T(M.h.x), T(M.h.y), T(M.h.z)},
          {T(M.I.xx), T(M.I.xy), T(M.I.xz), T(M.I.yy), T(M.I.yz), T(M.I.zz)}};
}

// M p for the unit turn or slide along an axis of B.
template <class T>
Force<T> turned(const Articulated<T>& M, int axis) {
  if (axis == 0) return {{M.A.xx, M.A.xy, M.A.xz}, {M.H.x.x, M.H.y.x, M.H.z.x}};
  if (axis == 1) return {{M.A.xy, M.A.yy, M.A.yz}, {M.H.x.y, M.H.y.y, M.H.z.y}};
  return {{M.A.xz, M.A.yz, M.A.zz}, {M.H.x.z, M.H.y.z, M.H.z.z}};
}
template <class T>
Force<T> slid(const Articulated<T>& M, int axis) {
  if (axis == 0) return {M.H.x, {M.C.xx, M.C.xy, M.C.xz}};
  if (axis == 1) return {M.H.y, {M.C.xy, M.C.yy, M.C.yz}};
  return {M.H.z, {M.C.xz, M.C.yz, M.C.zz}};
}
template <class T>
Force<T> turned(const Inertia<T>& M, int axis) {
  const T o(0);
  if (axis == 0) return {{M.I.xx, M.I.xy, M.I.xz}, {o, -M.h.z, M.h.y}};
  if (axis == 1) return {{M.I.xy, M.I.yy, M.I.yz}, {M.h.z, o, -M.h.x}};
  return {{M.I.xz, M.I.yz, M.I.zz}, {-M.h.y, M.h.x, o}};
}
template <class T>
Force<T> slid(const Inertia<T>& M, int axis) {
  const T o(0);
  if (axis == 0) return {{o, M.h.z, -M.h.y}, {M.m, o, o}};
  if (axis == 1) return {{-M.h.z, o, M.h.x}, {o, M.m, o}};
  return {{M.h.y, -M.h.x, o}, {o, o, M.m}};
}
// M p for direction k of the joint, M rigid or articulated.
template <class T, class J, class Mass>
Force<T> mass_times(J, const MechanismBody<Constant<T>>& b, int k, const Mass& M) {
  static_cast<void>(b), static_cast<void>(k);
  if constexpr (!J::along_z) {
    return k < 3 ? turned<T>(M, k) : slid<T>(M, k - 3);
  } else if constexpr (!J::turns) {
    return slid<T>(M, 2);
  } else {
    const Force<T> n = turned<T>(M, 2);
    if constexpr (!J::slides) return n;
    const Force<T> f = slid<T>(M, 2);
    return {n.n + b.pitch * f.n, n.f + b.pitch * f.f};
  }
}
// pᵀ F for direction k.
template <class T, class J>
T along(J, const MechanismBody<Constant<T>>& b, int k, const Force<T>& F) {
  static_cast<void>(b), static_cast<void>(k);
  if constexpr (!J::along_z) {
    const Vec3<T>& v = k < 3 ? F.n : F.f;
    return k % 3 == 0 ? v.x : k % 3 == 1 ? v.y : v.z;
  } else if constexpr (!J::turns) {
    return F.f.z;
  } else {
    if constexpr (J::slides) return F.n.z + b.pitch * F.f.z;
    return F.n.z;
  }
}

// The rounding level of a pivot: where m^ is not above it, the joint moves nothing.
template <class T>
bool is_lost(const T& m_hat, const Articulated<T>& M) {
  if constexpr (spacing < T >> 0) {
    const T scale = (M.A.xx + M.A.yy + M.A.zz) + (M.C.xx + M.C.yy + M.C.zz);
    return !(m_hat > T(16 * spacing<T>) * scale);
  } else {
    return static_cast<void>(m_hat), static_cast<void>(M), false;
  }
}

// M^ + M_i for the rigid body itself, whose zeros need no addition.
template <class T, class C>
void add_rigid(Articulated<T>& M, const Inertia<C>& R) {
  M.A = {M.A.xx + R.I.xx, M.A.xy + R.I.xy, M.A.xz + R.I.xz,
         M.A.yy + R.I.yy, M.A.yz + R.I.yz, M.A.zz + R.I.zz};
  M.H.x.y = M.H.x.y + R.h.z, M.H.x.z = M.H.x.z - R.h.y;
  M.H.y.x = M.H.y.x - R.h.z, M.H.y.z = M.H.y.z + R.h.x;
  M.H.z.x = M.H.z.x + R.h.y, M.H.z.y = M.H.z.y - R.h.x;
  M.C.xx = M.C.xx + R.m, M.C.yy = M.C.yy + R.m, M.C.zz = M.C.zz + R.m;
}

// M - psi^ psiᵀ
template <class T>
void subtract(Articulated<T>& M, const Force<T>& psi_hat, const Force<T>& psi) {
  const Vec3<T>&n = psi.n, &f = psi.f, &N = psi_hat.n, &F = psi_hat.f;
  M.A = {M.A.xx - n.x * N.x, M.A.xy - n.x * N.y, M.A.xz - n.x * N.z,
         M.A.yy - n.y * N.y, M.A.yz - n.y * N.z, M.A.zz - n.z * N.z};
  M.H = {{M.H.x.x - n.x * F.x, M.H.x.y - n.y * F.x, M.H.x.z - n.z * F.x},
         {M.H.y.x - n.x * F.y, M.H.y.y - n.y * F.y, M.H.y.z - n.z * F.y},
         {M.H.z.x - n.x * F.z, M.H.z.y - n.y * F.z, M.H.z.z - n.z * F.z}};
  M.C = {M.C.xx - f.x * F.x, M.C.xy - f.x * F.y, M.C.xz - f.x * F.z,
         M.C.yy - f.y * F.y, M.C.yz - f.y * F.z, M.C.zz - f.z * F.z};
}

// Eliminates direction k. M: M^_k on entry, M^_kk = M^_k - psi^_k psi_kᵀ on return;
// eta: eta_{k,k+1} on entry, eta_k = psi_k tau^_k + eta_{k,k+1} on return (34), (35).
template <class T, class J>
Direction<T> eliminate(J joint, const MechanismBody<Constant<T>>& b, int k, const T& phi,
                       const Constant<T>& armature, Articulated<T>& M, Force<T>& eta, bool& lost) {
  const Force<T> psi_hat = mass_times<T>(joint, b, k, M);
  const T m_hat = along(joint, b, k, psi_hat) + armature;
  lost = is_lost(m_hat, M);
  const T inverse = T(1) / m_hat;
  const Force<T> psi{inverse * psi_hat.n, inverse * psi_hat.f};
  const T tau_hat = phi - along(joint, b, k, eta);
  subtract(M, psi_hat, psi);
  eta = {eta.n + tau_hat * psi.n, eta.f + tau_hat * psi.f};
  return {psi, inverse * tau_hat};
}

// The same for a revolute joint without drive inertia. psi.n.z = 1, so nothing about z is left in M
// (row and column z of A and row z of H are left as they were; nobody reads them), and eta.n.z
// becomes phi itself.
template <class T>
Direction<T> eliminate_z(const T& phi, Articulated<T>& M, Force<T>& eta, bool& lost) {
  const Force<T> psi_hat{{M.A.xz, M.A.yz, M.A.zz}, {M.H.x.z, M.H.y.z, M.H.z.z}};
  const Vec3<T>&N = psi_hat.n, &F = psi_hat.f;
  lost = is_lost(N.z, M);
  const T inverse = T(1) / N.z;
  const T tau_hat = phi - eta.n.z;
  const Vec3<T> n{inverse * N.x, inverse * N.y, T(1)}, f = inverse * F;
  M.A.xx = M.A.xx - n.x * N.x, M.A.xy = M.A.xy - n.x * N.y, M.A.yy = M.A.yy - n.y * N.y;
  M.H.x.x = M.H.x.x - n.x * F.x, M.H.x.y = M.H.x.y - n.y * F.x;
  M.H.y.x = M.H.y.x - n.x * F.y, M.H.y.y = M.H.y.y - n.y * F.y;
  M.H.z.x = M.H.z.x - n.x * F.z, M.H.z.y = M.H.z.y - n.y * F.z;
  M.C = {M.C.xx - f.x * F.x, M.C.xy - f.x * F.y, M.C.xz - f.x * F.z,
         M.C.yy - f.y * F.y, M.C.yz - f.y * F.z, M.C.zz - f.z * F.z};
  eta.n = {eta.n.x + n.x * tau_hat, eta.n.y + n.y * tau_hat, phi};
  eta.f = eta.f + tau_hat * f;
  return {{n, f}, inverse * tau_hat};
}

}  // namespace catena::denoc
