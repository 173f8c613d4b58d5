// Velocities, accelerations and Jacobians against differences of poses in quadruple precision.
#include <gtest/gtest.h>

#include "oracles/cases.hpp"
#include "oracles/differences.hpp"

#if CATENA_HAS_QUAD
namespace catena::oracle {
namespace {

using Vector = std::vector<Quad>;

Vec3<Quad> vec(const Vector& v, std::size_t from) { return {v[from], v[from + 1], v[from + 2]}; }

// The twist of a frame from its pose and the pose's derivative, in the asked axes.
Vector twist_of(const Pose<Quad>& X, const Vector& rate, Axes axes) {
  // w~ = R' Rᵀ, summed over columns: w = 1/2 sum r_k x r_k'
  const Vec3<Quad> w = Quad(0.5) * (cross(X.R.x, vec(rate, 0)) + cross(X.R.y, vec(rate, 3)) +
                                    cross(X.R.z, vec(rate, 6)));
  const Vec3<Quad> v = vec(rate, 9);
  if (axes == Axes::world_aligned) return numbers(Motion<Quad>{w, v});
  if (axes == Axes::world) return numbers(Motion<Quad>{w, v - cross(w, X.p)});
  return numbers(Motion<Quad>{transpose_times(X.R, w), transpose_times(X.R, v)});
}

struct FrameCase {
  Mechanism<double> m;
  Machine<Quad> machine;
  State<Quad> s;
  int body;
  Pose<Quad> X_BF;

