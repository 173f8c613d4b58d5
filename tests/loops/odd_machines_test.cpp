// Mechanisms that are not met every day, written as a user would: each method against maximal
// coordinates, where the loops are closed from a rough start.
#include <gtest/gtest.h>

#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/model/cut_joints.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"
#include "oracles/maximal.hpp"

namespace catena::oracle {
namespace {

using Eigen::VectorXd;

struct OddMachine {
  const char* name;
  int mobility;
  std::string text;
};

std::string bodies_called(const std::vector<std::string>& names) {
  std::string text = "gravity: [0.3, -9, -2]\nbodies:\n";
  for (const std::string& name : names)
    text += "  - {name: " + name +
            ", mass: 1.2, com: [0.2, 0.05, -0.03], inertia: [0.02, 0.03, 0.04]}\n";
  return text;
}

// Revolute joints about many axes, whose end is closed on the ground by a joint of each kind.
std::string held_chain(int links, const std::string& closing) {
  const char* axes[] = {"z", "y", "x", "[0.6, 0, 0.8]", "y", "[0, 0.6, 0.8]", "x", "z"};
  std::vector<std::string> names;
  std::string joints = "joints:\n", start = "start: {";
  for (int i = 0; i < links; ++i) {
    names.push_back("b" + std::to_string(i));
    joints += "  - {name: j" + std::to_string(i) +
              ", type: revolute, parent: " + (i == 0 ? "world" : names[at(i) - 1]) +
              ", child: " + names.back() + ", axis: " + axes[i] + ", origin: [" +
              (i == 0 ? "0" : "0.4") + ", 0.02, 0.01]}\n";
    start += (i == 0 ? "j" : ", j") + std::to_string(i) + ": " + std::to_string(0.5 + 0.1 * i);
  }
  return bodies_called(names) + joints + "loops:\n  - {name: close, bodies: [" + names.back() +
         ", world], origin1: [0.4, 0, 0], origin2: {xyz: [0.5, 0.3, 0.2], rpy: [0.3, 0.2, 0.1]}, " +
         closing + "}\n" + start + "}\n";
}

// Four links, of which some may have no mass.
const std::string four_links =
    "joints:\n"
    "  - {name: ja, type: revolute, parent: world, child: a, axis: z}\n"
    "  - {name: jb, type: JB, parent: a, child: b, origin: [0.4, 0, 0]}\n"
    "  - {name: jc, type: revolute, parent: world, child: c, axis: [0, 0.6, 0.8], origin: [0.6, 0, "
    "0]}\n"
    "loops:\n"
    "  - {name: close, type: spherical, bodies: [b, c], origin1: [0.5, 0, 0], origin2: [0.45, 0, "
    "0]}\n"
    "start: {ja: 1, jc: 1.2}\n";
std::string coupled_by(const std::string& joint) {
  std::string text = four_links;
  return text.replace(text.find("JB"), 2, joint);
}

std::vector<OddMachine> odd_machines() {
  std::vector<OddMachine> all;
  for (const auto& [closing, mobility] : {std::pair{"type: revolute, axis: z", 2},
                                          {"type: prismatic, axis: z", 2},
                                          {"type: screw, axis: z, pitch: 0.03", 2},
                                          {"type: cylindrical, axis: z", 3},
                                          {"type: universal, axis: x, axis2: y", 3},
                                          {"type: planar, axis: z", 4},
                                          {"type: spherical", 4},
                                          {"type: rod, length: 0.9", 6}})
    all.push_back({closing, mobility, held_chain(7, closing)});
  all.push_back({"fixed", 2, held_chain(8, "type: fixed")});
  const std::string a_c = bodies_called({"a", "c"});
  all.push_back({"coupler without mass", 1,
                 a_c + "  - {name: b}\n" + coupled_by("universal, axis: z, axis2: y")});
  all.push_back(
      {"spatial four-bar that spins", 2, bodies_called({"a", "b", "c"}) + coupled_by("spherical")});
  all.push_back({"five-bar with a gear", 1,
                 bodies_called({"a", "b", "c", "d"}) +
                     R"(joints:
  - {name: ja, type: revolute, parent: world, child: a, axis: z}
  - {name: jb, type: revolute, parent: a, child: b, axis: z, origin: [0.4, 0, 0]}
  - {name: jc, type: revolute, parent: world, child: c, axis: z, origin: [0.6, 0, 0], mimic: {joint: ja, multiplier: -1.5, offset: 3}}
  - {name: jd, type: revolute, parent: c, child: d, axis: z, origin: [0.4, 0, 0]}
loops:
  - {name: close, type: revolute, bodies: [b, d], origin1: [0.5, 0, 0], origin2: [0.45, 0, 0], axis: z}
start: {ja: 1.3, jb: -0.5, jd: 0.5}
)"});
  all.push_back({"floating four-bar", 7,
                 bodies_called({"base", "a", "b", "c"}) +
                     R"(joints:
  - {name: root, type: free, parent: world, child: base}
  - {name: ja, type: revolute, parent: base, child: a, axis: z}
  - {name: jb, type: revolute, parent: a, child: b, axis: z, origin: [0.4, 0, 0]}
  - {name: jc, type: revolute, parent: base, child: c, axis: z, origin: [0.6, 0, 0]}
loops:
  - {name: close, type: revolute, bodies: [b, c], origin1: [0.5, 0, 0], origin2: [0.45, 0, 0], axis: z}
start: {ja: 1, jb: -0.5, jc: 1.2}
)"});
  all.push_back({"six links, two loops that share bodies, as a graph", 1,
                 bodies_called({"a", "b", "c", "d", "e"}) +
                     R"(joints:
  - {name: ja, type: revolute, parent: world, child: a, axis: z}
  - {name: jb, type: revolute, parent: a, child: b, axis: z, origin: [0.4, 0, 0]}
  - {name: jc, type: revolute, parent: world, child: c, axis: z, origin: [0.6, 0, 0]}
  - {name: jcb, type: revolute, parent: c, child: b, axis: z, origin: [0.45, 0, 0], child_origin: [-0.5, 0, 0]}
  - {name: jd, type: revolute, parent: b, child: d, axis: z, origin: [0.5, 0.3, 0]}
  - {name: je, type: revolute, parent: c, child: e, axis: z, origin: [0.5, 0.4, 0]}
  - {name: jde, type: spherical, parent: d, child: e, origin: [0.5, 0, 0], child_origin: [-0.45, 0, 0]}
actuators: [ja]
start: {ja: 1, jb: -0.5, jc: 1.2, jd: 0.2, je: 0.5}
)"});
  all.push_back({"Bennett's linkage", 1, R"(gravity: [0, 0, -9.81]
dh:
  links:
    - {name: l1, joint: j1, a: 1, alpha: 60 deg, mass: 1, com: [-0.5, 0, 0], inertia: [0.01, 0.08, 0.08]}
    - {name: l2, joint: j2, a: 0.8845519308919179, alpha: 50 deg, mass: 1, com: [-0.4, 0, 0], inertia: [0.01, 0.08, 0.08]}
    - {name: l3, joint: j3, a: 1, alpha: 60 deg, mass: 1, com: [-0.5, 0, 0], inertia: [0.01, 0.08, 0.08]}
loops:
  - {name: j4, type: revolute, bodies: [l3, world], origin2: {xyz: [-0.8845519308919179, 0, 0], rpy: [-50 deg, 0, 0]}, axis: z}
start: {j1: 1, j2: 2, j3: -1}
)"});
  all.push_back({"shafts with two universal joints and a slide", 1,
                 bodies_called({"in", "mid", "out", "fork"}) +
                     R"(joints:
  - {name: jin, type: revolute, parent: world, child: in, axis: x}
  - {name: ju, type: universal, parent: in, child: mid, axis: y, axis2: z, origin: [0.2, 0, 0]}
  - {name: jslide, type: prismatic, parent: mid, child: out, axis: x, origin: [0.5, 0, 0]}
  - {name: jout, type: revolute, parent: world, child: fork, axis: x, origin: [0.9, 0.1, 0.05]}
loops:
  - {name: u2, type: universal, bodies: [out, fork], axis: z, axis2: y}
)"});
  all.push_back({"tree of many kinds of joints", 3,
                 bodies_called({"a", "b", "c", "d", "e"}) +
                     R"(joints:
  - {name: ja, type: spherical, parent: world, child: a}
  - {name: jb, type: revolute, parent: a, child: b, axis: y, origin: [0.4, 0.02, 0]}
  - {name: jc, type: universal, parent: b, child: c, axis: z, axis2: x, origin: [0.4, 0, 0.01]}
  - {name: jd, type: screw, parent: c, child: d, axis: [0.6, 0, 0.8], pitch: 0.05, origin: [0.4, 0, 0]}
  - {name: je, type: prismatic, parent: d, child: e, axis: y, origin: [0.4, 0, 0]}
loops:
  - {name: close, type: revolute, bodies: [e, world], origin1: [0.3, 0, 0], origin2: [0.8, 0.3, 0.2], axis: z}
start: {jb: 0.5, jc: [0.6, 0.3], je: 0.1}
)"});
  all.push_back({"platform on a planar, a cylindrical and two rods", 6,
                 bodies_called({"a", "b", "p"}) +
                     R"(joints:
  - {name: ja, type: planar, parent: world, child: a, axis: z}
  - {name: jb, type: cylindrical, parent: a, child: b, axis: y, origin: [0.4, 0, 0]}
  - {name: jp, type: spherical, parent: b, child: p, origin: [0.4, 0, 0]}
loops:
  - {name: rod1, type: rod, bodies: [p, world], origin1: [0.3, 0, 0.1], origin2: [1, 1, 0], length: 0.9}
  - {name: rod2, type: rod, bodies: [a, p], origin1: [0, 0.3, 0.1], origin2: [0.2, 0, 0], length: 0.8}
springs:
  - {name: k, bodies: [a, p], point1: [0, 0.4, 0], point2: [0.3, 0, 0], stiffness: 300, length: 0.2}
)"});
  return all;
}

TEST(OddMachines, MoveAsMaximalCoordinatesSayByEveryMethod) {
  Worst worst("accelerations against maximal coordinates", 1e-9);
  Worst closed("loops", 1e-12), back("forces of inverse dynamics", 1e-9);
  for (const OddMachine& odd : odd_machines()) {
    SCOPED_TRACE(odd.name);
    Random random(7);
    const Model model = with_cut_joints(parse_yaml(odd.text, "odd.yaml"));
    validate(model);
    ClosedDynamics dynamics(model);
    const ClosedMechanism& m = dynamics.mechanism();
    LoopState loops(m);
    const Assembly a = assemble_from_afar(m, loops, m.start);
    ASSERT_TRUE(a.closed) << a.residual;
    closed.meet(a.residual, odd.name);
    loops.set_position(a.q);
    EXPECT_EQ(mobility_of(loops.jacobian()).by_rank, odd.mobility);
    const Eigen::MatrixXd G = null_space(unit_rows(loops.jacobian()));
    VectorXd y(G.cols()), tau(m.tree.nv);
    for (double& x : y) x = random.uniform();
    for (double& x : tau) x = random.uniform();
    const VectorXd qd = G * y;
    const auto plain = [](const VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
    const VectorXd right = Maximal(model, coordinate_order(m.tree))
                               .compute(plain(a.q), plain(qd), plain(tau))
                               .qdd.cast<double>();
    const double size = 1 + right.cwiseAbs().maxCoeff();
    for (const LoopMethodRow& row : loop_methods()) {
      if (!loop_refusal(row.method, m).empty()) continue;
      const std::string where = odd.name + std::string(", ") + std::string(row.name);
      const VectorXd qdd = dynamics.forward_dynamics(a.q, qd, tau, {}, row.method).qdd;
      worst.meet((qdd - right).cwiseAbs().maxCoeff() / size, where);
      const ClosedInverse inverse = dynamics.inverse_dynamics(a.q, qd, right, {}, row.method);
      EXPECT_EQ(inverse.unbalanced_motion.size(), 0) << where;
      back.meet((G.transpose() * (inverse.tau - tau)).cwiseAbs().maxCoeff() / size, where);
    }
  }
}

}  // namespace
}  // namespace catena::oracle
