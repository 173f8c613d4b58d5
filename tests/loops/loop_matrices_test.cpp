// Loop equations by homogeneous matrices: the paper's slider-crank, and every joint that closes.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/loops/loop_matrices.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"
#include "oracles/random_mechanism.hpp"

namespace catena::oracle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Model matrix_machine(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}

// [Legnani et al., 5]: A (a1, a2, a3, a)' = 0 in the rows rotation z, x, y, and the right-hand side
// of the accelerations from H~ = Σ L_i² q'_i² + 2 Σ L_s L_r q'_s q'_r.
TEST(LoopMatrices, SliderCrankHasTheSystemOfThePaper) {
  const ClosedMechanism m = compile_closed(matrix_machine("slider-crank"));
  LoopMatrices loops(m);
  const double l1 = 0.1, l2 = 0.3, pi = std::acos(-1.0);
  Worst product("product of the matrices round the loop less 1", 1e-14);
  Worst system("A against the paper's", 1e-14), bias("H~ against the paper's", 1e-11);
  for (int k = 0; k < 72; ++k) {
    const std::string where = std::to_string(5 * k) + " deg";
    const double a1 = 2 * pi * k / 72, s1 = std::sin(a1), c1 = std::cos(a1);
    const double s12 = -l1 * s1 / l2, c12 = std::sqrt(1 - s12 * s12);
    const double a12 = std::atan2(s12, c12), a = l1 * c1 + l2 * c12;
    VectorXd q(4), qd(4);
    q << a1, a12 - a1, -a12, a;
    // rates by hand: l1 c1 w1 + l2 c12 w12 = 0, a' = -l1 s1 w1 - l2 s12 w12
    const double w1 = 10, w12 = -l1 * c1 * w1 / (l2 * c12);
    qd << w1, w12 - w1, -w12, -l1 * s1 * w1 - l2 * s12 * w12;
    loops.set_motion(q, qd);
    product.meet(loops.open_by(), where);
    EXPECT_EQ(loops.closing(0).cols(), 0);
    MatrixXd right(3, 4);
    right << 1, 1, 1, 0,                     //
        0, l1 * s1, l1 * s1 + l2 * s12, -1,  //
        0, -l1 * c1, -(l1 * c1 + l2 * c12), 0;
    MatrixXd ours(3, 4);
    ours << loops.tree().row(2), loops.tree().row(3), loops.tree().row(4);
    system.meet((ours - right).cwiseAbs().maxCoeff(), where);
    // 4x4 products, entry by entry
    Eigen::Matrix4d L[4], H = Eigen::Matrix4d::Zero();
    for (int i = 0; i < 4; ++i) {
      L[i].setZero();
      L[i](1, 0) = right(0, i), L[i](0, 1) = -right(0, i);
      L[i](0, 3) = right(1, i), L[i](1, 3) = right(2, i);
    }
    for (int r = 0; r < 4; ++r) {
      H += L[r] * L[r] * qd[r] * qd[r];
      for (int s = 0; s < r; ++s) H += 2 * L[s] * L[r] * qd[s] * qd[r];
    }
    const Eigen::Vector3d there(H(1, 0), H(0, 3), H(1, 3));
    const Eigen::Vector3d here(loops.bias()[2], loops.bias()[3], loops.bias()[4]);
    bias.meet((here - there).cwiseAbs().maxCoeff() / (1 + there.norm()), where);
    // the degree of mobility: joints less the rank of A
    EXPECT_EQ(null_space(loops.tree()).cols(), 1) << where;
  }
}

// f(case, mechanism, name)
template <class F>
void for_each_closed(int count, F f) {
  for (int i = 0; i < count; ++i) {
    Random random(90001 + static_cast<std::uint64_t>(i));
    const ClosedCase c = i % 2 == 0 ? random_mechanism(random) : random_parallel(random);
    f(c, compile_closed(c.model), random, "mechanism " + std::to_string(i));
  }
}

// The rows of loops/closure.hpp come from other thoughts: same motions, same accelerations.
TEST(LoopMatrices, SayTheSameAsTheRowsOfTheClosures) {
  Worst closed("products less 1 where the loops are closed", 1e-12);
  Worst motions("motions that the rows allow, in the matrices' equations", 1e-11);
  Worst accelerations("accelerations that the rows allow, in the matrices' equations", 1e-10);
  int used = 0;
  for_each_closed(150, [&](const ClosedCase& c, const ClosedMechanism& m, Random& random,
                           const std::string& where) {
    LoopState state(m);
    state.set_position(c.q);
    const Mobility mobility = mobility_of(state.jacobian());
    if (mobility.smallest < 1e-3) return;
    ++used;
    const MatrixXd G = null_space(state.jacobian());
    VectorXd y(G.cols());
    for (double& x : y) x = random.uniform();
    const VectorXd qd = G * y;
    state.set_motion(c.q, qd);
    LoopMatrices loops(m);
    loops.set_motion(c.q, qd);
    closed.meet(loops.open_by(), where);
    const RowMatrix K = loops.rows();
    EXPECT_EQ(mobility_of(K).rank, mobility.rank) << where;
    motions.meet((K * G).norm() / (1 + K.norm()), where);
    const VectorXd qdd = least_norm(state.jacobian(), -state.accelerations()).x;
    const VectorXd k = loops.row_values();
    accelerations.meet((K * qdd + k).norm() / (1 + k.norm() + K.norm() * qdd.norm()), where);
  });
  EXPECT_GE(used, 100);
}

TEST(LoopMatrices, CloseTheLoopsByNewtonsMethod) {
  Worst same("positions against those of assembly", 1e-9), rows("rows after Newton", 1e-11);
  int failed = 0;
  for_each_closed(80, [&](const ClosedCase& c, const ClosedMechanism& m, Random& random,
                          const std::string& where) {
    LoopState state(m);
    state.set_position(c.q);
    if (mobility_of(state.jacobian()).smallest < 1e-2) return;
    VectorXd step(m.tree.nv), q(m.tree.nq);
    for (double& x : step) x = 0.05 * random.uniform();
    integrate_configuration<double>(m.tree, {c.q.data(), at(m.tree.nq)},
                                    {step.data(), at(m.tree.nv)}, {q.data(), at(m.tree.nq)});
    LoopMatrices loops(m);
    // what can be chosen is held, so that there is one answer nearby
    std::vector<char> held(at(m.tree.nv), 0);
    for (const int v : independent_velocities(state.jacobian(), {})) held[at(v)] = 1;
    for (const JointInfo& j : m.tree.names->joints) {  // rates of attitudes are no coordinates
      for (int k = 0; k < j.nv && j.nq != j.nv; ++k) {
        if (held[at(j.v + k)] != 0) return;
      }
    }
    const Assembly a = close_by_matrices(m, loops, q, held);
    const Assembly b = assemble(m, state, q, held);
    if (!a.closed || !b.closed) {
      ++failed;
      return;
    }
    state.set_position(a.q);
    rows.meet(state.values().cwiseAbs().maxCoeff(), where);
    VectorXd way(m.tree.nv);
    difference_configuration<double>(m.tree, {a.q.data(), at(m.tree.nq)},
                                     {b.q.data(), at(m.tree.nq)}, {way.data(), at(m.tree.nv)});
    same.meet(way.cwiseAbs().maxCoeff(), where);
  });
  EXPECT_LE(failed, 3);
}

}  // namespace
}  // namespace catena::oracle
