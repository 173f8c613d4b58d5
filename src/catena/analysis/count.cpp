#include "catena/analysis/count.hpp"

#include <algorithm>
#include <cmath>

#include "catena/kinematics/configuration.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

std::vector<Counting> variables(std::size_t n, double phase) {
  std::vector<Counting> r;
  for (std::size_t i = 0; i < n; ++i)
    r.push_back(Counting::variable(std::sin(static_cast<double>(i) + phase)));
  return r;
}

template <class F>
OperationCount counted(F f) {
  Counting::count() = {};
  f();
  return Counting::count();
}

}  // namespace

const OperationCount& MethodCount::of(Question question) const {
  switch (question) {
    case Question::inverse:
      return inverse;
    case Question::bias:
      return bias;
    case Question::inertia:
      return inertia;
    case Question::solve:
      return solve;
    default:
      return forward;
  }
}

MethodCount count_operations(const Formulation<Counting>& method, const Mechanism<double>& m) {
  const Mechanism<Counting> mechanism = cast<Counting>(m);
  Workspace<Counting> w(mechanism, method.room(mechanism));
  const std::size_t nv = index(m.nv);
  std::vector<Counting> q = variables(index(m.nq), 0.3), out(nv), M(nv * nv);
  normalise_configuration<Counting>(mechanism, q);
  const std::vector<Counting> qd = variables(nv, 0.7), qdd = variables(nv, 1.1);
  MethodCount r;
  r.method = method.name;
  if (method.inverse_dynamics != nullptr) {
    r.inverse = counted([&] { method.inverse_dynamics(mechanism, q, qd, qdd, {}, w, out); });
    r.bias = counted([&] { method.inverse_dynamics(mechanism, q, qd, {}, {}, w, out); });
  }
  if (method.inertia_matrix != nullptr)
    r.inertia = counted([&] { method.inertia_matrix(mechanism, q, w, M); });
  if (method.solve_inertia != nullptr)
    r.solve = counted([&] { (void)method.solve_inertia(mechanism, q, qdd, w, out); });
  if (method.forward_dynamics != nullptr)
    r.forward = counted([&] { (void)method.forward_dynamics(mechanism, q, qd, qdd, {}, w, out); });
  return r;
}

std::vector<Crossing> find_crossings(const std::vector<CostCurve>& curves, int first) {
  std::vector<Crossing> crossings;
  // the first n from which on `holds` to the end; 0 if not even there
  const auto from = [&](std::size_t count, auto holds) {
    std::size_t i = count;
    while (i > 0 && holds(i - 1)) --i;
    return i == count ? 0 : first + static_cast<int>(i);
  };
  for (const CostCurve& a : curves) {
    for (const CostCurve& b : curves) {
      const std::size_t count = std::min(a.additions.size(), b.additions.size());
      const auto fewer = [&](std::size_t i) { return a.multiplications[i] < b.multiplications[i]; };
      const auto both = [&](std::size_t i) { return fewer(i) && a.additions[i] < b.additions[i]; };
      const Crossing c{a.name, b.name, from(count, fewer), from(count, both)};
      if (c.multiplications > first || c.both > first) crossings.push_back(c);
    }
  }
  return crossings;
}

Model general_chain(int n) {
  Model model;
  model.name = "general chain of " + std::to_string(n) + " revolute joints";
  model.gravity = {0, 0, -9.81};
  for (int i = 1; i <= n; ++i) {
    Body body;
    body.name = "link" + std::to_string(i);
    body.mass = 1 + 0.1 * i;
    body.com = {0.21, 0.13, 0.17};
    body.inertia = {0.31, 0.02, 0.03, 0.37, 0.05, 0.29};
    model.bodies.push_back(body);
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.parent = i == 1 ? "world" : "link" + std::to_string(i - 1);
    joint.child = body.name;
    if (i > 1) {  // Rx(alpha), then a shift in the turned plane: the zero of the angle stays zero
      const double alpha = 0.4 + 0.01 * i, ca = std::cos(alpha), sa = std::sin(alpha);
      joint.X_PJ = {{{1, 0, 0}, {0, ca, sa}, {0, -sa, ca}}, {0.33, 0.27 * ca, 0.27 * sa}};
    }
    model.joints.push_back(joint);
  }
  return model;
}

}  // namespace catena
