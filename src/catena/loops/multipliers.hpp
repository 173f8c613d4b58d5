// Multipliers: forward dynamics of closed mechanisms, quickly.
//
// With M = Lᵀ L and Y = L⁻ᵀ Kᵀ the forces in the loops follow from Yᵀ Y lambda = -k - Yᵀ w, w = L⁻ᵀ
// (tau - h), and the accelerations from L qdd = w + Y lambda. Everything is computed in world axes
// in one way out to the tips and one way back; L keeps entries between a velocity and those above
// it alone, Y those on the way from a loop to the ground, and Yᵀ Y is a band along the loops. For
// long chains M⁻¹ Kᵀ comes from articulated bodies instead, row by row in O(n). No memory is
// allocated after construction.
#pragma once

#include <span>
#include <vector>

#include "catena/loops/closed_mechanism.hpp"

namespace catena {

class Multipliers {
 public:
  // For mechanisms without mimic joints.
  explicit Multipliers(const ClosedMechanism& m);

  enum class Outcome {
    good,
    unclear,    // so near a singularity that squares of small numbers decide: use another method
    no_inertia  // a joint of the open tree carries nothing
  };
  //   reads   q [nq], qd [nv], tau [nv], Fext_B [num_bodies] or empty: at Bo, in B
  //   writes  qdd [nv], lambda [rows]; not meaningful unless the outcome is good
  Outcome solve(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                std::span<const Force<double>> Fext_B, std::span<double> qdd,
                std::span<double> lambda);

  int rank() const { return rank_; }
  // Rows that forbid something depend on each other: lambda is right, but not the smallest.
  bool redundant() const { return redundant_; }

 private:
  // A closure's velocities up to the ground, and where its rows are.
  struct Support {
    int closure = 0;
    std::vector<int> velocity;  // ascending
    std::vector<int> parent;    // index in `velocity`, -1 at the ground
    struct Part {
      int at;  // index in `velocity`
      double sign;
    };
    std::vector<Part> path;
    int row = 0, rows = 0;  // in the order of the solution, of those that forbid anything
    int step = 0;           // rows that there is room for
    std::size_t Y = 0;      // first entry
    struct Shared {
      int mine, theirs;
    };
    std::vector<int> others;                  // supports before this one that share velocities
    std::vector<std::vector<Shared>> shared;  // by `others`
  };

  void find_supports();
  void move_out(std::span<const double> q, std::span<const double> qd);
  void apply_forces(std::span<const Force<double>> Fext_B);
  void gather(std::span<const double> q, std::span<const double> qd, std::span<const double> tau);
  bool factor();
  void fill_rows(Support& s);
  void place_rows();
  void fill_products(const Support& s);
  Outcome factor_rows();
  void solve_rows();
  void find_directions(Support& s, double* K, int stride);
  Outcome solve_deep(std::span<const double> q, std::span<const double> qd,
                     std::span<const double> tau, std::span<const Force<double>> Fext_B,
                     std::span<double> qdd, std::span<double> lambda);

  const ClosedMechanism& m_;
  Workspace<double> w_;
  // By body, in world axes about the place where its branch leaves the ground: far from there
  // digits would get lost.
  std::vector<Pose<double>> X_;
  std::vector<Vec3<double>> place_;
  std::vector<Motion<double>> V_, A_;
  std::vector<Inertia<double>> I_;
  std::vector<Force<double>> F_;
  // by velocity
  std::vector<Motion<double>> S_;
  std::vector<int> parent_, depth_;
  std::vector<std::size_t> first_;  // of a row of L
  std::vector<double> L_, diagonal_, force_;
  // by row, in the order of the solution
  std::vector<Support> supports_;
  std::vector<double> Y_, E_, x_, bias_;
  std::vector<int> begin_, row_of_;
  std::vector<std::size_t> first_E_;
  std::vector<double> pivot_;
  // long chains: rows of K on their paths, M⁻¹ Kᵀ by rows, wrenches with springs among them
  bool deep_ = false;
  std::vector<double> K_, Z_;
  std::vector<Force<double>> Fext_B_;
  int num_rows_ = 0, rank_ = 0;
  bool redundant_ = false;
};

}  // namespace catena
