// LinkObject and ChainObject: chains of rigid bodies as CHAIN++ writes them [Legnani et al. 1996, 6
// and fig. 5].
//
//   ChainObject robot(read_model("models/puma.yaml"));
//   for (int i = 1; i <= robot.links(); ++i) {
//     LinkObject& link = robot[i];
//     const LinkObject& last = robot[link.previous];
//     link.set_motion(q[i], qp[i], qpp[i]);             // A, W, H: relative, in the frame of the
//     link before link.M0 = last.M0 * link.A; link.W0 = change_frame(last.M0, link.W); link.H0 =
//     change_frame(last.M0, link.H); link.WA = last.WA + link.W0; link.HA = last.HA + link.H0 + 2.0
//     * last.WA * link.W0;  // theorem of Coriolis
//   }
//
// Every matrix is there to look at. For speed see the algorithms beside this file, which keep none
// of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/formulations/homogeneous/matrices.hpp"
#include "catena/model/compile.hpp"

namespace catena::homogeneous {

// SPACELIB's types of joints.
enum JointType { Rev = 0, Pri = 1 };

// A rigid body, the joint that it moves on, and the matrices of both. The names of the matrices are
// those of the paper's program; frame (0) is the base.
struct LinkObject {
  // Description. The pose in the link before is before * motion of the joint * after; z joints act
  // along z.
  std::string name;
  int previous = -1;  // index in the chain of the link before; -1: the one that was added last
  Primitive joint = Primitive::fixed;
  double pitch = 0;  // of a screw joint, metres per radian
  Position<double> before{}, after{};
  PseudoInertia<double> J{};  // in its own frame
  Action<double> external{};  // on this link, in its own frame

  // Motion, of set_motion(): relative to the link before, in the frame of the link before.
  Position<double> A{};
  std::vector<Screw<double>> L;  // the joint's screws, one per velocity
  Velocity<double> W{};
  Acceleration<double> H{};

  // Of ChainObject::kinematics(): in frame (0).
  Position<double> M0{};
  Velocity<double> W0{}, WA{};      // relative, absolute
  Acceleration<double> H0{}, HA{};  // relative, absolute

  // Of ChainObject::dynamics(): in frame (0).
  std::vector<Screw<double>> L0;
  PseudoInertia<double> J0{};
  Action<double> FI{};  // of inertia and weight on this link
  Action<double>
      ACT0{};  // on the joint: FI and external actions of this link and of all that it carries
  std::vector<double> tau;  // forces of the motor, one per velocity: -ACT0 ⊗ L0

  // A link with the extended Denavit-Hartenberg parameters of SPACELIB: Rz(theta) T(a, b, s)
  // Rx(alfa), with the coordinate added to theta (Rev) or s (Pri).
  static LinkObject dh(JointType type, double theta, double s, double b, double a, double alfa);

  // J from mass, moments of inertia about the mass centre (off the diagonal -∫xy dm, as in the
  // tensor) and mass centre.
  LinkObject& set_inertia(double mass, const Sym3<double>& moments, const Vec3<double>& centre);

  // Builds A, L, W and H. A fixed joint has no numbers, a spherical one 4, 3 and 3, a free one 7, 6
  // and 6.
  //   throws  SizeError
  void set_motion(std::span<const double> q, std::span<const double> qp,
                  std::span<const double> qpp);
  void set_motion(double q, double qp, double qpp);
};

// A collection of links, each carried by one before it; a tree unless every link is added to the
// last one. Link 0 is the base, which rests.
class ChainObject {
 public:
  ChainObject();
  // Every body is a link, in its author's frame, and frame (0) is the world; joints with two or
  // three coordinates become several links, of which the first are dummies. A mimic joint has a
  // coordinate of its own; springs, friction and rotors are not part of a chain.
  //   throws  InputError, as compile() does
  explicit ChainObject(const Model& model);
  explicit ChainObject(const Mechanism<double>& m);

  // Returns its index. Throws SizeError if there is no link `previous`.
  int add(LinkObject link);

  int links() const { return static_cast<int>(links_.size()) - 1; }
  LinkObject& operator[](int i) { return links_[static_cast<std::size_t>(i)]; }
  const LinkObject& operator[](int i) const { return links_[static_cast<std::size_t>(i)]; }

  Vec3<double> gravity{0, 0, -9.81};  // in frame (0)

  // The motion of all joints, one after the other.
  //   throws  SizeError
  void set_motion(std::span<const double> q, std::span<const double> qp,
                  std::span<const double> qpp);
  // Absolute matrices from the relative ones, base to tip.
  void kinematics();
  // Actions and motor forces, tip to base.
  void dynamics();
  // All of the above: the forces of all motors, one after the other.
  std::vector<double> inverse_dynamics(std::span<const double> q, std::span<const double> qp,
                                       std::span<const double> qpp);

 private:
  std::vector<LinkObject> links_;
};

}  // namespace catena::homogeneous
