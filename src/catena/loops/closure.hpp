// Closure: what a joint that closes a loop forbids, as rows of equations.
//
// Every such joint is a few rows of four kinds. A row has a value, which is zero where the loop is
// closed, and a wrench: its rate is the wrench times the relative twist of the two bodies, and a
// force of size lambda in it acts with lambda times that wrench on body 2, and against it on
// body 1.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "catena/model/mechanism.hpp"

namespace catena {

enum class RowKind : std::uint8_t {
  point,      // a point of body 2 stays in a plane of body 1:      a · d = 0
  direction,  // a direction of body 2 keeps its angle to one of body 1:  a · b - cosine = 0
  distance,   // two points keep their distance:                    (d · d - L²) / 2L = 0
  screw,      // a point of body 2 moves along a as body 2 turns about it:  a · d - pitch angle = 0
};

// d leads from point 1 to point 2.
struct ClosureRow {
  RowKind kind = RowKind::point;
  int closure = 0;
  Vec3<double> a{};       // on body 1, in B1
  Vec3<double> b{};       // on body 2, in B2
  Vec3<double> x{}, y{};  // screw: b is measured from x towards y, in B1
  double parameter = 0;   // length, pitch or cosine
  // Baumgarte's stabilisation: what an open row is drawn back with. 0: not at all.
  double rate_gain = 0, value_gain = 0;
};

// A velocity between the two bodies of a loop: +1 if it moves body 2, -1 if body 1.
struct PathEntry {
  int velocity;  // of the tree
  double sign;
};

struct Closure {
  std::string name;
  JointKind kind = JointKind::revolute;
  bool rod = false;
  int body1 = 0, body2 = 0;      // of the mechanism
  Pose<double> X_1{}, X_2{};     // L1 in B1, L2 in B2
  Vec3<double> axis{}, axis2{};  // in L1
  int first_row = 0, num_rows = 0;
  std::vector<PathEntry> path;
  Where where{};
};

// A body in the world.
template <class T>
struct BodyInWorldOf {
  Pose<T> X;
  Vec3<T> w, v;      // twist, v of Bo
  Vec3<T> alpha, a;  // acceleration, a of Bo
};
using BodyInWorld = BodyInWorldOf<double>;

// Two unit vectors that make a right-handed frame with a third.
std::pair<Vec3<double>, Vec3<double>> normals(const Vec3<double>& u);

// The value of a row.
double closure_value(const ClosureRow& row, const Closure& closure, const Pose<double>& X_W1,
                     const Pose<double>& X_W2);
// Its wrench, in world axes about the world's origin. (T is double, Symbolic or Dual.)
template <class T>
Force<T> closure_wrench(const ClosureRow& row, const Closure& closure, const Pose<T>& X_W1,
                        const Pose<T>& X_W2);
// The second derivative of its value in time, for the accelerations that the bodies have; where a
// row has gains, with rate_gain times its rate and value_gain times its value added (double only).
template <class T>
T closure_acceleration(const ClosureRow& row, const Closure& closure, const BodyInWorldOf<T>& one,
                       const BodyInWorldOf<T>& two);

// The rows of a joint of this kind, for a closure whose frames are known.
std::vector<ClosureRow> closure_rows(const Closure& closure, int index, double pitch,
                                     double length);

}  // namespace catena
