// Configurations, poses, twists, Jacobians, energies.
#include <nanobind/stl/optional.h>

#include "catena/data/columns.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/kinematics/energy.hpp"
#include "catena/kinematics/jacobians.hpp"
#include "lanes.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;

void write_pose(const Pose<double>& X, double* to) {
  const double all[16] = {X.R.x.x, X.R.y.x, X.R.z.x, X.p.x, X.R.x.y, X.R.y.y, X.R.z.y, X.p.y,
                          X.R.x.z, X.R.y.z, X.R.z.z, X.p.z, 0,       0,       0,       1};
  std::copy(all, all + 16, to);
}

void write_motion(const Motion<double>& V, double* to) {
  const double all[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
  std::copy(all, all + 6, to);
}

// Poses of many states, for frames by their numbers.
void poses_in_lanes(Robot& r, const States& states, const Input& q, const std::vector<int>& frames,
                    Output& X) {
  const RepeatedRows q_rows(q);
  Lanes(r).run(states, [&](Batch<double>& batch, std::size_t first, std::size_t n) {
    std::vector<double> found(12 * n * frames.size());
    batch.frame_poses(q_rows.at(first, n), frames, found);
    double* to = X.rows(first, n).data();
    for (std::size_t k = 0; k < n * frames.size(); ++k, to += 16) {
      const double* x = found.data() + 12 * k;  // by columns
      write_pose(
          {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}, {x[9], x[10], x[11]}}, to);
    }
  });
}

nb::object neutral(const Robot& r) {
  std::vector<double> q(r.nq());
  neutral_configuration<double>(r.m, q);
  return new_array(q, {q.size()});
}

nb::object random_q(const Robot& r, std::optional<std::size_t> count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  const std::size_t n = count.value_or(1), nq = r.nq();
  std::vector<double> q(n * nq);
  for (std::size_t i = 0; i < n; ++i)
    random_configuration(r.m, generator, std::span(q).subspan(i * nq, nq));
  return count ? new_array(q, {n, nq}) : new_array(q, {nq});
}

nb::object integrate(Robot& r, nb::handle q_, nb::handle v_, nb::handle out) {
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv());
  const States states({&q, &v});
  Output result(out, states, {r.nq()});
  for_states(r, states, r.method(nb::none()), [&](Scratch&, std::size_t i) {
    integrate_configuration<double>(r.m, q.row(i), v.row(i), result.row(i));
  });
  return result.take();
}

nb::object difference(Robot& r, nb::handle from_, nb::handle to_, nb::handle out) {
  const StateInput from("start", from_, r.nq()), to("end", to_, r.nq());
  const States states({&from, &to});
  Output v(out, states, {r.nv()});
  for_states(r, states, r.method(nb::none()), [&](Scratch&, std::size_t i) {
    difference_configuration<double>(r.m, from.row(i), to.row(i), v.row(i));
  });
  return v.take();
}

nb::object normalise(Robot& r, nb::handle q_, nb::handle out) {
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output result(out, states, {r.nq()});
  for_states(r, states, r.method(nb::none()), [&](Scratch&, std::size_t i) {
    std::copy(q.row(i).begin(), q.row(i).end(), result.row(i).begin());
    normalise_configuration<double>(r.m, result.row(i));
  });
  return result.take();
}

nb::object pose(Robot& r, const std::string& name, nb::handle q_, nb::handle out) {
  const FrameInfo& f = r.frame(name);
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output X(out, states, {4, 4});
  if (in_lanes(r, states)) {
    poses_in_lanes(r, states, q, {r.m.names->frame(name)}, X);
    return X.take();
  }
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    body_poses<double>(r.m, q.row(i), s.w, s.X_WB);
    write_pose(s.X_WB[index(f.body)] * f.X_BF, X.row(i).data());
  });
  return X.take();
}

nb::object poses(Robot& r, nb::handle q_, const std::optional<std::vector<std::string>>& names,
                 nb::handle out) {
  std::vector<const FrameInfo*> frames;
  if (names) {
    for (const std::string& name : *names) frames.push_back(&r.frame(name));
  } else {
    for (const FrameInfo& f : r.m.names->frames) frames.push_back(&f);
  }
  std::vector<int> numbers;
  for (const FrameInfo* f : frames)
    numbers.push_back(static_cast<int>(f - r.m.names->frames.data()));
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output X(out, states, {frames.size(), 4, 4});
  if (in_lanes(r, states) && !frames.empty()) {
    poses_in_lanes(r, states, q, numbers, X);
    return X.take();
  }
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    body_poses<double>(r.m, q.row(i), s.w, s.X_WB);
    double* to = X.row(i).data();
    for (const FrameInfo* f : frames) {
      write_pose(s.X_WB[index(f->body)] * f->X_BF, to);
      to += 16;
    }
  });
  return X.take();
}

