// Forces, accelerations and the inertia matrix, by any formulation.
#include <ctime>

#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "lanes.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;

// The function of a method, if it has one.
template <class F>
F needed(F function, const char* what, const Formulation<double>& method) {
  if (function != nullptr) return function;
  throw InputError(
      {}, "method '" + std::string(method.name) + "' does not compute " + what + "; use 'spatial'");
}

void only_spatial(const Robot& r, nb::handle method) {
  if (r.closed == nullptr || method.is_none() || nb::cast<std::string>(method) == "spatial") return;
  throw InputError({}, "method '" + nb::cast<std::string>(method) + "' is for models without loops",
                   "leave it out");
}

}  // namespace

Eigen::VectorXd vector_of(std::span<const double> x, std::size_t size) {
  if (x.empty()) return Eigen::VectorXd::Zero(static_cast<Eigen::Index>(size));
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

void closed_inverse(Robot& r, const States& states, const Motion3& motion, const Wrenches& wrenches,
                    LoopMethod way, Output& tau, const Actuation& drives, const Input* given) {
  const auto& [q, v, a] = motion;
  const auto make = [&] { return std::make_unique<ClosedDynamics>(r.model, r.options); };
  for_states(states, *r.closed, make, [&](ClosedDynamics& dynamics, std::size_t i) {
    Actuation actuation = drives;
    if (given != nullptr && given->given()) actuation.given = vector_of(given->row(i), r.nv());
    const ClosedInverse result =
        dynamics.inverse_dynamics(vector_of(q.row(i), r.nq()), vector_of(v.row(i), r.nv()),
                                  vector_of(a.row(i), r.nv()), wrenches.by_name(i), way, actuation);
    if (result.unbalanced_motion.size() > 0) {
      Eigen::Index along = 0;
      result.unbalanced_motion.cwiseAbs().maxCoeff(&along);
      std::string joint;
      for (const JointInfo& j : r.m.names->joints) {
        if (!j.mimic && along >= j.v && along < j.v + j.nv) joint = j.name;
      }
      char size[32];
      std::snprintf(size, sizeof size, "%.3g", result.unbalanced);
      throw NumericalError("the actuators cannot produce this motion: " + std::string(size) +
                           " remain along a motion of joint '" + joint +
                           "'\n    add an actuator, or let forward dynamics tell how it moves");
    }
    std::copy(result.tau.begin(), result.tau.end(), tau.row(i).begin());
  });
}

namespace {

nb::object inverse(Robot& r, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle wrenches_,
                   nb::handle method_, nb::handle loops, nb::handle out) {
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional),
      a("a", a_, r.nv(), Input::If::optional);
  const States states({&q, &v, &a});
  const Wrenches wrenches(r, wrenches_);
  wrenches.check(states);
  Output tau(out, states, {r.nv()});
  if (r.closed != nullptr) {
    only_spatial(r, method_);
    closed_inverse(r, states, {q, v, a}, wrenches, loop_method(nb::cast<std::string>(loops)), tau);
    return tau.take();
  }
  if (in_lanes(r, states, method_)) {
    const RepeatedRows q_rows(q), v_rows(v), a_rows(a);
    Lanes(r).run(states, [&](Batch<double>& batch, std::size_t first, std::size_t n) {
      batch.inverse_dynamics(q_rows.at(first, n), v_rows.at(first, n), a_rows.at(first, n),
                             tau.rows(first, n), body_wrenches(r, wrenches, first, n));
    });
    return tau.take();
  }
  Robot::Method& method = r.method(method_);
  const auto function = needed(method.table->inverse_dynamics, "inverse dynamics", *method.table);
  for_states(r, states, method, [&](Scratch& s, std::size_t i) {
    function(r.m, q.row(i), v.row(i), a.row(i), wrenches.on_bodies(i, s), s.w, tau.row(i));
  });
  return tau.take();
}

nb::object forward(Robot& r, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle wrenches_,
                   nb::handle method_, const std::string& loops, nb::handle out) {
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional),
      tau("tau", tau_, r.nv(), Input::If::optional);
  const States states({&q, &v, &tau});
  const Wrenches wrenches(r, wrenches_);
  wrenches.check(states);
  Output a(out, states, {r.nv()});
  if (r.closed != nullptr) {
    only_spatial(r, method_);
    const LoopMethod way = loop_method(loops);
    const auto make = [&] { return std::make_unique<ClosedDynamics>(r.model, r.options); };
    for_states(states, *r.closed, make, [&](ClosedDynamics& dynamics, std::size_t i) {
      const ClosedForward result =
          dynamics.forward_dynamics(vector_of(q.row(i), r.nq()), vector_of(v.row(i), r.nv()),
                                    vector_of(tau.row(i), r.nv()), wrenches.by_name(i), way);
      std::copy(result.qdd.begin(), result.qdd.end(), a.row(i).begin());
    });
    return a.take();
  }
  if (in_lanes(r, states, method_)) {
    const RepeatedRows q_rows(q), v_rows(v), tau_rows(tau);
    Lanes(r).run(states, [&](Batch<double>& batch, std::size_t first, std::size_t n) {
      const BatchStatus status =
          batch.forward_dynamics(q_rows.at(first, n), v_rows.at(first, n), tau_rows.at(first, n),
                                 a.rows(first, n), body_wrenches(r, wrenches, first, n));
      check_status(r, status, first);
    });
    return a.take();
  }
  Robot::Method& method = r.method(method_);
  const auto function = needed(method.table->forward_dynamics, "forward dynamics", *method.table);
  for_states(r, states, method, [&](Scratch& s, std::size_t i) {
    const ForwardStatus status =
        function(r.m, q.row(i), v.row(i), tau.row(i), wrenches.on_bodies(i, s), s.w, a.row(i));
    if (!status) throw NumericalError(describe(r.m, status));
  });
  return a.take();
}

