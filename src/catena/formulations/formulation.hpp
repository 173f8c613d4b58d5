// The table of formulations: the same questions, answered by methods that share nothing but the
// mechanism.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catena/formulations/forward_status.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// A row of the table. Its functions read and write as those of formulations/spatial do:
//   reads   m, q [nq], qd, qdd, tau, f [nv] (qd, qdd, tau may be empty: zero), Fext_B [num_bodies]
//           or empty
//   writes  w, made as Workspace<T>(m, room(m)), and tau, qdd, x [nv] or M [nv * nv]
//   throws  SizeError if a span does not fit the mechanism; nothing else
// A function that a method does not have is null.
template <class T>
struct Formulation {
  using M = Mechanism<Constant<T>>;
  using In = std::span<const T>;
  using Out = std::span<T>;
  using Wrenches = std::span<const Force<T>>;

  std::string_view name;            // as --method takes it
  std::string_view title;           // what it is
  std::string_view source;          // where it comes from
  std::size_t (*room)(const M& m);  // scalars of scratch memory
  // Why the method cannot do this mechanism, and which one can; empty if it can.
  std::string (*refusal)(const M& m);
  void (*inverse_dynamics)(const M& m, In q, In qd, In qdd, Wrenches Fext_B, Workspace<T>& w,
                           Out tau);
  void (*inertia_matrix)(const M& m, In q, Workspace<T>& w, Out M_of_q);
  ForwardStatus (*forward_dynamics)(const M& m, In q, In qd, In tau, Wrenches Fext_B,
                                    Workspace<T>& w, Out qdd);
  // x = M(q)⁻¹ f: forward dynamics when the bias is known.
  ForwardStatus (*solve_inertia)(const M& m, In q, In f, Workspace<T>& w, Out x);
};

// All of them, the default first. For double, float, Counting and Quad.
template <class T>
std::span<const Formulation<T>> formulations();

// The one of this name, or null.
template <class T>
const Formulation<T>* find_formulation(std::string_view name);

}  // namespace catena
