// Chosen drives: forces of some joints for a motion, and motions that some joints are made to have.
#include <nanobind/stl/optional.h>

#include <algorithm>

#include "catena/data/columns.hpp"
#include "catena/loops/driven_joints.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;

std::vector<int> velocities_named(const Robot& r, const std::vector<std::string>& drives) {
  const std::vector<std::string> names = velocity_names(r.m);
  std::vector<int> found;
  for (const std::string& drive : drives) {
    const auto at = std::find(names.begin(), names.end(), drive);
    if (at == names.end())
      throw InputError({}, "'" + drive + "' is not a velocity of '" + r.m.names->model + "'" +
                               did_you_mean(drive, names));
    const int velocity = static_cast<int>(at - names.begin());
    if (std::find(found.begin(), found.end(), velocity) != found.end())
      throw InputError({}, "'" + drive + "' is named twice");
    found.push_back(velocity);
  }
  return found;
}

nb::object drive_forces(Robot& r, nb::handle q_, nb::handle v_, nb::handle a_,
                        const std::optional<std::vector<std::string>>& drives, nb::handle tau_,
                        nb::handle weights_, nb::handle wrenches_, const std::string& loops,
                        nb::handle out) {
  if (r.closed == nullptr)
    throw InputError({}, "'" + r.m.names->model + "' has no loops: every joint has its own force",
                     "use inverse()");
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional),
      a("a", a_, r.nv(), Input::If::optional), given("tau", tau_, r.nv(), Input::If::optional);
  const States states({&q, &v, &a, &given});
  const Wrenches wrenches(r, wrenches_);
  wrenches.check(states);
  Output tau(out, states, {r.nv()});
  Actuation actuation;
  if (drives) actuation.velocities = velocities_named(r, *drives);
  if (!weights_.is_none()) {
    const Input weights = Input::one("weights", weights_, r.nv());
    actuation.weights = vector_of(weights.row(0), r.nv());
    if (!(actuation.weights.minCoeff() > 0))
      throw InputError({}, "a weight must be above zero; a large one keeps a force small");
  }
  closed_inverse(r, states, {q, v, a}, wrenches, loop_method(loops), tau, actuation, &given);
  return tau.take();
}

nb::tuple forward_driven(Robot& r, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle a_,
                         const std::vector<std::string>& drives, nb::handle wrenches_,
                         const std::string& loops) {
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional),
      tau("tau", tau_, r.nv(), Input::If::optional), a("a", a_, r.nv());
  const States states({&q, &v, &tau, &a});
  const Wrenches wrenches(r, wrenches_);
  wrenches.check(states);
  const std::vector<int> driven = velocities_named(r, drives);
  const LoopMethod way = loop_method(loops);
  Output a_out(nb::none(), states, {r.nv()}), tau_out(nb::none(), states, {r.nv()});
  const auto make = [&] { return std::make_unique<ClosedDynamics>(r.model, r.options); };
  const std::unique_ptr<ClosedDynamics> of_tree = r.closed == nullptr ? make() : nullptr;
  const auto one = [&](ClosedDynamics& dynamics, std::size_t i) {
    const DrivenForward result =
        driven_forward_dynamics(dynamics, vector_of(q.row(i), r.nq()), vector_of(v.row(i), r.nv()),
                                vector_of(tau.row(i), r.nv()), wrenches.by_name(i), driven,
                                vector_of(a.row(i), r.nv()), way);
    const Eigen::VectorXd all = vector_of(tau.row(i), r.nv()) + result.force;
    std::copy(result.qdd.begin(), result.qdd.end(), a_out.row(i).begin());
    std::copy(all.begin(), all.end(), tau_out.row(i).begin());
  };
  for_states(states, of_tree == nullptr ? *r.closed : *of_tree, make, one);
  return nb::make_tuple(a_out.take(), tau_out.take());
}

}  // namespace

void bind_drives(nb::class_<Robot>& robot) {
  robot
      .def("drive_forces", &drive_forces, "q"_a, "v"_a = nb::none(), "a"_a = nb::none(),
           nb::kw_only(), "drives"_a = nb::none(), "tau"_a = nb::none(), "weights"_a = nb::none(),
           "wrenches"_a = nb::none(), "loops"_a = "multipliers", "out"_a = nb::none(),
           nb::sig("def drive_forces(self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike "
                   "| None = None, *, drives: Sequence[str] | None = None, tau: ArrayLike | None = "
                   "None, weights: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | "
                   "None = None, loops: str = 'multipliers', out: NDArray | None = None) -> "
                   "NDArray"),
           R"(Closed chains: the forces of chosen joints for a motion that keeps the loops closed.

q, v, a, wrenches, loops, out: as for inverse(). drives: names of velocities whose forces are wanted; None: the actuators.
tau: (nv,) or (N, nv) forces that act besides. weights: (nv,) of the squares of forces, where more drives than motions
leave a choice; a large one keeps a force small.
Returns tau: (nv,) or (N, nv), those found and those given, N m and N.
Raises NumericalError if the drives cannot produce the motion.)")
      .def(
          "forward_driven", &forward_driven, "q"_a, "v"_a.none(), "tau"_a.none(), "a"_a, "drives"_a,
          nb::kw_only(), "wrenches"_a = nb::none(), "loops"_a = "multipliers",
          nb::sig("def forward_driven(self, q: ArrayLike, v: ArrayLike | None, tau: ArrayLike | "
                  "None, a: ArrayLike, drives: Sequence[str], *, wrenches: Mapping[str, "
                  "ArrayLike] | None = None, loops: str = 'multipliers') -> tuple[NDArray, "
                  "NDArray]"),
          R"(Forward dynamics in which some joints move as they are told, in trees and closed chains.

q: (nq,) or (N, nq); v, tau: (nv,) or (N, nv), None is zero. a: (nv,) or (N, nv), of which the entries of the velocities
named in drives count. wrenches, loops: as for forward().
Returns (a, tau): the accelerations of all, and the joint forces with those of the drives in them.
Raises NumericalError if the accelerations contradict the loops.)");
}

}  // namespace catena::python
