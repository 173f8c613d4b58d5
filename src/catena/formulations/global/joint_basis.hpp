// The axes in which a joint is free or held: [H S] for motions, [Psi T] for forces.
//
// H are the joint's free directions, T the constraint forces: Tᵀ H = 0. Psi and S complete them to
// dual bases: Psiᵀ H = 1, Sᵀ T = 1, Psiᵀ S = 0. In body axes [angular; linear] all of them are unit
// vectors, but for a screw of pitch p along z:
//
//   H = [z; p z], T contains [-p z; z], Psi = [z; 0], S contains [0; z],
//
// which a shear makes unit vectors, too. The free axes are numbered 0 to 5 then.
#pragma once

#include "catena/spatial/articulated.hpp"

namespace catena::global_analysis {

// The axis of direction k of the joint; the others are those of T.
template <class J>
constexpr int free_axis(J, int k) {
  if constexpr (J::along_z) return J::turns ? 2 : 5;
  return k;
}
// Whether the axis is one of T's.
template <class J>
constexpr bool is_held(J, int axis) {
  if constexpr (J::nv == 0) return true;
  if constexpr (J::nv == 1) return axis != (J::turns ? 2 : 5);
  return axis >= J::nv;
}

template <class T>
T& component(Vec3<T>& v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}
template <class T>
T& component(Motion<T>& V, int axis) {
  return axis < 3 ? component(V.w, axis) : component(V.v, axis - 3);
}
template <class T>
T& component(Force<T>& F, int axis) {
  return axis < 3 ? component(F.n, axis) : component(F.f, axis - 3);
}

// Components in the joint's basis: [H S]ᵀ F, [Psi T]ᵀ V and [H S]ᵀ I [H S] for a screw of this
// pitch; with the negative pitch, back again.
template <class T, class C>
void shear(Force<T>& F, const C& pitch) {
  F.n.z = F.n.z + pitch * F.f.z;
}
template <class T, class C>
void shear(Motion<T>& V, const C& pitch) {
  V.v.z = V.v.z - pitch * V.w.z;
}
template <class T, class C>
void shear(Articulated<T>& I, const C& pitch) {
  I.A.xz = I.A.xz + pitch * I.H.z.x;
  I.A.yz = I.A.yz + pitch * I.H.z.y;
  const T before = I.H.z.z;
  I.H.x.z = I.H.x.z + pitch * I.C.xz;
  I.H.y.z = I.H.y.z + pitch * I.C.yz;
  I.H.z.z = I.H.z.z + pitch * I.C.zz;
  I.A.zz = I.A.zz + pitch * (before + I.H.z.z);
}

// A column of a symmetric 6x6 matrix.
template <class T>
Force<T> column(const Articulated<T>& I, int axis) {
  if (axis == 0) return {{I.A.xx, I.A.xy, I.A.xz}, {I.H.x.x, I.H.y.x, I.H.z.x}};
  if (axis == 1) return {{I.A.xy, I.A.yy, I.A.yz}, {I.H.x.y, I.H.y.y, I.H.z.y}};
  if (axis == 2) return {{I.A.xz, I.A.yz, I.A.zz}, {I.H.x.z, I.H.y.z, I.H.z.z}};
  if (axis == 3) return {I.H.x, {I.C.xx, I.C.xy, I.C.xz}};
  if (axis == 4) return {I.H.y, {I.C.xy, I.C.yy, I.C.yz}};
  return {I.H.z, {I.C.xz, I.C.yz, I.C.zz}};
}
template <class T>
void set_column(Articulated<T>& I, int axis, const Force<T>& c) {
  if (axis == 0) I.A.xx = c.n.x;
  if (axis == 1) I.A.yy = c.n.y;
  if (axis == 2) I.A.zz = c.n.z;
  if (axis == 0) I.A.xy = c.n.y, I.A.xz = c.n.z;
  if (axis == 1) I.A.xy = c.n.x, I.A.yz = c.n.z;
  if (axis == 2) I.A.xz = c.n.x, I.A.yz = c.n.y;
  if (axis < 3) {
    component(I.H.x, axis) = c.f.x;
    component(I.H.y, axis) = c.f.y;
    component(I.H.z, axis) = c.f.z;
  }
  if (axis == 3) I.H.x = c.n, I.C.xx = c.f.x, I.C.xy = c.f.y, I.C.xz = c.f.z;
  if (axis == 4) I.H.y = c.n, I.C.xy = c.f.x, I.C.yy = c.f.y, I.C.yz = c.f.z;
  if (axis == 5) I.H.z = c.n, I.C.xz = c.f.x, I.C.yz = c.f.y, I.C.zz = c.f.z;
}

}  // namespace catena::global_analysis