// Of the tree, also where there are loops: what the equations of motion with loops are made of.
nb::object bias(Robot& r, nb::handle q_, nb::handle v_, nb::handle method_, nb::handle out) {
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional);
  const States states({&q, &v});
  Output tau(out, states, {r.nv()});
  if (in_lanes(r, states, method_)) {
    const RepeatedRows q_rows(q), v_rows(v);
    Lanes(r).run(states, [&](Batch<double>& batch, std::size_t first, std::size_t n) {
      batch.bias_forces(q_rows.at(first, n), v_rows.at(first, n), tau.rows(first, n));
    });
    return tau.take();
  }
  Robot::Method& method = r.method(method_);
  const auto function = needed(method.table->inverse_dynamics, "bias forces", *method.table);
  for_states(r, states, method, [&](Scratch& s, std::size_t i) {
    function(r.m, q.row(i), v.row(i), {}, {}, s.w, tau.row(i));
  });
  return tau.take();
}

nb::object gravity(Robot& r, nb::handle q, nb::handle method, nb::handle out) {
  return bias(r, q, nb::none(), method, out);
}

nb::object inertia(Robot& r, nb::handle q_, nb::handle method_, nb::handle out) {
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output M(out, states, {r.nv(), r.nv()});
  if (in_lanes(r, states, method_)) {
    const RepeatedRows q_rows(q);
    Lanes(r).run(states, [&](Batch<double>& batch, std::size_t first, std::size_t n) {
      batch.inertia_matrix(q_rows.at(first, n), M.rows(first, n));
    });
    return M.take();
  }
  Robot::Method& method = r.method(method_);
  const auto function = needed(method.table->inertia_matrix, "the inertia matrix", *method.table);
  for_states(r, states, method,
             [&](Scratch& s, std::size_t i) { function(r.m, q.row(i), s.w, M.row(i)); });
  return M.take();
}

nb::object solve_inertia(Robot& r, nb::handle q_, nb::handle f_, nb::handle method_,
                         nb::handle out) {
  const StateInput q("q", q_, r.nq()), f("f", f_, r.nv());
  const States states({&q, &f});
  Output x(out, states, {r.nv()});
  Robot::Method& method = r.method(method_);
  const auto function = needed(method.table->solve_inertia, "solutions with M", *method.table);
  for_states(r, states, method, [&](Scratch& s, std::size_t i) {
    const ForwardStatus status = function(r.m, q.row(i), f.row(i), s.w, x.row(i));
    if (!status) throw NumericalError(describe(r.m, status));
  });
  return x.take();
}

