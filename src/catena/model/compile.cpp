#include "catena/model/compile.hpp"

#include <cmath>
#include <map>
#include <utility>

namespace catena {
namespace {

using Vec = Vec3<double>;

// A primitive joint and what it moves, still in the author's axes: X_PN(q) = X_PJ * motion(q).
struct Node {
  int parent = -1;
  Primitive kind = Primitive::fixed;
  Pose<double> X_PJ{};
  Vec axis{0, 0, 1};
  double pitch = 0;
  Inertia<double> M{};  // in the node's frame
  JointDynamics dynamics{};
  int joint = -1;  // index into the model's joints
  std::string name;
  std::vector<int> children{};
  // chosen by canonical frames
  int body = 0;
  Pose<double> X_NB{};
};

// Where a model's body or frame sits: fixed on a node.
struct Place {
  int node = 0;
  Pose<double> X{};
};

struct Tree {
  std::vector<Node> nodes;  // node 0 is the world
  std::map<std::string, Place> bodies;
  std::vector<std::pair<int, int>> joint_nodes;  // by model joint: first and last node
  std::vector<int> joint_order;                  // depth first
};

Inertia<double> inertia_of(const Body& body) {
  return inertia_from_com(body.mass, body.com, body.inertia);
}

// Two directions normal to `axis`: x and y turned by the shortest turn that takes z to the axis.
std::pair<Vec, Vec> plane_of(const Vec& axis) {
  if (axis.z < -1 + 1e-12) return {{1, 0, 0}, {0, -1, 0}};
  const double k = 1 / (1 + axis.z);
  return {{1 - axis.x * axis.x * k, -axis.x * axis.y * k, -axis.x},
          {-axis.x * axis.y * k, 1 - axis.y * axis.y * k, -axis.y}};
}

// The primitive joints of a joint, outermost first: kind and axis.
std::vector<std::pair<Primitive, Vec>> primitives_of(const Joint& j) {
  switch (j.kind) {
    case JointKind::fixed:
      return {{Primitive::fixed, {0, 0, 1}}};
    case JointKind::revolute:
      return {{Primitive::revolute, j.axis}};
    case JointKind::prismatic:
      return {{Primitive::prismatic, j.axis}};
    case JointKind::screw:
      return {{Primitive::screw, j.axis}};
    case JointKind::cylindrical:
      return {{Primitive::revolute, j.axis}, {Primitive::prismatic, j.axis}};
    case JointKind::universal:
      return {{Primitive::revolute, j.axis}, {Primitive::revolute, j.axis2}};
    case JointKind::planar: {
      const auto [u, v] = plane_of(j.axis);
      return {{Primitive::prismatic, u}, {Primitive::prismatic, v}, {Primitive::revolute, j.axis}};
    }
    case JointKind::spherical:
      return {{Primitive::spherical, {0, 0, 1}}};
    case JointKind::free:
      return {{Primitive::free, {0, 0, 1}}};
  }
  return {};
}

Tree make_tree(const Model& model, bool keep_fixed) {
  std::map<std::string, const Body*> body_named;
  for (const Body& b : model.bodies) body_named[b.name] = &b;
  std::map<std::string, std::vector<int>> joints_on;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    joints_on[model.joints[j].parent].push_back(static_cast<int>(j));
  }

  Tree tree;
  tree.nodes.emplace_back();
  tree.nodes[0].name = model.ground;
  tree.bodies[model.ground] = {0, {}};
  tree.joint_nodes.resize(model.joints.size());

