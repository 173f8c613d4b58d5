// Derivatives of dynamics and of frames, and the matrices of the equations of motion.
#include "derivatives.hpp"
#include "catena/formulations/regressor.hpp"
#include "catena/formulations/spatial/centroidal.hpp"
#include "catena/formulations/spatial/coriolis_matrix.hpp"
#include "catena/formulations/spatial/factorization.hpp"
#include "catena/formulations/spatial/forward_derivatives.hpp"
#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/operational_space.hpp"
#include "catena/kinematics/frame_derivatives.hpp"
#include "lanes.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;

void without_loops(const Robot& r, const char* what) {
  if (r.closed == nullptr) return;
  throw InputError({}, "the model has loops; " + std::string(what) + " not computed",
                   "remove the loops to look at the open tree");
}

// For every state, with room for derivatives.
template <class F>
void for_derivatives(Robot& r, const States& states, const F& f) {
  const auto make = [&] { return std::make_unique<Scratch>(r.m, derivatives_room<double>(r.m)); };
  for_states(states, r.derivative_scratch(), make, f);
}

// What changes in dtau/dq if wrenches keep their components in world axes.
void hold_in_world(const Robot& r, std::span<const double> q, const Wrenches& wrenches,
                   std::size_t i, Scratch& s, std::span<double> dtau_dq) {
  body_poses<double>(r.m, q, s.w, s.X_WB);
  wrenches.each(i, [&](const FrameInfo& f, const Force<double>& F_F) {
    const Mat3<double> R_WF = s.X_WB[index(f.body)].R * f.X_BF.R;
    hold_wrench_in_world<double>(r.m, q, f.body, f.X_BF.p, {R_WF * F_F.n, R_WF * F_F.f}, s.w,
                                 dtau_dq);
  });
}

nb::tuple inverse_derivatives(Robot& r, nb::handle q_, nb::handle v_, nb::handle a_,
                              nb::handle wrenches_, const std::string& hold, nb::handle out) {
  const bool world = held_in_world(hold);
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional),
      a("a", a_, r.nv(), Input::If::optional);
  const States states({&q, &v, &a});
  const Wrenches wrenches(r, wrenches_);
  wrenches.check(states);
  const Outs outs(out, 3);
  Output dq(outs[0], states, {r.nv(), r.nv()}), dv(outs[1], states, {r.nv(), r.nv()}),
      M(outs[2], states, {r.nv(), r.nv()});
  if (in_lanes(r, states) && !(world && !wrenches.empty())) {
    const RepeatedRows q_rows(q), v_rows(v), a_rows(a);
    Lanes(r).run(states, [&](Batch<double>& batch, std::size_t first, std::size_t n) {
      batch.inverse_derivatives(q_rows.at(first, n), v_rows.at(first, n), a_rows.at(first, n),
                                dq.rows(first, n), dv.rows(first, n), M.rows(first, n),
                                body_wrenches(r, wrenches, first, n));
    });
    return nb::make_tuple(dq.take(), dv.take(), M.take());
  }
  for_derivatives(r, states, [&](Scratch& s, std::size_t i) {
    inverse_dynamics_derivatives<double>(r.m, q.row(i), s.given_or_zero(v.row(i)), a.row(i),
                                         wrenches.on_bodies(i, s), s.w, dq.row(i), dv.row(i),
                                         M.row(i));
    if (world) hold_in_world(r, q.row(i), wrenches, i, s, dq.row(i));
  });
  return nb::make_tuple(dq.take(), dv.take(), M.take());
}