void write(const Force<double>& F, double* to) {
  const double all[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
  std::copy(all, all + 6, to);
}

void closed_reactions(Robot& r, const States& states, const Input& q, const Input& v,
                      const Input& a, const Wrenches& wrenches, bool world, Output& F) {
  const auto make = [&] { return std::make_unique<ClosedDynamics>(r.model, r.options); };
  for_states(states, *r.closed, make, [&](ClosedDynamics& dynamics, std::size_t i) {
    const Eigen::VectorXd q_i = vector_of(q.row(i), r.nq()), v_i = vector_of(v.row(i), r.nv()),
                          a_i = vector_of(a.row(i), r.nv());
    const auto named = wrenches.by_name(i);
    const ClosedInverse forces = dynamics.inverse_dynamics(q_i, v_i, a_i, named);
    double* to = F.row(i).data();
    for (const NamedReaction& reaction :
         dynamics.reactions(q_i, v_i, a_i, forces.lambda, named, world)) {
      write(reaction.wrench, to);
      to += 6;
    }
  });
}

std::vector<std::string> reaction_names(const Robot& r) {
  std::vector<std::string> names;
  for (const JointInfo& j : r.m.names->joints) names.push_back(j.name);
  if (r.closed != nullptr) {
    for (const Closure& c : r.closed->mechanism().closures) names.push_back(c.name);
  }
  return names;
}

nb::object reactions(Robot& r, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle wrenches_,
                     const std::string& axes, nb::handle out) {
  if (axes != "joint" && axes != "world")
    throw InputError({}, "axes are 'joint' or 'world', not '" + axes + "'");
  const bool world = axes == "world";
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional),
      a("a", a_, r.nv(), Input::If::optional);
  const States states({&q, &v, &a});
  const Wrenches wrenches(r, wrenches_);
  wrenches.check(states);
  Output F(out, states, {reaction_names(r).size(), 6});
  if (r.closed != nullptr) {
    closed_reactions(r, states, q, v, a, wrenches, world, F);
    return F.take();
  }
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    s.numbers.resize(r.nv());
    inverse_dynamics<double>(r.m, q.row(i), v.row(i), a.row(i), wrenches.on_bodies(i, s), s.w,
                             std::span<double>(s.numbers), std::span<Force<double>>(s.F_PB_B));
    if (world) body_poses<double>(r.m, q.row(i), s.w, s.X_WB);
    double* to = F.row(i).data();
    for (const JointInfo& j : r.m.names->joints) {
      Force<double> wrench = transform(inverse(j.X_BM), s.F_PB_B[index(j.body)]);
      if (world) {
        const Mat3<double> R_WM = s.X_WB[index(j.body)].R * j.X_BM.R;
        wrench = {R_WM * wrench.n, R_WM * wrench.f};
      }
      write(wrench, to);
      to += 6;
    }
  });
  return F.take();
}

// Processor seconds per call of the C++ function alone, for benchmarks/python.py.
double inverse_seconds(Robot& r, nb::handle q_, nb::handle v_, nb::handle a_, int calls) {
  const Input q = Input::one("q", q_, r.nq()), v = Input::one("v", v_, r.nv()),
              a = Input::one("a", a_, r.nv());
  Robot::Method& method = r.method(nb::none());
  std::vector<double> tau(r.nv());
  const std::clock_t begin = std::clock();
  for (int i = 0; i < calls; ++i)
    method.table->inverse_dynamics(r.m, q.row(0), v.row(0), a.row(0), {}, method.scratch->w, tau);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / calls;
}

// The same for many states, with one thread.
double inverse_many_seconds(Robot& r, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle out,
                            int calls) {
  const Input q("q", q_, r.nq()), v("v", v_, r.nv()), a("a", a_, r.nv());
  const States states({&q, &v, &a});
  Output tau(out, states, {r.nv()});
  Batch<double> batch(r.m, {1});
  const std::clock_t begin = std::clock();
  for (int i = 0; i < calls; ++i)
    batch.inverse_dynamics({q.data(), q.size()}, {v.data(), v.size()}, {a.data(), a.size()},
                           tau.rows(0, states.count));
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / calls;
}

}  // namespace