nb::object twist(Robot& r, const std::string& name, nb::handle q_, nb::handle v_,
                 const std::string& axes_name, nb::handle out) {
  const FrameInfo& f = r.frame(name);
  const Axes axes = axes_of(axes_name);
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv());
  const States states({&q, &v});
  Output V(out, states, {6});
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    body_motions<double>(r.m, q.row(i), v.row(i), {}, s.w, s.X_WB, s.V_WB_B, s.A_WB_B);
    const std::size_t b = index(f.body);
    write_motion(frame_twist<double>(s.X_WB[b], s.V_WB_B[b], f.X_BF, axes), V.row(i).data());
  });
  return V.take();
}

nb::object acceleration(Robot& r, const std::string& name, nb::handle q_, nb::handle v_,
                        nb::handle a_, const std::string& axes_name, nb::handle out) {
  const FrameInfo& f = r.frame(name);
  const Axes axes = axes_of(axes_name);
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv()), a("a", a_, r.nv(), Input::If::optional);
  const States states({&q, &v, &a});
  Output A(out, states, {6});
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    body_motions<double>(r.m, q.row(i), v.row(i), a.row(i), s.w, s.X_WB, s.V_WB_B, s.A_WB_B);
    const std::size_t b = index(f.body);
    write_motion(frame_acceleration<double>(s.X_WB[b], s.V_WB_B[b], s.A_WB_B[b], f.X_BF, axes),
                 A.row(i).data());
  });
  return A.take();
}

nb::object jacobian(Robot& r, const std::string& name, nb::handle q_, const std::string& axes_name,
                    nb::handle out) {
  const FrameInfo& f = r.frame(name);
  const Axes axes = axes_of(axes_name);
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output J(out, states, {6, r.nv()});
  if (in_lanes(r, states)) {
    const RepeatedRows q_rows(q);
    Lanes(r).run(states, [&](Batch<double>& batch, std::size_t first, std::size_t n) {
      std::vector<double> columns(n * 6 * r.nv());
      batch.frame_jacobian(q_rows.at(first, n), r.m.names->frame(name), axes, columns);
      for (std::size_t i = 0; i < n; ++i)
        write_transposed(std::span(columns).subspan(i * 6 * r.nv(), 6 * r.nv()), 6,
                         J.row(first + i).data());
    });
    return J.take();
  }
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    s.numbers.resize(6 * r.nv());
    frame_jacobian<double>(r.m, q.row(i), f.body, f.X_BF, axes, s.w, s.numbers);
    write_transposed(s.numbers, 6, J.row(i).data());
  });
  return J.take();
}

nb::object jacobian_rate(Robot& r, const std::string& name, nb::handle q_, nb::handle v_,
                         const std::string& axes_name, nb::handle out) {
  const FrameInfo& f = r.frame(name);
  const Axes axes = axes_of(axes_name);
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv());
  const States states({&q, &v});
  Output J(out, states, {6, r.nv()});
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    s.numbers.resize(6 * r.nv());
    frame_jacobian_rate<double>(r.m, q.row(i), v.row(i), f.body, f.X_BF, axes, s.w, s.numbers);
    write_transposed(s.numbers, 6, J.row(i).data());
  });
  return J.take();
}

nb::object com(Robot& r, nb::handle q_, nb::handle out) {
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output c(out, states, {3});
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    const Vec3<double> p = mass_centre<double>(r.m, q.row(i), s.w, {});
    const auto to = c.row(i);
    to[0] = p.x, to[1] = p.y, to[2] = p.z;
  });
  return c.take();
}

nb::object com_jacobian(Robot& r, nb::handle q_, nb::handle out) {
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output J(out, states, {3, r.nv()});
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    s.numbers.resize(3 * r.nv());
    mass_centre<double>(r.m, q.row(i), s.w, std::span<double>(s.numbers));
    write_transposed(s.numbers, 3, J.row(i).data());
  });
  return J.take();
}

// With loops, springs between points have energy, too.
double potential_of(const Robot& r, ClosedDynamics* closed, Scratch& s, std::span<const double> q) {
  if (closed == nullptr) return potential_energy<double>(r.m, q, s.w);
  const Eigen::VectorXd at =
      Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
  return closed->potential_energy(at);
}

struct EnergyMemory {
  Scratch scratch;
  std::unique_ptr<ClosedDynamics> closed;
};

