// The joint graph: rigid bodies and the joints between them, those of the tree and those of the
// loops alike.
#pragma once

#include <string>
#include <vector>

#include "catena/loops/closed_mechanism.hpp"

namespace catena {

struct GraphEdge {
  std::string name;
  int from = 0, to = 0;  // vertices: parent and child, or body 1 and body 2
  int joint = -1;        // of the tree: index in names->joints; or
  int closure = -1;      // of the loops
  int freedoms = 0;
};

// Bodies that fixed joints of the tree hold together are one vertex.
struct JointGraph {
  std::vector<std::string> bodies;  // by vertex; 0 is the ground
  std::vector<int> first_body;      // by vertex: of the mechanism
  std::vector<int> vertex_of_body;  // by body of the mechanism; -1 between the parts of a joint
  std::vector<GraphEdge> edges;

  int num_vertices() const { return static_cast<int>(bodies.size()); }
  int other_end(const GraphEdge& e, int vertex) const { return e.from == vertex ? e.to : e.from; }
};

JointGraph joint_graph(const ClosedMechanism& m);

}  // namespace catena