void bind_dynamics(nb::class_<Robot>& robot) {
  robot
      .def("inverse", &inverse, "q"_a, "v"_a = nb::none(), "a"_a = nb::none(), nb::kw_only(),
           "wrenches"_a = nb::none(), "method"_a = nb::none(), "loops"_a = "multipliers",
           "out"_a = nb::none(),
           nb::sig("def inverse(self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | "
                   "None = None, *, "
                   "wrenches: Mapping[str, ArrayLike] | None = None, method: str | None = None, "
                   "loops: str = 'multipliers', "
                   "out: NDArray | None = None) -> NDArray"),
           R"(Inverse dynamics: the joint forces that produce a motion.

tau = M(q) a + h(q, v) - sum of J^T wrenches; h holds Coriolis, gravity, springs, damping and friction.
With loops: the forces of the actuators (0 at passive joints) for a motion that keeps the loops closed.

q: (nq,) or (N, nq) positions, rad and m, unit quaternions x y z w.
v, a: (nv,) or (N, nv) velocities and accelerations, rad/s, m/s, ...; None is zero.
wrenches: {frame: (6,) or (N, 6)}, [moment; force] at the frame's origin in its axes, N m and N.
method: a formulation, see catena.methods(); None is "spatial".
loops: with closed chains, one of catena.loop_methods().
out: array to fill, of the shape of the result.
Returns tau: (nv,) or (N, nv), N m and N.
Raises InputError, SizeError; with loops NumericalError if the actuators cannot produce the motion.)")
      .def("forward", &forward, "q"_a, "v"_a = nb::none(), "tau"_a = nb::none(), nb::kw_only(),
           "wrenches"_a = nb::none(), "method"_a = nb::none(), "loops"_a = "multipliers",
           "out"_a = nb::none(),
           nb::sig("def forward(self, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | "
                   "None = None, *, "
                   "wrenches: Mapping[str, ArrayLike] | None = None, method: str | None = None, "
                   "loops: str = 'multipliers', out: NDArray | None = None) -> NDArray"),
           R"(Forward dynamics: the accelerations that joint forces produce.

q: (nq,) or (N, nq) positions; v: (nv,) or (N, nv) velocities; tau: (nv,) or (N, nv) joint forces, N m and N;
None is zero. wrenches, method, out: as for inverse().
loops: with closed chains, one of catena.loop_methods(). The loops are taken as they are at q and v:
assemble() and complete() close them.
Returns accelerations: (nv,) or (N, nv), rad/s^2 and m/s^2.
Raises NumericalError, naming the joint (and the state of many), where something that moves has no inertia.)")
      .def("bias", &bias, "q"_a, "v"_a = nb::none(), nb::kw_only(), "method"_a = nb::none(),
           "out"_a = nb::none(),
           nb::sig("def bias(self, q: ArrayLike, v: ArrayLike | None = None, *, method: str | None "
                   "= None, "
                   "out: NDArray | None = None) -> NDArray"),
           R"(Bias forces h(q, v): what inverse dynamics gives without acceleration.

q: (nq,) or (N, nq); v: (nv,) or (N, nv), None is zero. With loops: of the open tree.
Returns h: (nv,) or (N, nv), N m and N.)")
      .def("gravity", &gravity, "q"_a, nb::kw_only(), "method"_a = nb::none(), "out"_a = nb::none(),
           nb::sig("def gravity(self, q: ArrayLike, *, method: str | None = None, out: NDArray | "
                   "None = None) "
                   "-> NDArray"),
           R"(Gravity forces g(q): what holds the machine at rest, springs of joints included.

q: (nq,) or (N, nq). With loops: of the open tree. Returns g: (nv,) or (N, nv), N m and N.)")
      .def("inertia", &inertia, "q"_a, nb::kw_only(), "method"_a = nb::none(), "out"_a = nb::none(),
           nb::sig("def inertia(self, q: ArrayLike, *, method: str | None = None, out: NDArray | "
                   "None = None) "
                   "-> NDArray"),
           R"(Inertia matrix M(q), rotors included; symmetric, both triangles are filled.

q: (nq,) or (N, nq). With loops: of the open tree. Returns M: (nv, nv) or (N, nv, nv), kg m^2, kg m and kg.)")
      .def("solve_inertia", &solve_inertia, "q"_a, "f"_a, nb::kw_only(), "method"_a = nb::none(),
           "out"_a = nb::none(),
           nb::sig(
               "def solve_inertia(self, q: ArrayLike, f: ArrayLike, *, method: str | None = None, "
               "out: NDArray | None = None) -> NDArray"),
           R"(Solves M(q) x = f in O(n), without making M.

q: (nq,) or (N, nq); f: (nv,) or (N, nv), N m and N. Returns x: (nv,) or (N, nv), rad/s^2 and m/s^2.)")
      .def(
          "reactions", &reactions, "q"_a, "v"_a = nb::none(), "a"_a = nb::none(), nb::kw_only(),
          "wrenches"_a = nb::none(), "axes"_a = "joint", "out"_a = nb::none(),
          nb::sig("def reactions(self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | "
                  "None = None, *, "
                  "wrenches: Mapping[str, ArrayLike] | None = None, axes: str = 'joint', "
                  "out: NDArray | None = None) -> NDArray"),
          R"(Reaction wrenches: what the parent exerts on the child at every joint, cut joints of loops too.

q, v, a, wrenches: as for inverse(). axes: "joint", the axes of the joint's moving frame, or "world"; the moment is
about the origin of the moving frame (of L2 for a loop) in both.
Returns (joints, 6) or (N, joints, 6): [moment; force] in N m and N, in the order of reaction_names. Fixed joints
have one if the model was compiled with keep_fixed=True.)")
      .def("_inverse_many_seconds", &inverse_many_seconds, "q"_a, "v"_a, "a"_a, "out"_a, "calls"_a)
      .def("_inverse_seconds", &inverse_seconds, "q"_a, "v"_a, "a"_a, "calls"_a)
      .def_prop_ro("reaction_names", &reaction_names,
                   nb::sig("def reaction_names(self) -> list[str]"),
                   "Names of the joints and loops, in the order of reactions().");
}

}  // namespace catena::python