nb::object energy_of(Robot& r, nb::handle q_, nb::handle v_, bool kinetic, bool potential,
                     nb::handle out) {
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional);
  const States states({&q, &v});
  Output E(out, states, {});
  if (in_lanes(r, states)) {
    const RepeatedRows q_rows(q), v_rows(v);
    Lanes(r).run(states, [&](Batch<double>& batch, std::size_t first, std::size_t n) {
      const std::span<double> to = E.rows(first, n);
      if (potential) batch.potential_energy(q_rows.at(first, n), to);
      if (!kinetic) return;
      if (!potential) return batch.kinetic_energy(q_rows.at(first, n), v_rows.at(first, n), to);
      double moving[lanes_chunk];
      batch.kinetic_energy(q_rows.at(first, n), v_rows.at(first, n), {moving, n});
      for (std::size_t i = 0; i < n; ++i) to[i] += moving[i];
    });
    return E.take();
  }
  const auto one = [&](Scratch& s, ClosedDynamics* closed, std::size_t i) {
    double energy = 0;
    if (kinetic && v.given()) energy += kinetic_energy<double>(r.m, q.row(i), v.row(i), s.w);
    if (potential) energy += potential_of(r, closed, s, q.row(i));
    E.row(i)[0] = energy;
  };
  if (!states.many) {
    one(r.scratch(), r.closed.get(), 0);
    return E.take();
  }
  const auto make = [&] {
    return std::make_unique<EnergyMemory>(EnergyMemory{
        Scratch(r.m, 0),
        r.closed == nullptr ? nullptr : std::make_unique<ClosedDynamics>(r.model, r.options)});
  };
  EnergyMemory unused{Scratch(r.m, 0), nullptr};
  for_states(states, unused, make,
             [&](EnergyMemory& s, std::size_t i) { one(s.scratch, s.closed.get(), i); });
  return E.take();
}

