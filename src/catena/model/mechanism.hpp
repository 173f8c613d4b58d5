// Mechanism: what algorithms eat. Flat arrays, parents first, every joint along its local z.
//
// Body 0 is the world. Bodies are numbered depth first, so that a parent comes before its children
// and a subtree is a contiguous range. The pose of body B in its parent P is
//
//   X_PB(q) = Rx(alpha) T(px, py, 0) Rz(theta) Tz(d)      revolute: theta = q + theta0, d = 0
//                                                         prismatic: theta = theta0, d = q
//                                                         screw: theta = q + theta0, d = pitch q
//                                                         fixed: theta = theta0, d = 0
//
// which compile() makes true for every tree by its choice of body frames. Spherical and free joints
// have a constant pose X_PJ followed by a rotation (and translation) of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catena/model/model.hpp"
#include "catena/scalar/scalar.hpp"
#include "catena/spatial/spatial.hpp"

namespace catena {

// The closed list of joints that algorithms know.
enum class Primitive : std::uint8_t { fixed, revolute, prismatic, screw, spherical, free };

template <class C>
struct MechanismBody {
  // Placement of the joint in the parent, and the constant part of the joint.
  C ca{1}, sa{0};  // cosine and sine of alpha
  C px{0}, py{0};
  Vec3<C> p{};  // (px, py, 0) in the parent's axes: Bo in P for d = 0
  C theta0{0};
  C c0{1}, s0{0};  // cosine and sine of theta0
  C pitch{0};      // screw: metres per radian
  Inertia<C> M{};  // about Bo, in B
  Sym3<C> E{};     // its Euler tensor, the integral of r rᵀ dm: tr(I)/2 1 - I
  int parent = 0;
  int q = 0, v = 0;       // first position and velocity coordinate of its joint (tree coordinates)
  int dense = -1;         // index into X_PJ for spherical and free joints
  int subtree_end = 0;    // one past the last body of its subtree
  int subtree_end_v = 0;  // one past the last velocity of its subtree
  Primitive kind = Primitive::fixed;
  bool massless = true;
};

int num_velocities(Primitive kind);
int num_positions(Primitive kind);

// A joint as the author named it. Coordinates are in the order the joint's kind lists them.
struct JointInfo {
  std::string name;
  JointKind kind = JointKind::fixed;
  int q = 0, nq = 0;  // positions, in the user's vectors; a mimic joint has none of its own
  int v = 0, nv = 0;  // velocities
  int tree_q = 0, tree_v = 0;  // the same in tree coordinates, where a mimic joint has its own
  int body = 0;                // the body it moves (the last one of a composition)
  int first_body = 0;          // the first one of a composition
  bool mimic = false;
  Pose<double> X_BM{};  // its moving frame M in the body's frame
  JointLimits limits{};
};

// A body's frame or a named frame, as the author wrote it.
struct FrameInfo {
  std::string name;
  int body = 0;  // of the mechanism
  Pose<double> X_BF{};
  bool is_body = false;  // the frame of a model's body
};

// Names and places: shared by all scalars of one mechanism.
struct MechanismNames {
  std::string model;
  std::vector<std::string> bodies;  // the author's name, or one made from the joint's
  std::vector<JointInfo> joints;    // depth first
  std::vector<FrameInfo> frames;

  int joint(const std::string& name) const;  // index, or -1
  int frame(const std::string& name) const;
};

// A tree coordinate as a function of the user's: ratio * user[index] + offset.
template <class C>
struct CoordinateMap {
  int index = 0;
  C ratio{1};
  C offset{0};
};

template <class C>
struct Mechanism {
  std::vector<MechanismBody<C>> bodies;
  std::vector<Pose<C>> X_PJ;      // constant placements of spherical and free joints
  std::vector<int> dense_bodies;  // the bodies that these joints move
  std::vector<C> angle_offset;    // by tree position: theta0 of a joint that turns about z, else 0
  // The world's canonical frame (body 0) stands on the first joint, where that acts along an axis.
  Pose<C> X_W0{};
  Vec3<C> gravity{};    // in the world
  Vec3<C> gravity_0{};  // in body 0
  int nq = 0, nv = 0;   // the user's coordinates

  // Tree coordinates differ from the user's only if joints are coupled (mimic).
  int tree_nq = 0, tree_nv = 0;
  bool coupled = false;
  std::vector<CoordinateMap<C>> q_map, v_map;  // by tree coordinate

  // Per tree velocity: drive inertia, passive forces, the position it springs from.
  std::vector<C> armature, viscous, coulomb, stiffness, rest;
  std::vector<int> q_of_v;       // position coordinate of a velocity, -1 if it has none
  std::vector<int> parent_of_v;  // the velocity above it in the tree, -1 at the root
  std::vector<int> body_of_v;    // the body that the velocity moves
  std::vector<int> run_begin_v;  // first of the neighbours up to v that stand above each other
  bool has_armature = false, has_passive = false;
  bool deep = false;      // velocities have many others above them, on average
  bool branched = false;  // not one chain from the ground to a tip

  std::shared_ptr<const MechanismNames> names;

  int num_bodies() const { return static_cast<int>(bodies.size()); }
};

// The same mechanism with constants of another scalar.
template <class C>
Mechanism<C> cast(const Mechanism<double>& m);

}  // namespace catena