nb::tuple forward_derivatives(Robot& r, nb::handle q_, nb::handle v_, nb::handle tau_,
                              nb::handle wrenches_, const std::string& hold, nb::handle out) {
  const bool world = held_in_world(hold);
  const std::size_t n = r.nv();
  const StateInput q("q", q_, r.nq()), v("v", v_, n, Input::If::optional),
      tau("tau", tau_, n, Input::If::optional);
  const States states({&q, &v, &tau});
  const Wrenches wrenches(r, wrenches_);
  wrenches.check(states);
  const Outs outs(out, 4);
  Output dq(outs[0], states, {n, n}), dv(outs[1], states, {n, n}), dtau(outs[2], states, {n, n}),
      a(outs[3], states, {n});
  if (in_lanes(r, states) && !(world && !wrenches.empty())) {
    const RepeatedRows q_rows(q), v_rows(v), tau_rows(tau);
    Lanes(r).run(states, [&](Batch<double>& batch, std::size_t first, std::size_t count) {
      const BatchStatus status = batch.forward_derivatives(
          q_rows.at(first, count), v_rows.at(first, count), tau_rows.at(first, count),
          a.rows(first, count), dq.rows(first, count), dv.rows(first, count),
          dtau.rows(first, count), body_wrenches(r, wrenches, first, count));
      check_status(r, status, first);
    });
    return nb::make_tuple(dq.take(), dv.take(), dtau.take(), a.take());
  }
  for_derivatives(r, states, [&](Scratch& s, std::size_t i) {
    const ForwardStatus status = forward_dynamics_derivatives<double>(
        r.m, q.row(i), s.given_or_zero(v.row(i)), tau.row(i), wrenches.on_bodies(i, s), s.w,
        {a.row(i), dq.row(i), dv.row(i), dtau.row(i)});
    if (!status) throw NumericalError(describe(r.m, status));
    if (!world) return;
    s.numbers.assign(n * n, 0);
    hold_in_world(r, q.row(i), wrenches, i, s, s.numbers);
    const auto change = s.numbers;
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t column = 0; column < n; ++column)
          dq.row(i)[row * n + column] -= dtau.row(i)[row * n + k] * change[k * n + column];
  });
  return nb::make_tuple(dq.take(), dv.take(), dtau.take(), a.take());
}

nb::tuple derivatives_of_frame(Robot& r, const std::string& name, nb::handle q_, nb::handle v_,
                               nb::handle a_, const std::string& axes_name, nb::handle out) {
  const FrameInfo& f = r.frame(name);
  const Axes axes = axes_of(axes_name);
  const std::size_t n = r.nv();
  const StateInput q("q", q_, r.nq()), v("v", v_, n, Input::If::optional),
      a("a", a_, n, Input::If::optional);
  const States states({&q, &v, &a});
  const Outs outs(out, 4);
  Output J(outs[0], states, {6, n}), V_dq(outs[1], states, {6, n}), A_dq(outs[2], states, {6, n}),
      A_dv(outs[3], states, {6, n});
  for_derivatives(r, states, [&](Scratch& s, std::size_t i) {
    s.numbers.resize(24 * n);
    const auto part = [&](std::size_t k) {
      return std::span<double>(s.numbers).subspan(6 * n * k, 6 * n);
    };
    frame_derivatives<double>(r.m, q.row(i), s.given_or_zero(v.row(i)), a.row(i), f.body, f.X_BF,
                              axes, s.w, {part(0), part(1), part(2), part(3)});
    write_transposed(part(0), 6, J.row(i).data());
    write_transposed(part(1), 6, V_dq.row(i).data());
    write_transposed(part(2), 6, A_dq.row(i).data());
    write_transposed(part(3), 6, A_dv.row(i).data());
  });
  return nb::make_tuple(J.take(), V_dq.take(), A_dq.take(), A_dv.take());
}

nb::object regressor(Robot& r, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle out) {
  without_loops(r, "the regressor of a closed chain is");
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional),
      a("a", a_, r.nv(), Input::If::optional);
  const States states({&q, &v, &a});
  Output Y(out, states, {r.nv(), num_parameters(r.m)});
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    torque_regressor<double>(r.m, q.row(i), v.row(i), a.row(i), s.w, Y.row(i));
  });
  return Y.take();
}

