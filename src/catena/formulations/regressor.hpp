// Regressor: joint forces as a linear function of what the bodies and joints are made of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// The parameters of a mechanism in the author's frames: for every body of the model
//   m, hx, hy, hz (mass times mass centre), Ixx, Ixy, Ixz, Iyy, Iyz, Izz (about the body frame's
//   origin), in the axes of the body frame,
// then for every joint that moves
//   rotor (inertia as the joint feels it), viscous, coulomb, stiffness, preload (stiffness * rest).
enum class ParameterKind : std::uint8_t {
  m,
  hx,
  hy,
  hz,
  Ixx,
  Ixy,
  Ixz,
  Iyy,
  Iyz,
  Izz,
  rotor,
  viscous,
  coulomb,
  stiffness,
  preload
};
const char* to_string(ParameterKind kind);

struct Parameter {
  ParameterKind kind;
  int owner;         // index into names->frames (of a body) or names->joints
  std::string name;  // e.g. "Izz.link2", "viscous.elbow"
};

// In the order of the columns of the regressor.
std::vector<Parameter> parameters(const MechanismNames& names);
template <class C>
std::size_t num_parameters(const Mechanism<C>& m);
// What they are in the model that the mechanism was compiled from.
std::vector<double> parameter_values(const Model& model, const MechanismNames& names);

// Y(q, v, a) with inverse_dynamics(q, v, a) = Y p: exact, with friction, springs and rotors.
//   reads   m, q [nq], qd, qdd [nv] (empty means zero)
//   writes  w; Y [nv * number of parameters], by rows
//   throws  SizeError if a span does not fit the mechanism; nothing else
template <class T>
void torque_regressor(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                      std::span<const T> qdd, Workspace<T>& w, std::span<T> Y);

}  // namespace catena