nb::object momentum_of(Robot& r, nb::handle q_, nb::handle v_, nb::handle out) {
  const StateInput q("q", q_, r.nq()), v("v", v_, r.nv());
  const States states({&q, &v});
  Output h(out, states, {6});
  for_states(r, states, r.method(nb::none()), [&](Scratch& s, std::size_t i) {
    const Force<double> F = momentum<double>(r.m, q.row(i), v.row(i), s.w);
    const double all[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
    std::copy(all, all + 6, h.row(i).begin());
  });
  return h.take();
}

nb::dict limits(const Robot& r) {
  // of every velocity coordinate; positions where they have one of their own
  std::vector<double> lower(r.nv(), -INFINITY), upper(r.nv(), INFINITY), velocity(r.nv(), INFINITY),
      effort(r.nv(), INFINITY);
  for (const JointInfo& j : r.m.names->joints) {
    for (int k = 0; k < j.nv && !j.mimic; ++k) {
      const std::size_t v = index(j.v + k);
      if (j.nq == j.nv) lower[v] = j.limits.lower, upper[v] = j.limits.upper;
      velocity[v] = j.limits.velocity, effort[v] = j.limits.effort;
    }
  }
  nb::dict all;
  all["lower"] = new_array(lower, {lower.size()});
  all["upper"] = new_array(upper, {upper.size()});
  all["velocity"] = new_array(velocity, {velocity.size()});
  all["effort"] = new_array(effort, {effort.size()});
  return all;
}

// {name: (kind, first position, number of positions, first velocity, number of velocities)}
nb::list joints(const Robot& r) {
  nb::list all;
  for (const JointInfo& j : r.m.names->joints) {
    if (j.nv > 0 && !j.mimic)
      all.append(nb::make_tuple(j.name, to_string(j.kind), j.q, j.nq, j.v, j.nv));
  }
  return all;
}

double mass(const Robot& r) {
  double sum = 0;
  for (std::size_t b = 1; b < r.m.bodies.size(); ++b) sum += r.m.bodies[b].M.m;
  return sum;
}

void bind_frames(nb::class_<Robot>& robot) {
  robot
      .def(
          "pose", &pose, "frame"_a, "q"_a, nb::kw_only(), "out"_a = nb::none(),
          nb::sig(
              "def pose(self, frame: str, q: ArrayLike, *, out: NDArray | None = None) -> NDArray"),
          R"(Pose of a frame in the world.

q: (nq,) or (N, nq). Returns X_WF: (4, 4) or (N, 4, 4), a homogeneous matrix, metres.)")
      .def("poses", &poses, "q"_a, "frames"_a = nb::none(), nb::kw_only(), "out"_a = nb::none(),
           nb::sig("def poses(self, q: ArrayLike, frames: Sequence[str] | None = None, *, "
                   "out: NDArray | None = None) -> NDArray"),
           R"(Poses of several frames in the world; all of frame_names if none are named.

q: (nq,) or (N, nq). Returns (F, 4, 4) or (N, F, 4, 4), homogeneous matrices, metres.)")
      .def("twist", &twist, "frame"_a, "q"_a, "v"_a, "axes"_a = "world_aligned", nb::kw_only(),
           "out"_a = nb::none(),
           nb::sig("def twist(self, frame: str, q: ArrayLike, v: ArrayLike, axes: str = "
                   "'world_aligned', *, "
                   "out: NDArray | None = None) -> NDArray"),
           R"(Twist of a frame: [angular velocity; velocity of its origin].

q: (nq,) or (N, nq); v: (nv,) or (N, nv). axes: "world_aligned", at the frame's origin in world axes; "frame", there
in its own axes; "world", of the point at the world's origin in world axes.
Returns (6,) or (N, 6), rad/s and m/s.)")
      .def("acceleration", &acceleration, "frame"_a, "q"_a, "v"_a, "a"_a = nb::none(),
           "axes"_a = "world_aligned", nb::kw_only(), "out"_a = nb::none(),
           nb::sig("def acceleration(self, frame: str, q: ArrayLike, v: ArrayLike, a: ArrayLike | "
                   "None = None, "
                   "axes: str = 'world_aligned', *, out: NDArray | None = None) -> NDArray"),
           R"(Acceleration of a frame: the time derivative of twist()'s numbers, J a + dJ/dt v.

In "world_aligned" axes: angular acceleration, and acceleration of the frame's origin as an accelerometer without
gravity would feel it. Shapes and axes as for twist(). Returns (6,) or (N, 6), rad/s^2 and m/s^2.)")
      .def("jacobian", &jacobian, "frame"_a, "q"_a, "axes"_a = "world_aligned", nb::kw_only(),
           "out"_a = nb::none(),
           nb::sig("def jacobian(self, frame: str, q: ArrayLike, axes: str = 'world_aligned', *, "
                   "out: NDArray | None = None) -> NDArray"),
           R"(Jacobian of a frame: its twist() is J v, angular rows first.

q: (nq,) or (N, nq); axes as for twist(). Returns J: (6, nv) or (N, 6, nv).)")
      .def("jacobian_rate", &jacobian_rate, "frame"_a, "q"_a, "v"_a, "axes"_a = "world_aligned",
           nb::kw_only(), "out"_a = nb::none(),
           nb::sig("def jacobian_rate(self, frame: str, q: ArrayLike, v: ArrayLike, "
                   "axes: str = 'world_aligned', *, out: NDArray | None = None) -> NDArray"),
           R"(Time derivative of jacobian() at velocity v: acceleration() is J a + dJ/dt v.

Shapes as for jacobian(). Returns (6, nv) or (N, 6, nv).)");
}

void bind_whole(nb::class_<Robot>& robot) {
  robot
      .def("center_of_mass", &com, "q"_a, nb::kw_only(), "out"_a = nb::none(),
           nb::sig(
               "def center_of_mass(self, q: ArrayLike, *, out: NDArray | None = None) -> NDArray"),
           R"(Mass centre of everything that moves, in the world.

q: (nq,) or (N, nq). Returns (3,) or (N, 3), metres. Raises NumericalError if nothing has a mass.)")
      .def("center_of_mass_jacobian", &com_jacobian, "q"_a, nb::kw_only(), "out"_a = nb::none(),
           nb::sig("def center_of_mass_jacobian(self, q: ArrayLike, *, out: NDArray | None = None) "
                   "-> NDArray"),
           R"(Jacobian of the mass centre: its velocity is J v. Returns (3, nv) or (N, 3, nv).)")
      .def(
          "kinetic_energy",
          [](Robot& r, nb::handle q, nb::handle v, nb::handle out) {
            return energy_of(r, q, v, true, false, out);
          },
          "q"_a, "v"_a, nb::kw_only(), "out"_a = nb::none(),
          nb::sig(
              "def kinetic_energy(self, q: ArrayLike, v: ArrayLike, *, out: NDArray | None = None) "
              "-> float | NDArray"),
          R"(Kinetic energy, rotors included.

q: (nq,) or (N, nq); v: (nv,) or (N, nv). Returns a float, or (N,) for many states; joules.)")
      .def(
          "potential_energy",
          [](Robot& r, nb::handle q, nb::handle out) {
            return energy_of(r, q, nb::none(), false, true, out);
          },
          "q"_a, nb::kw_only(), "out"_a = nb::none(),
          nb::sig("def potential_energy(self, q: ArrayLike, *, out: NDArray | None = None) -> "
                  "float | NDArray"),
          R"(Potential energy of gravity (zero with the mass centre at the world's origin) and springs.

q: (nq,) or (N, nq). Returns a float, or (N,) for many states; joules.)")
      .def(
          "energy",
          [](Robot& r, nb::handle q, nb::handle v, nb::handle out) {
            return energy_of(r, q, v, true, true, out);
          },
          "q"_a, "v"_a = nb::none(), nb::kw_only(), "out"_a = nb::none(),
          nb::sig("def energy(self, q: ArrayLike, v: ArrayLike | None = None, *, out: NDArray | "
                  "None = None) "
                  "-> float | NDArray"),
          R"(Kinetic and potential energy together.

q: (nq,) or (N, nq); v: (nv,) or (N, nv), None is rest. Returns a float, or (N,) for many states; joules.)")
      .def("momentum", &momentum_of, "q"_a, "v"_a, nb::kw_only(), "out"_a = nb::none(),
           nb::sig("def momentum(self, q: ArrayLike, v: ArrayLike, *, out: NDArray | None = None) "
                   "-> NDArray"),
           R"(Momentum of the bodies: [angular, about the world's origin; linear], in world axes.

Returns (6,) or (N, 6), kg m^2/s and kg m/s.)");
}

void bind_configurations(nb::class_<Robot>& robot) {
  robot
      .def("neutral", &neutral, nb::sig("def neutral(self) -> NDArray"),
           "Positions (nq,) with all joints at zero, quaternions at no turn.")
      .def(
          "random", &random_q, "count"_a = nb::none(), nb::kw_only(), "seed"_a = 0,
          nb::sig("def random(self, count: int | None = None, *, seed: int = 0) -> NDArray"),
          R"(Random positions within the joint limits: (nq,), or (count, nq). The same for the same seed everywhere.)")
      .def(
          "integrate", &integrate, "q"_a, "v"_a, nb::kw_only(), "out"_a = nb::none(),
          nb::sig("def integrate(self, q: ArrayLike, v: ArrayLike, *, out: NDArray | None = None) "
                  "-> NDArray"),
          R"(Positions after moving with constant joint velocity v for one second: q + v where there is no quaternion.

q: (nq,) or (N, nq); v: (nv,) or (N, nv). Returns (nq,) or (N, nq).)")
      .def(
          "difference", &difference, "start"_a, "end"_a, nb::kw_only(), "out"_a = nb::none(),
          nb::sig("def difference(self, start: ArrayLike, end: ArrayLike, *, out: NDArray | None = "
                  "None) -> NDArray"),
          R"(The joint velocity (nv,) or (N, nv) that leads from start to end in one second, the short way round.)")
      .def("normalise", &normalise, "q"_a, nb::kw_only(), "out"_a = nb::none(),
           nb::sig("def normalise(self, q: ArrayLike, *, out: NDArray | None = None) -> NDArray"),
           "Positions (nq,) or (N, nq) with every quaternion brought to unit length.");
}

}  // namespace