  FrameCase(const Model& model, Random& random)
      : m(compile(model)), machine(m), s(random_state_of(machine, m, random)) {
    const FrameInfo& f =
        m.names->frames[at(random.below(static_cast<int>(m.names->frames.size())))];
    body = f.body;
    const auto c = [](const Vec3<double>& v) { return Vec3<Quad>{v.x, v.y, v.z}; };
    X_BF = {{c(f.X_BF.R.x), c(f.X_BF.R.y), c(f.X_BF.R.z)}, c(f.X_BF.p)};
    X_BF.R = orthogonal(X_BF.R);
  }
  Pose<Quad> pose(const Vector& q) { return machine.poses(q)[at(body)] * X_BF; }
  Vector jacobian(const Vector& q, Axes axes) {
    Vector J(6 * at(m.nv));
    frame_jacobian<Quad>(machine.m, q, body, X_BF, axes, machine.w, J);
    return J;
  }
  Vector rate(const Vector& q, const Vector& qd, Axes axes) {
    Vector J(6 * at(m.nv));
    frame_jacobian_rate<Quad>(machine.m, q, qd, body, X_BF, axes, machine.w, J);
    return J;
  }
  Vector twist(const Vector& q, const Vector& qd, Axes axes) {
    const auto all = machine.motions(q, qd, {});
    return numbers(frame_twist<Quad>(all.X[at(body)], all.V[at(body)], X_BF, axes));
  }
};

constexpr Axes all_axes[] = {Axes::frame, Axes::world_aligned, Axes::world};

TEST(Kinematics, TwistsAreDerivativesOfPoses) {
  Worst worst("twists against differences of poses", 1e-26);
  for_each_model(
      60,
      [&](const Model& model, Random& random, const std::string& where) {
        FrameCase c(model, random);
        const Vector rate =
            derivative([&](Quad t) { return numbers(c.pose(c.machine.moved(c.s.q, c.s.qd, t))); });
        for (Axes axes : all_axes) {
          worst.meet(
              difference(c.twist(c.s.q, c.s.qd, axes), twist_of(c.pose(c.s.q), rate, axes), 1),
              where);
        }
      },
      30);
}

TEST(Kinematics, JacobianColumnsAreDerivativesOfPoses) {
  Worst worst("Jacobians against differences of poses", 1e-26);
  for_each_model(
      40,
      [&](const Model& model, Random& random, const std::string& where) {
        FrameCase c(model, random);
        const Pose<Quad> X = c.pose(c.s.q);
        Vector J[3];
        for (int a = 0; a < 3; ++a) J[a] = c.jacobian(c.s.q, all_axes[a]);
        for (int k = 0; k < c.m.nv; ++k) {
          Vector unit(at(c.m.nv), 0);
          unit[at(k)] = 1;
          const Vector rate =
              derivative([&](Quad t) { return numbers(c.pose(c.machine.moved(c.s.q, unit, t))); });
          for (int a = 0; a < 3; ++a) {
            const Vector column(J[a].begin() + 6 * k, J[a].begin() + 6 * k + 6);
            worst.meet(difference(column, twist_of(X, rate, all_axes[a]), 1), where);
          }
        }
      },
      12);
}

TEST(Kinematics, JacobianRatesAreDerivativesOfJacobians) {
  Worst worst("Jacobian rates against differences of Jacobians", 1e-26);
  for_each_model(
      60,
      [&](const Model& model, Random& random, const std::string& where) {
        FrameCase c(model, random);
        for (Axes axes : all_axes) {
          const Vector rate = derivative(
              [&](Quad t) { return c.jacobian(c.machine.moved(c.s.q, c.s.qd, t), axes); });
          worst.meet(difference(c.rate(c.s.q, c.s.qd, axes), rate, 1), where);
        }
      },
      30);
}

// Along a motion with constant acceleration of every coordinate: qd(t) = qd + t qdd.
TEST(Kinematics, AccelerationsAreDerivativesOfTwists) {
  Worst worst("accelerations against differences of twists", 1e-26);
  Worst sum("acceleration = J qdd + Jdot qd", 1e-31);
  for_each_model(
      60,
      [&](const Model& model, Random& random, const std::string& where) {
        FrameCase c(model, random);
        const auto all = c.machine.motions(c.s.q, c.s.qd, c.s.qdd);
        for (Axes axes : all_axes) {
          const Vector A = numbers(frame_acceleration<Quad>(all.X[at(c.body)], all.V[at(c.body)],
                                                            all.A[at(c.body)], c.X_BF, axes));
          const Vector at_rate = derivative(
              [&](Quad t) { return c.twist(c.machine.moved(c.s.q, c.s.qd, t), c.s.qd, axes); });
          const Vector J = c.jacobian(c.s.q, axes), Jdot = c.rate(c.s.q, c.s.qd, axes);
          Vector bias(6, 0), expected = at_rate;
          for (int k = 0; k < c.m.nv; ++k) {
            for (int i = 0; i < 6; ++i) {
              expected[at(i)] += J[at(6 * k + i)] * c.s.qdd[at(k)];
              bias[at(i)] +=
                  J[at(6 * k + i)] * c.s.qdd[at(k)] + Jdot[at(6 * k + i)] * c.s.qd[at(k)];
            }
          }
          worst.meet(difference(A, expected, 1), where);
          sum.meet(difference(A, bias, 1), where);
        }
      },
      30);
}

TEST(Kinematics, MassCentreJacobianIsTheDerivativeOfTheMassCentre) {
  Worst worst("Jacobian of the mass centre", 1e-26), linear("momentum = mass times it", 1e-31);
  for_each_tree(
      40,
      [&](const Model& model, Random& random, const std::string& where) {
        FrameCase c(model, random);
        if (c.m.nv == 0) return;
        Vector J(3 * at(c.m.nv));
        mass_centre<Quad>(c.machine.m, c.s.q, c.machine.w, J);
        const Vector rate = derivative([&](Quad t) {
          return numbers(
              mass_centre<Quad>(c.machine.m, c.machine.moved(c.s.q, c.s.qd, t), c.machine.w, {}));
        });
        Vector v(3, 0);
        for (std::size_t k = 0; k < J.size(); ++k) v[k % 3] += J[k] * c.s.qd[k / 3];
        worst.meet(difference(v, rate, 1), where);
        Quad mass = 0;
        for (std::size_t b = 1; b < c.machine.m.bodies.size(); ++b)
          mass += c.machine.m.bodies[b].M.m;
        for (Quad& x : v) x *= mass;
        const Force<Quad> h = momentum<Quad>(c.machine.m, c.s.q, c.s.qd, c.machine.w);
        linear.meet(difference(v, numbers(h.f), 1), where);
      },
      30);
}

// poses_and_jacobians() gives every column at once.
TEST(Kinematics, AllJacobiansHoldEveryColumn) {
  Worst worst("columns of all Jacobians", 1e-31);
  for_each_tree(
      40,
      [&](const Model& model, Random& random, const std::string& where) {
        FrameCase c(model, random);
        if (c.m.coupled) return;
        std::vector<Pose<Quad>> X(c.m.bodies.size());
        Vector all(6 * at(c.m.nv)), expected = all;
        poses_and_jacobians<Quad>(c.machine.m, c.s.q, c.machine.w, X, all);
        const std::vector<Pose<Quad>> poses = c.machine.poses(c.s.q);
        for (std::size_t b = 0; b < X.size(); ++b)
          worst.meet(difference(numbers(X[b]), numbers(poses[b])), where);
        const Vector J = c.jacobian(c.s.q, Axes::world);
        for (std::size_t i = 0; i < J.size(); ++i) {
          int b = c.body;  // only velocities between the frame and the ground move it
          const int mover = c.m.body_of_v[i / 6];
          while (b > mover) b = c.m.bodies[at(b)].parent;
          expected[i] = b == mover ? all[i] : Quad(0);
        }
        worst.meet(difference(J, expected, 1), where);
      },
      30);
}

}  // namespace
}  // namespace catena::oracle
#endif
