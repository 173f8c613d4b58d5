// A machine with loops and states of it, as loop_bench writes them for the peers: plain numbers,
// so that nothing depends on what their readers know of loops.
//
//   gravity X Y Z
//   joints N          then per joint, parents first, depth first:
//     NAME KIND PARENT POSE AXIS AXIS2 ARMATURE BODY MASS COM INERTIA
//   loops N           then per loop: NAME JOINT1 POSE JOINT2 POSE
//   states N          then per state: q of all joints, qd, tau, qdd
//
// PARENT and JOINT are numbers of joints from 0 on, -1 the world; a pose is a rotation by rows and
// a position, in the frame of that joint; BODY the pose of the body on the joint; the inertia xx xy
// xz yy yz zz about COM. Coordinates of a joint: revolute 1, universal 2, free position and
// quaternion x y z w with the twist [w; v] in the moving frame.
#pragma once

#include <array>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

using Numbers = std::vector<double>;

struct MachineJoint {
  std::string name, kind;
  int parent = -1;
  std::array<double, 12> pose{}, body{};
  std::array<double, 3> axis{}, axis2{}, com{};
  std::array<double, 6> inertia{};
  double armature = 0, mass = 0;

  int nq() const { return kind == "free" ? 7 : kind == "universal" ? 2 : 1; }
  int nv() const { return kind == "free" ? 6 : kind == "universal" ? 2 : 1; }
};

struct MachineLoop {
  std::string name;
  int joint1 = -1, joint2 = -1;
  std::array<double, 12> pose1{}, pose2{};
};

struct Machine {
  std::array<double, 3> gravity{};
  std::vector<MachineJoint> joints;
  std::vector<MachineLoop> loops;
  struct State {
    Numbers q, qd, tau, qdd;
  };
  std::vector<State> states;
};

// Calls `each` with every word and number of a machine, in the order of the file.
template <class M, class Each>
void visit_joint(M& j, Each each) {
  each(j.name), each(j.kind), each(j.parent);
  for (auto& x : j.pose) each(x);
  for (auto& x : j.axis) each(x);
  for (auto& x : j.axis2) each(x);
  each(j.armature);
  for (auto& x : j.body) each(x);
  each(j.mass);
  for (auto& x : j.com) each(x);
  for (auto& x : j.inertia) each(x);
}
template <class L, class Each>
void visit_loop(L& l, Each each) {
  each(l.name), each(l.joint1);
  for (auto& x : l.pose1) each(x);
  each(l.joint2);
  for (auto& x : l.pose2) each(x);
}

inline void write_machine(const std::string& path, const Machine& m) {
  std::ofstream out(path);
  out.precision(17);
  const auto each = [&](const auto& x) { out << x << ' '; };
  out << "gravity ";
  for (double x : m.gravity) each(x);
  out << "\njoints " << m.joints.size() << '\n';
  for (const MachineJoint& j : m.joints) visit_joint(j, each), out << '\n';
  out << "loops " << m.loops.size() << '\n';
  for (const MachineLoop& l : m.loops) visit_loop(l, each), out << '\n';
  out << "states " << m.states.size() << '\n';
  for (const Machine::State& s : m.states) {
    for (const Numbers* v : {&s.q, &s.qd, &s.tau, &s.qdd})
      for (double x : *v) each(x);
    out << '\n';
  }
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}

inline Machine read_machine(const std::string& path) {
  std::ifstream in(path);
  Machine m;
  std::string word;
  std::size_t n = 0;
  const auto each = [&](auto& x) { in >> x; };
  in >> word;
  for (double& x : m.gravity) each(x);
  in >> word >> n;
  m.joints.resize(in ? n : 0);
  int nq = 0, nv = 0;
  for (MachineJoint& j : m.joints) visit_joint(j, each), nq += j.nq(), nv += j.nv();
  in >> word >> n;
  m.loops.resize(in ? n : 0);
  for (MachineLoop& l : m.loops) visit_loop(l, each);
  in >> word >> n;
  m.states.resize(in ? n : 0);
  for (Machine::State& s : m.states) {
    s.q.resize(nq), s.qd.resize(nv), s.tau.resize(nv), s.qdd.resize(nv);
    for (Numbers* v : {&s.q, &s.qd, &s.tau, &s.qdd})
      for (double& x : *v) each(x);
  }
  if (!in || m.states.empty()) throw std::runtime_error(path + " is not a machine file");
  return m;
}

// The largest difference of accelerations from those of the file, relative to the largest of the
// state.
inline double difference(const Machine::State& s, const Numbers& qdd) {
  double largest = 0, off = 0;
  for (std::size_t i = 0; i < qdd.size(); ++i) {
    largest = std::max(largest, std::abs(s.qdd[i]));
    const double d = std::abs(qdd[i] - s.qdd[i]);
    off = d > off || d != d ? d : off;
  }
  return off / largest;
}

}  // namespace bench