void bind_kinematics(nb::class_<Robot>& robot) {
  bind_configurations(robot);
  bind_frames(robot);
  bind_whole(robot);
  robot.def_prop_ro("nq", &Robot::nq, "Number of positions.")
      .def_prop_ro("nv", &Robot::nv, "Number of velocities, accelerations and joint forces.")
      .def_prop_ro("mass", &mass, "Mass of everything that moves, kg.")
      .def_prop_ro("limits", &limits, nb::sig("def limits(self) -> dict[str, NDArray]"),
                   "Limits of every velocity coordinate, (nv,) each: lower and upper (infinite for "
                   "quaternions), "
                   "velocity, effort.")
      .def_prop_ro("_joints", &joints)
      .def_prop_ro(
          "position_names", [](const Robot& r) { return position_names(r.m); },
          nb::sig("def position_names(self) -> list[str]"),
          "Names of the nq positions: the joint's, or joint.0, joint.1, ...")
      .def_prop_ro(
          "velocity_names", [](const Robot& r) { return velocity_names(r.m); },
          nb::sig("def velocity_names(self) -> list[str]"),
          "Names of the nv velocities: the joint's, or joint.0, joint.1, ...")
      .def_prop_ro(
          "frame_names",
          [](const Robot& r) {
            std::vector<std::string> names;
            for (const FrameInfo& f : r.m.names->frames) names.push_back(f.name);
            return names;
          },
          nb::sig("def frame_names(self) -> list[str]"),
          "Names of all frames: of the bodies and those of the model.");
}

}  // namespace catena::python
