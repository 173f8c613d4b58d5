// Plane machine: a mechanism that moves in one plane, in two dimensions.
//
// All its axes are parallel and all slides normal to them. Angles then add up along a branch, no
// body has an angular acceleration of its own, and what is forbidden across the plane says nothing:
// equations of motion cost a fraction of those in space.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "catena/loops/closed_mechanism.hpp"
#include "catena/loops/row_system.hpp"

namespace catena {

class PlaneMachine {
 public:
  // Nothing if the mechanism does not move in a plane.
  static std::optional<PlaneMachine> of(const ClosedMechanism& m);

  // By closure: the rows that forbid a motion in the plane.
  const std::vector<std::vector<int>>& rows() const { return kept_; }
  // Inertias, forces and rows of a state.
  //   reads   q, qd, tau [nv], Fext_B [num_bodies] or empty
  //   writes  system, for RowSystem(m.tree, m.closures, rows())
  void fill(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
            std::span<const Force<double>> Fext_B, RowSystem& system);
  // After fill(): accelerations by row of the mechanism that draw open loops back.
  void pull(std::span<const double> rows, RowSystem& system) const;

 private:
  struct Vec2 {
    double x = 0, y = 0;
  };
  // Vectors are those at q = 0, in axes of the plane: there all bodies stand alike.
  struct Body {
    int parent = 0, q = 0;
    bool turns = false, heavy = false, on_ground = false;
    double sign = 1;      // of a turn about the plane's normal
    Vec2 r{}, u{}, c{};   // from the parent's origin; way of a slide; mass centre from the origin
    double m = 0, J = 0;  // about the mass centre
    Mat3<double> R{};     // of the body's frame
  };
  struct Row {
    RowKind kind = RowKind::point;
    Vec2 a{}, b{};
    double a_n = 0, parameter = 0;
  };
  struct Ends {  // of a closure or a spring
    int body1 = 0, body2 = 0;
    Vec2 p1{}, p2{};
    double across = 0;  // how far apart normal to the plane
  };
  struct PlaneSpring {
    Ends ends;
    double stiffness = 0, damping = 0, length = 0;
  };
  struct Place {
    double c = 1, s = 0;  // of its angle
    Vec2 p{}, v{}, a{};   // origin; its velocity and acceleration for qdd = 0
    double w = 0;
  };
  struct Load {  // wrench about the ground point of the branch; mass, first and second moment there
    double n = 0, m = 0, I = 0;
    Vec2 f{}, h{};
  };
  struct Along {  // what a velocity does at its branch's ground point
    double w = 0;
    Vec2 v{};
  };
  struct Kernel;
  friend struct Kernel;

  PlaneMachine() = default;
  Ends ends_of(int body1, const Vec3<double>& point1, int body2, const Vec3<double>& point2,
               const std::vector<Pose<double>>& X_WB) const;
  Vec2 in_plane(const Vec3<double>& v) const { return {dot(e1_, v), dot(e2_, v)}; }
  void add_rows(const ClosedMechanism& m, const std::vector<Pose<double>>& X_WB);
  void move_out(const double* q, const double* qd);
  void apply(const Force<double>* Fext_B);
  void gather(const double* tau, RowSystem& system);
  void fill_rows(RowSystem& system);

  const Mechanism<double>* tree_ = nullptr;
  Vec3<double> e1_{}, e2_{}, n_{};
  Vec2 gravity_{};
  std::vector<Body> bodies_;
  std::vector<Vec2>
      ground_;              // by body: where its branch leaves the ground, from the world's origin
  std::vector<Ends> ends_;  // by closure
  std::vector<Row> rows_;   // by row of the mechanism
  std::vector<std::vector<int>> kept_;
  std::vector<PlaneSpring> springs_;
  std::vector<Place> places_;
  std::vector<Load> loads_;
  std::vector<Along> along_;  // by velocity
  std::vector<double> angle_, zero_, cosine_, sine_;
};

}  // namespace catena