  std::vector<int> open(joints_on[model.ground].rbegin(), joints_on[model.ground].rend());
  while (!open.empty()) {  // depth first, in the author's order
    const int index = open.back();
    open.pop_back();
    const Joint& joint = model.joints[static_cast<std::size_t>(index)];
    tree.joint_order.push_back(index);
    const Place parent = tree.bodies.at(joint.parent);
    Pose<double> X = parent.X * joint.X_PJ;
    int node = parent.node;
    if (joint.kind == JointKind::fixed && !keep_fixed) {
      tree.joint_nodes[static_cast<std::size_t>(index)] = {node, node};
    } else {
      const auto primitives = primitives_of(joint);
      for (std::size_t k = 0; k < primitives.size(); ++k) {
        Node n;
        n.parent = node;
        n.kind = primitives[k].first;
        n.X_PJ = X;
        n.axis = primitives[k].second;
        n.pitch = joint.pitch;
        n.dynamics = joint.dynamics;
        n.joint = index;
        n.name = joint.child;
        if (k + 1 < primitives.size()) n.name = joint.name + "." + std::to_string(k);
        node = static_cast<int>(tree.nodes.size());
        tree.nodes[static_cast<std::size_t>(n.parent)].children.push_back(node);
        tree.nodes.push_back(n);
        X = Pose<double>{};
      }
      const int last = node, first = node - static_cast<int>(primitives.size()) + 1;
      tree.joint_nodes[static_cast<std::size_t>(index)] = {first, last};
    }
    X = X * joint.X_MB;
    tree.bodies[joint.child] = {node, X};
    Node& moved = tree.nodes[static_cast<std::size_t>(node)];
    moved.M = moved.M + transform(X, inertia_of(*body_named.at(joint.child)));
    const auto& next = joints_on[joint.child];
    open.insert(open.end(), next.rbegin(), next.rend());
  }
  return tree;
}

double norm(const Vec& v) { return std::sqrt(dot(v, v)); }

// Rounding residue next to numbers of size `scale` is zero: so constants stay structural.
double snap(double x, double scale) { return std::abs(x) <= 4e-16 * scale ? 0 : x; }
void snap_unit(double& c, double& s) {
  const double r = std::hypot(c, s);
  c = snap(c / r, 1), s = snap(s / r, 1);
  if (c == 0) s = s > 0 ? 1 : -1;
  if (s == 0) c = c > 0 ? 1 : -1;
}

Inertia<double> snapped(Inertia<double> M) {
  const double h = norm(M.h), I = M.I.xx + M.I.yy + M.I.zz;
  M.h = {snap(M.h.x, h), snap(M.h.y, h), snap(M.h.z, h)};
  M.I.xy = snap(M.I.xy, I), M.I.xz = snap(M.I.xz, I), M.I.yz = snap(M.I.yz, I);
  return M;
}

bool along_z(Primitive kind) {
  return kind == Primitive::revolute || kind == Primitive::prismatic || kind == Primitive::screw;
}

// The x axis of a node's body, in the node's frame: normal to its own axis and to that of the first
// joint it carries, so that this joint is reached by a turn about x. Zero if any will do.
Vec preferred_x(const std::vector<Node>& nodes, const Node& node) {
  Pose<double> X;
  const Node* next = &node;
  do {
    if (next->children.empty()) return {0, 0, 0};
    next = &nodes[static_cast<std::size_t>(next->children.front())];
    X = X * next->X_PJ;
  } while (next->kind == Primitive::fixed);
  if (!along_z(next->kind)) return {0, 0, 0};
  const Vec z = X.R * next->axis;
  const Vec normal = cross(node.axis, z);
  if (norm(normal) > 1e-14) return normal;
  const Vec arm = X.p - dot(X.p, node.axis) * node.axis;  // parallel axes: towards the other one
  return norm(arm) > 1e-12 * (1 + norm(X.p)) ? arm : Vec{0, 0, 0};
}

// Chooses the frame of node n and appends its body, after one fixed turn about z where the parent's
// frame does not suit.
void place_axial(std::vector<Node>& nodes, Node& n, Mechanism<double>& m, MechanismNames& names) {
  const Node& parent = nodes[static_cast<std::size_t>(n.parent)];
  int parent_body = parent.body;
  Pose<double> X_PN = inverse(parent.X_NB) * n.X_PJ;  // at q = 0
  Vec z = X_PN.R * n.axis;
  if (std::abs(z.x) > 2e-15) {
    MechanismBody<double> turn;
    turn.parent = parent_body;
    turn.c0 = -z.y, turn.s0 = z.x;
    snap_unit(turn.c0, turn.s0);
    turn.theta0 = std::atan2(turn.s0, turn.c0);
    parent_body = m.num_bodies();
    m.bodies.push_back(turn);
    names.bodies.push_back(n.name + ".turn");
    const Mat3<double> R{{turn.c0, -turn.s0, 0}, {turn.s0, turn.c0, 0}, {0, 0, 1}};  // transposed
    X_PN = Pose<double>{R, {0, 0, 0}} * X_PN;
    z = X_PN.R * n.axis;
  }
  MechanismBody<double> b;
  b.parent = parent_body;
  b.kind = n.kind;
  b.ca = z.z, b.sa = -z.y;
  snap_unit(b.ca, b.sa);
  z = {0, -b.sa, b.ca};
  // The origin is the point of the axis nearest to the parent's origin.
  const double along = dot(X_PN.p, z);
  const Vec foot = X_PN.p - along * z;
  const double size = norm(X_PN.p);
  b.px = snap(foot.x, size);
  b.py = snap(b.ca * foot.y + b.sa * foot.z, size);
  b.p = {b.px, b.ca * b.py, b.sa * b.py};
  // theta0: from the joint's x, which is the parent's, to the body's.
  const Vec x_J{1, 0, 0}, y_J{0, b.ca, b.sa};
  Vec x = preferred_x(nodes, n);  // in N
  if (norm(x) == 0) x = transpose_times(X_PN.R, x_J);
  x = x - dot(x, n.axis) * n.axis;
  x = (1 / norm(x)) * x;
  b.c0 = dot(X_PN.R * x, x_J), b.s0 = dot(X_PN.R * x, y_J);
  snap_unit(b.c0, b.s0);
  b.theta0 = std::atan2(b.s0, b.c0);
  b.pitch = n.kind == Primitive::screw ? n.pitch : 0;
  n.X_NB = {{x, cross(n.axis, x), n.axis}, -along * n.axis};
  n.body = m.num_bodies();
  m.bodies.push_back(b);
  names.bodies.push_back(n.name);
}

void place_dense(const std::vector<Node>& nodes, Node& n, Mechanism<double>& m,
                 MechanismNames& names) {
  const Node& parent = nodes[static_cast<std::size_t>(n.parent)];
  MechanismBody<double> b;
  b.parent = parent.body;
  b.kind = n.kind;
  b.dense = static_cast<int>(m.X_PJ.size());
  m.X_PJ.push_back(inverse(parent.X_NB) * n.X_PJ);
  n.body = m.num_bodies();
  m.dense_bodies.push_back(n.body);
  m.bodies.push_back(b);
  names.bodies.push_back(n.name);
}

// A fixed joint that is kept: its body's frame coincides with the parent's.
void place_fixed(const std::vector<Node>& nodes, Node& n, Mechanism<double>& m,
                 MechanismNames& names) {
  const Node& parent = nodes[static_cast<std::size_t>(n.parent)];
  MechanismBody<double> b;
  b.parent = parent.body;
  n.X_NB = inverse(n.X_PJ) * parent.X_NB;
  n.body = m.num_bodies();
  m.bodies.push_back(b);
  names.bodies.push_back(n.name);
}

// The world's frame is put onto the first joint, if that acts along an axis: nothing is then
// between the two.
Pose<double> world_frame(const Tree& tree) {
  if (tree.nodes.size() < 2 || !along_z(tree.nodes[1].kind)) return {};
  const Node& first = tree.nodes[1];
  const Vec z = first.X_PJ.R * first.axis;
  Vec x = first.X_PJ.R * preferred_x(tree.nodes, first);
  if (norm(x) == 0) x = plane_of(z).first;
  x = x - dot(x, z) * z;
  x = (1 / norm(x)) * x;
  return {{x, cross(z, x), z}, first.X_PJ.p};
}

void place_bodies(Tree& tree, Mechanism<double>& m, MechanismNames& names) {
  m.bodies.emplace_back();  // the world
  m.X_W0 = tree.nodes[0].X_NB = world_frame(tree);
  m.gravity_0 = transpose_times(m.X_W0.R, m.gravity);
  names.bodies.push_back(tree.nodes[0].name);
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    Node& n = tree.nodes[i];
    if (along_z(n.kind))
      place_axial(tree.nodes, n, m, names);
    else if (n.kind == Primitive::fixed)
      place_fixed(tree.nodes, n, m, names);
    else
      place_dense(tree.nodes, n, m, names);
    MechanismBody<double>& b = m.bodies.back();
    b.M = snapped(transform(inverse(n.X_NB), n.M));
    b.E = euler_tensor(b.M.I);
    b.massless = n.M.m == 0 && n.M.I.xx == 0 && n.M.I.yy == 0 && n.M.I.zz == 0;
  }
}

