// Derivatives of the dynamics of closed chains, by independent velocities.
#include "catena/loops/closed_derivatives.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "catena/data/columns.hpp"
#include "catena/loops/loop_solver.hpp"
#include "derivatives.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;
using Eigen::Index;

// The velocities of these names, or, without any, those that suit the first state: the columns.
std::vector<int> columns_of(Robot& r, const std::vector<std::string>& asked, const Input& q,
                            const States& states) {
  const bool none = states.count == 0;
  if (states.many && !none) states.check_finite(0, 1);
  const ClosedMechanism& m = r.closed->mechanism();
  LoopState& state = r.closed->state();
  state.set_position(none ? m.start : vector_of(q.row(0), r.nq()));
  if (asked.empty()) return sound_velocities(m, state.jacobian());
  const auto names = velocity_names(r.m);
  std::vector<int> chosen;
  for (const std::string& name : asked) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw InputError({}, "independent: '" + name + "' is not a velocity of '" + r.m.names->model +
                               "'" + did_you_mean(name, names));
    chosen.push_back(static_cast<int>(found - names.begin()));
  }
  const int mobility = mobility_of(state.jacobian()).by_rank;
  if (std::set<int>(chosen.begin(), chosen.end()).size() != chosen.size() ||
      static_cast<int>(chosen.size()) != mobility)
    throw InputError({},
                     "independent: " + std::to_string(chosen.size()) +
                         " names, but the mechanism has " + std::to_string(mobility) +
                         " degrees of freedom",
                     "name as many different velocities, or leave independent out");
  return chosen;
}

// The rows of `matrix` belong to these velocities; the others are zero.
void write_rows(const Eigen::MatrixXd& matrix, const std::vector<int>& velocities,
                std::span<double> to) {
  std::fill(to.begin(), to.end(), 0.0);
  const auto columns = static_cast<std::size_t>(matrix.cols());
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      to[index(velocities[i]) * columns + j] = matrix(static_cast<Index>(i), static_cast<Index>(j));
  }
}

nb::object names_of(const Robot& r, const std::vector<int>& velocities) {
  const auto names = velocity_names(r.m);
  std::vector<std::string> chosen;
  for (const int v : velocities) chosen.push_back(names[index(v)]);
  return nb::cast(chosen);
}

// What a call for either kind of dynamics begins with.
struct ClosedCall {
  ClosedCall(Robot& r, nb::handle q_, nb::handle v_, const char* third, nb::handle x_,
             nb::handle wrenches_, const std::string& hold, const std::vector<std::string>& asked)
      : q("q", q_, r.nq()),
        v("v", v_, r.nv(), Input::If::optional),
        x(third, x_, r.nv(), Input::If::optional),
        states({&q, &v, &x}),
        wrenches(r, wrenches_),
        all(r.nv()) {
    wrenches.check(states);
    options.held = held_in_world(hold) ? WrenchAxes::world : WrenchAxes::frame;
    options.independent = columns_of(r, asked, q, states);
    k = options.independent.size();
    std::iota(all.begin(), all.end(), 0);
  }
  template <class F>
  void run(Robot& r, const F& f) const {
    const auto make = [&] { return std::make_unique<ClosedDynamics>(r.model, r.options); };
    for_states(states, *r.closed, make, f);
  }

  const StateInput q, v, x;
  const States states;
  const Wrenches wrenches;
  ClosedDerivativesOptions options;
  std::size_t k = 0;
  std::vector<int> all;  // velocities
};

nb::tuple closed_inverse_derivatives(Robot& r, nb::handle q_, nb::handle v_, nb::handle a_,
                                     nb::handle wrenches_, const std::string& hold,
                                     const std::vector<std::string>& independent, nb::handle out) {
  const ClosedCall c(r, q_, v_, "a", a_, wrenches_, hold, independent);
  const std::size_t n = r.nv();
  const Outs outs(out, 4);
  Output dq(outs[0], c.states, {n, c.k}), dv(outs[1], c.states, {n, c.k}),
      da(outs[2], c.states, {n, c.k}), motion(outs[3], c.states, {n, c.k});
  c.run(r, [&](ClosedDynamics& dynamics, std::size_t i) {
    const ClosedInverseSensitivity d = catena::inverse_derivatives(
        dynamics, vector_of(c.q.row(i), r.nq()), vector_of(c.v.row(i), n), vector_of(c.x.row(i), n),
        c.wrenches.by_name(i), c.options);
    write_rows(d.dtau_dq, d.actuated, dq.row(i));
    write_rows(d.dtau_dqd, d.actuated, dv.row(i));
    write_rows(d.dtau_dqdd, d.actuated, da.row(i));
    write_rows(d.motion, c.all, motion.row(i));
  });
  return nb::make_tuple(dq.take(), dv.take(), da.take(), motion.take(),
                        names_of(r, c.options.independent));
}

nb::tuple closed_forward_derivatives(Robot& r, nb::handle q_, nb::handle v_, nb::handle tau_,
                                     nb::handle wrenches_, const std::string& hold,
                                     const std::vector<std::string>& independent, nb::handle out) {
  const ClosedCall c(r, q_, v_, "tau", tau_, wrenches_, hold, independent);
  const std::size_t n = r.nv();
  const Outs outs(out, 5);
  Output dq(outs[0], c.states, {n, c.k}), dv(outs[1], c.states, {n, c.k}),
      dtau(outs[2], c.states, {n, n}), a(outs[3], c.states, {n}),
      motion(outs[4], c.states, {n, c.k});
  c.run(r, [&](ClosedDynamics& dynamics, std::size_t i) {
    const ClosedForwardSensitivity d = catena::forward_derivatives(
        dynamics, vector_of(c.q.row(i), r.nq()), vector_of(c.v.row(i), n), vector_of(c.x.row(i), n),
        c.wrenches.by_name(i), c.options);
    write_rows(d.dqdd_dq, c.all, dq.row(i));
    write_rows(d.dqdd_dqd, c.all, dv.row(i));
    write_rows(d.dqdd_dtau, c.all, dtau.row(i));
    std::copy(d.qdd.begin(), d.qdd.end(), a.row(i).begin());
    write_rows(d.motion, c.all, motion.row(i));
  });
  return nb::make_tuple(dq.take(), dv.take(), dtau.take(), a.take(), motion.take(),
                        names_of(r, c.options.independent));
}

}  // namespace

// The public functions, with their documentation, are in catena/robot.py.
void bind_closed_derivatives(nb::class_<Robot>& robot) {
  robot
      .def("_closed_inverse_derivatives", &closed_inverse_derivatives, "q"_a, "v"_a.none(),
           "a"_a.none(), "wrenches"_a.none(), "hold"_a, "independent"_a, "out"_a.none())
      .def("_closed_forward_derivatives", &closed_forward_derivatives, "q"_a, "v"_a.none(),
           "tau"_a.none(), "wrenches"_a.none(), "hold"_a, "independent"_a, "out"_a.none());
}

}  // namespace catena::python
