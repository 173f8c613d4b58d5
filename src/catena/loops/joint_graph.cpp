#include "catena/loops/joint_graph.hpp"

#include "catena/model/coordinates.hpp"

namespace catena {

JointGraph joint_graph(const ClosedMechanism& m) {
  const MechanismNames& names = *m.tree.names;
  std::vector<int> moved_by(m.tree.bodies.size(), -1);  // the joint whose last body it is
  for (std::size_t j = 0; j < names.joints.size(); ++j) {
    const JointInfo& joint = names.joints[j];
    if (joint.kind != JointKind::fixed) moved_by[index(joint.body)] = static_cast<int>(j);
  }
  JointGraph g;
  g.bodies.push_back(names.bodies[0]);
  g.first_body.push_back(0);
  g.vertex_of_body.assign(m.tree.bodies.size(), -1);
  g.vertex_of_body[0] = 0;
  for (int b = 1; b < m.tree.num_bodies(); ++b) {
    const MechanismBody<double>& body = m.tree.bodies[index(b)];
    if (body.kind == Primitive::fixed) {
      g.vertex_of_body[index(b)] = g.vertex_of_body[index(body.parent)];
    } else if (moved_by[index(b)] >= 0) {
      const JointInfo& joint = names.joints[index(moved_by[index(b)])];
      const int before = m.tree.bodies[index(joint.first_body)].parent;
      const int vertex = g.num_vertices();
      g.edges.push_back({joint.name, g.vertex_of_body[index(before)], vertex, moved_by[index(b)],
                         -1, num_velocities(joint.kind)});
      g.bodies.push_back(names.bodies[index(b)]);
      g.first_body.push_back(b);
      g.vertex_of_body[index(b)] = vertex;
    }
  }
  for (std::size_t c = 0; c < m.closures.size(); ++c) {
    const Closure& closure = m.closures[c];
    g.edges.push_back({closure.name, g.vertex_of_body[index(closure.body1)],
                       g.vertex_of_body[index(closure.body2)], -1, static_cast<int>(c),
                       6 - closure.num_rows});
  }
  return g;
}

}  // namespace catena