void number_coordinates(const Tree& tree, Mechanism<double>& m) {
  std::vector<const JointDynamics*> dynamics(m.bodies.size(), nullptr);
  for (const Node& n : tree.nodes) dynamics[static_cast<std::size_t>(n.body)] = &n.dynamics;
  std::vector<int> last_v(m.bodies.size(), -1);  // the velocity nearest above a body's children
  for (int i = 1; i < m.num_bodies(); ++i) {
    MechanismBody<double>& b = m.bodies[static_cast<std::size_t>(i)];
    b.q = m.tree_nq, b.v = m.tree_nv;
    m.branched |= b.parent != i - 1;
    const int nv = num_velocities(b.kind);
    int above = last_v[static_cast<std::size_t>(b.parent)];
    for (int k = 0; k < nv; ++k) {
      const JointDynamics& d = *dynamics[static_cast<std::size_t>(i)];
      m.armature.push_back(d.rotor_inertia * d.gear_ratio * d.gear_ratio);
      m.viscous.push_back(d.viscous);
      m.coulomb.push_back(d.coulomb);
      m.stiffness.push_back(nv == 1 ? d.stiffness : 0);
      m.rest.push_back(d.rest);
      m.q_of_v.push_back(nv == 1 ? b.q : -1);
      m.parent_of_v.push_back(above);
      const int v = b.v + k;
      m.run_begin_v.push_back(above >= 0 && above == v - 1 ? m.run_begin_v.back() : v);
      m.body_of_v.push_back(i);
      above = b.v + k;
      m.has_armature |= m.armature.back() != 0;
      m.has_passive |= d.viscous != 0 || d.coulomb != 0 || d.stiffness != 0;
    }
    last_v[static_cast<std::size_t>(i)] = above;
    const bool turns = b.kind == Primitive::revolute || b.kind == Primitive::screw;
    for (int k = 0; k < num_positions(b.kind); ++k) m.angle_offset.push_back(turns ? b.theta0 : 0);
    m.tree_nq += num_positions(b.kind);
    m.tree_nv += nv;
  }
  // With many joints above it on average, a force is quicker in the world than along the branch.
  std::vector<int> depth;
  long sum = 0;
  for (int above : m.parent_of_v) {
    depth.push_back(above < 0 ? 0 : depth[static_cast<std::size_t>(above)] + 1);
    sum += depth.back();
  }
  m.deep = sum > 8L * m.tree_nv;
  // Subtrees are contiguous: close them from the last body upwards.
  for (int i = m.num_bodies() - 1; i >= 0; --i) {
    MechanismBody<double>& b = m.bodies[static_cast<std::size_t>(i)];
    b.subtree_end = std::max(b.subtree_end, i + 1);
    if (i == 0) break;
    MechanismBody<double>& p = m.bodies[static_cast<std::size_t>(b.parent)];
    p.subtree_end = std::max(p.subtree_end, b.subtree_end);
  }
  for (MechanismBody<double>& b : m.bodies) {
    const std::size_t end = static_cast<std::size_t>(b.subtree_end);
    b.subtree_end_v = end < m.bodies.size() ? m.bodies[end].v : m.tree_nv;
  }
}