nb::object coriolis(Robot& r, nb::handle q_, nb::handle v_, nb::handle out) {
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv());
  const States states({&q, &v});
  Output C(out, states, {r.nv(), r.nv()});
  for_derivatives(r, states, [&](Scratch& s, std::size_t i) {
    coriolis_matrix<double>(r.m, q.row(i), v.row(i), s.w, C.row(i));
  });
  return C.take();
}

nb::tuple centroidal(Robot& r, nb::handle q_, nb::handle v_, nb::handle out) {
  const std::size_t n = r.nv();
  const StateInput q("q", q_, r.nq()), v("v", v_, n, Input::If::optional);
  const States states({&q, &v});
  const Outs outs(out, 3);
  Output A(outs[0], states, {6, n}), rate(outs[1], states, {6, n}), centre(outs[2], states, {3});
  for_derivatives(r, states, [&](Scratch& s, std::size_t i) {
    s.numbers.resize(12 * n);
    const std::span<double> first = std::span<double>(s.numbers).first(6 * n),
                            second = std::span<double>(s.numbers).last(6 * n);
    const Vec3<double> c =
        centroidal_momentum<double>(r.m, q.row(i), s.given_or_zero(v.row(i)), s.w, first, second);
    write_transposed(first, 6, A.row(i).data());
    write_transposed(second, 6, rate.row(i).data());
    const double at[3] = {c.x, c.y, c.z};
    std::copy(at, at + 3, centre.row(i).begin());
  });
  return nb::make_tuple(A.take(), rate.take(), centre.take());
}

nb::object operational_inertia(Robot& r, const std::string& name, nb::handle q_,
                               const std::string& axes_name, nb::handle out) {
  without_loops(r, "the inertia of a frame of a closed chain is");
  const FrameInfo& f = r.frame(name);
  const Axes axes = axes_of(axes_name);
  const std::size_t n = r.nv();
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output inertia(out, states, {6, 6});
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    s.numbers.resize(12 * n);
    const std::span<double> J = std::span<double>(s.numbers).first(6 * n),
                            response = std::span<double>(s.numbers).last(6 * n);
    const ForwardStatus status = operational_space<double>(r.m, q.row(i), f.body, f.X_BF, axes, s.w,
                                                           {J, response, inertia.row(i)});
    if (!status) throw NumericalError(describe(r.m, status));
    const int fixed = invert_mobility<double>(inertia.row(i));
    if (fixed < 0) return;
    static const char* directions[] = {"about x", "about y", "about z",
                                       "along x", "along y", "along z"};
    throw NumericalError("frame '" + name + "' cannot move " + directions[fixed] +
                         " apart from its other motions here: it has no finite inertia");
  });
  return inertia.take();
}

nb::object inertia_factor(Robot& r, nb::handle q_, const std::string& kind, nb::handle out) {
  if (kind != "udut" && kind != "ltl")
    throw InputError({}, "kind is 'udut' or 'ltl', not '" + kind + "'");
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output M(out, states, {r.nv(), r.nv()});
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    inertia_matrix<double>(r.m, q.row(i), s.w, M.row(i), Triangle::both);
    const int bad =
        kind == "udut" ? factor_udut<double>(r.m, M.row(i)) : factor_ltl<double>(r.m, M.row(i));
    if (bad < 0) return;
    throw NumericalError("the inertia matrix has no factors: joint coordinate '" +
                         velocity_name(r, bad) + "' carries no inertia");
  });
  return M.take();
}

}  // namespace

