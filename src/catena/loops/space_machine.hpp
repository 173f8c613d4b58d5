// Space machine: the equations of motion of a mechanism with loops, in world axes.
#pragma once

#include <span>
#include <vector>

#include "catena/loops/closed_mechanism.hpp"
#include "catena/loops/row_system.hpp"

namespace catena {

class SpaceMachine {
 public:
  // For mechanisms without mimic joints.
  explicit SpaceMachine(const ClosedMechanism& m);

  // By closure: the rows that forbid anything anywhere. Plane loops have others.
  const std::vector<std::vector<int>>& rows() const { return kept_; }

  // Inertias, forces and rows of a state; or the rows alone.
  //   reads   q [nq], qd [nv], tau [nv], Fext_B [num_bodies] or empty
  //   writes  system, for RowSystem(m.tree, m.closures, rows())
  void fill(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
            std::span<const Force<double>> Fext_B, RowSystem& system);
  void fill_rows_only(std::span<const double> q, std::span<const double> qd, RowSystem& system);
  // After either: accelerations by row of the mechanism that draw open loops back.
  void pull(std::span<const double> rows, RowSystem& system) const;
  // After either: what acts on the bodies, springs too, at Bo in B.
  void external_wrenches(std::span<const Force<double>> Fext_B, std::span<Force<double>> total);
  // The forces of the system's rows, by row of the mechanism.
  void write_lambda(const RowSystem& system, std::span<double> lambda) const;

 private:
  struct Kernel;
  struct RowsKernel;
  friend struct Kernel;
  friend struct RowsKernel;
  // A body's inertia about the ground point of its branch, in world axes: mass, first moment,
  // Euler tensor; and the wrench it needs there.
  struct Load {
    double m = 0;
    Vec3<double> h{};
    Sym3<double> E{};
    Force<double> F{};
  };
  void find_rows();
  void move_out(const double* q, const double* qd);
  void load_bodies();
  void apply(const Force<double>* Fext_B);
  void gather(const double* tau, RowSystem& system);
  void fill_rows(RowSystem& system);

  const ClosedMechanism& m_;
  Workspace<double> w_;
  std::vector<std::vector<int>> kept_;
  std::vector<double> sizes_;  // by row: its largest entry at some configurations, 0: says nothing
  std::vector<char> meets_;    // by closure: three rows say that two points meet
  // By body, in world axes about the place where its branch leaves the ground: far from there
  // digits would get lost.
  std::vector<Pose<double>> X_;
  std::vector<Vec3<double>> ground_;
  std::vector<Motion<double>> V_, A_;
  std::vector<Load> loads_;
  std::vector<Motion<double>> S_;  // by velocity
};

}  // namespace catena