// The joint that a chain of mimics ends at, and the whole ratio and offset.
std::pair<int, CoordinateMap<double>> resolve_mimic(const Model& model,
                                                    const std::map<std::string, int>& named,
                                                    int joint) {
  CoordinateMap<double> map;
  while (const auto& mimic = model.joints[static_cast<std::size_t>(joint)].mimic) {
    map.offset = map.ratio * mimic->offset + map.offset;
    map.ratio *= mimic->multiplier;
    joint = named.at(mimic->joint);
  }
  return {joint, map};
}

void name_joints(const Model& model, const Tree& tree, Mechanism<double>& m,
                 MechanismNames& names) {
  std::map<int, std::size_t> info_of;  // by model joint
  std::map<std::string, int> named;
  for (int j : tree.joint_order) {
    named[model.joints[static_cast<std::size_t>(j)].name] = j;
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    const auto [first, last] = tree.joint_nodes[static_cast<std::size_t>(j)];
    JointInfo info;
    info.name = joint.name;
    info.kind = joint.kind;
    info.limits = joint.limits;
    info.body = tree.nodes[static_cast<std::size_t>(last)].body;
    info.first_body = tree.nodes[static_cast<std::size_t>(first)].body;
    info.mimic = joint.mimic.has_value();
    const Place child = tree.bodies.at(joint.child);
    const Pose<double> X_NM = child.X * inverse(joint.X_MB);
    info.X_BM = inverse(tree.nodes[static_cast<std::size_t>(last)].X_NB) * X_NM;
    const MechanismBody<double>& b = m.bodies[static_cast<std::size_t>(info.first_body)];
    info.tree_q = b.q, info.tree_v = b.v;
    if (joint.kind != JointKind::fixed && !info.mimic) {
      info.q = m.nq, info.v = m.nv;
      info.nq = num_positions(joint.kind), info.nv = num_velocities(joint.kind);
      m.nq += info.nq, m.nv += info.nv;
    }
    m.coupled |= info.mimic;
    info_of[j] = names.joints.size();
    names.joints.push_back(info);
  }
  m.q_map.resize(static_cast<std::size_t>(m.tree_nq));
  m.v_map.resize(static_cast<std::size_t>(m.tree_nv));
  for (int j : tree.joint_order) {
    if (model.joints[static_cast<std::size_t>(j)].kind == JointKind::fixed) continue;
    JointInfo& info = names.joints[info_of.at(j)];
    auto [source, map] = resolve_mimic(model, named, j);
    const JointInfo& from = names.joints[info_of.at(source)];
    if (info.mimic) info.q = from.q, info.v = from.v;
    for (int k = 0; k < num_positions(info.kind); ++k) {
      m.q_map[static_cast<std::size_t>(info.tree_q + k)] = {from.q + k, map.ratio, map.offset};
    }
    for (int k = 0; k < num_velocities(info.kind); ++k) {
      m.v_map[static_cast<std::size_t>(info.tree_v + k)] = {from.v + k, map.ratio, 0};
    }
  }
}