// Those of trees. The public functions that return several results, with their documentation, are
// in catena/robot.py.
void bind_derivatives(nb::class_<Robot>& robot) {
  bind_closed_derivatives(robot);
  robot
      .def("_inverse_derivatives", &inverse_derivatives, "q"_a, "v"_a.none(), "a"_a.none(),
           "wrenches"_a.none(), "hold"_a, "out"_a.none())
      .def("_forward_derivatives", &forward_derivatives, "q"_a, "v"_a.none(), "tau"_a.none(),
           "wrenches"_a.none(), "hold"_a, "out"_a.none())
      .def("_frame_derivatives", &derivatives_of_frame, "frame"_a, "q"_a, "v"_a.none(),
           "a"_a.none(), "axes"_a, "out"_a.none())
      .def("_centroidal", &centroidal, "q"_a, "v"_a.none(), "out"_a.none())
      .def(
          "coriolis", &coriolis, "q"_a, "v"_a, nb::kw_only(), "out"_a = nb::none(),
          nb::sig("def coriolis(self, q: ArrayLike, v: ArrayLike, *, out: NDArray | None = None) "
                  "-> NDArray"),
          R"(Coriolis matrix C(q, v): C v are the Coriolis and centrifugal forces, dM/dt - 2 C is skew-symmetric.

q: (nq,) or (N, nq); v: (nv,) or (N, nv), rad/s and m/s. With loops: of the open tree. Rotors, springs and friction
have no part in it. Returns C: (nv, nv) or (N, nv, nv), N m s and the like.)")
      .def(
          "regressor", &regressor, "q"_a, "v"_a = nb::none(), "a"_a = nb::none(), nb::kw_only(),
          "out"_a = nb::none(),
          nb::sig("def regressor(self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | "
                  "None = None, *, out: NDArray | None = None) -> NDArray"),
          R"(Regressor Y(q, v, a): joint forces as a linear function of what bodies and joints are made of.

inverse(q, v, a) = Y @ parameters, exact, with friction, springs and rotors; the columns are those of parameter_names.
q: (nq,) or (N, nq); v, a: (nv,) or (N, nv), None is zero. Not with loops.
Returns Y: (nv, P) or (N, nv, P).)")
      .def(
          "operational_inertia", &operational_inertia, "frame"_a, "q"_a, "axes"_a = "world_aligned",
          nb::kw_only(), "out"_a = nb::none(),
          nb::sig("def operational_inertia(self, frame: str, q: ArrayLike, axes: str = "
                  "'world_aligned', *, out: NDArray | None = None) -> NDArray"),
          R"(Inertia that a frame shows to a wrench on it, (J M^-1 J^T)^-1: the operational-space inertia.

q: (nq,) or (N, nq); axes as for twist(). Not with loops. Returns (6, 6) or (N, 6, 6), angular rows first; kg m^2,
kg m and kg. Raises NumericalError where the frame cannot move along some direction.)")
      .def(
          "inertia_factor", &inertia_factor, "q"_a, "kind"_a = "udut", nb::kw_only(),
          "out"_a = nb::none(),
          nb::sig("def inertia_factor(self, q: ArrayLike, kind: str = 'udut', *, out: NDArray | "
                  "None = None) -> NDArray"),
          R"(Sparse factors of the inertia matrix, with zeros wherever the branches of the tree allow them.

q: (nq,) or (N, nq). kind: "udut", M = U D U^T: D on the diagonal, U above it (its own diagonal is 1); "ltl",
M = L^T L: L in the lower triangle. With loops: of the open tree.
Returns (nv, nv) or (N, nv, nv). Raises NumericalError where a coordinate carries no inertia.)")
      .def_prop_ro(
          "parameter_names",
          [](const Robot& r) {
            std::vector<std::string> names;
            for (const Parameter& p : parameters(*r.m.names)) names.push_back(p.name);
            return names;
          },
          nb::sig("def parameter_names(self) -> list[str]"),
          "Names of the columns of regressor(): m, hx, hy, hz, Ixx, ... of every body, rotor, "
          "viscous, coulomb, stiffness, preload of every joint.")
      .def_prop_ro(
          "parameters",
          [](const Robot& r) {
            const std::vector<double> values = parameter_values(r.model, *r.m.names);
            return new_array(values, {values.size()});
          },
          nb::sig("def parameters(self) -> NDArray"),
          "Their values in this model, (P,): kg, kg m, kg m^2 about the origin of the body frame, "
          "in its axes.");
}

}  // namespace catena::python