void name_frames(const Model& model, const Tree& tree, MechanismNames& names) {
  auto add = [&](const std::string& name, const Place& place, bool is_body) {
    const Node& n = tree.nodes[static_cast<std::size_t>(place.node)];
    names.frames.push_back({name, n.body, inverse(n.X_NB) * place.X, is_body});
  };
  add("world", {0, {}}, model.ground == "world");
  if (model.ground != "world") add(model.ground, tree.bodies.at(model.ground), true);
  for (int j : tree.joint_order) {
    const std::string& child = model.joints[static_cast<std::size_t>(j)].child;
    add(child, tree.bodies.at(child), true);
  }
  for (const Frame& f : model.frames) {
    const Place body = tree.bodies.at(f.body);
    add(f.name, {body.node, body.X * f.X_BF}, false);
  }
}

}  // namespace

Mechanism<double> compile(const Model& model, const CompileOptions& options) {
  validate(model, options.allow_unphysical);
  Tree tree = make_tree(model, options.keep_fixed);
  Mechanism<double> m;
  auto names = std::make_shared<MechanismNames>();
  names->model = model.name;
  m.gravity = model.gravity;
  place_bodies(tree, m, *names);
  number_coordinates(tree, m);
  name_joints(model, tree, m, *names);
  name_frames(model, tree, *names);
  m.names = names;
  return m;
}

}  // namespace catena
