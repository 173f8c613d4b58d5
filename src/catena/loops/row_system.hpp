// Row system: the equations of motion of a tree with closure rows at one state, and their solution.
//
//   M qdd = force + Kᵀ lambda,   K qdd = bias
//
// With M = Lᵀ L and Y = L⁻ᵀ Kᵀ the forces in the loops follow from Yᵀ Y lambda = bias - Yᵀ w,
// w = L⁻ᵀ force, and the accelerations from L qdd = w + Y lambda. What is zero is known once: L has
// entries between a velocity and those above it alone, Y on the way from a loop to the ground, and
// Yᵀ Y is factored in blocks of up to three rows, in an order that keeps it sparse. No memory is
// allocated after construction.
#pragma once

#include <span>
#include <vector>

#include "catena/loops/closure.hpp"
#include "catena/scalar/pack.hpp"

namespace catena {

class RowSystem {
 public:
  // A closure that has rows: its velocities up to the ground.
  struct Support {
    int closure = 0;
    std::vector<int> velocity;  // ascending
    std::vector<int> above;     // index in `velocity`, -1 at the ground
    struct Part {
      int at;  // index in `velocity`
      double sign;
    };
    std::vector<Part> path;  // between its two bodies
    std::vector<int> rows;   // of the mechanism
    std::vector<int> at;     // the same in this system
  };

  // `rows`: for every closure those of its rows that count, in their order here. `rows_alone`: M is
  // not kept, for solve_rows().
  enum class Use { all, rows_alone };
  RowSystem(const Mechanism<double>& tree, const std::vector<Closure>& closures,
            const std::vector<std::vector<int>>& rows, Use use = Use::all);
  RowSystem(const RowSystem&) = delete;  // its parts refer to each other

  const std::vector<Support>& supports() const { return supports_; }
  // Places for rows; there are some that no row has.
  int num_places() const { return static_cast<int>(bias_.size()); }

  // To be filled before solve(): the entries of M between v and those above it, from the ground to
  // v itself, end here.
  double* inertia_end(std::size_t v) { return L_.data() + end_[v]; }
  std::span<double> force() { return force_; }
  std::span<double> bias() { return bias_; }
  // A row of K along its support: that of velocity i is row(at)[i * stride], and the next two rows
  // of a support beside each of the first, fourth, ... Entries that are not on the path are zero
  // already.
  static constexpr int stride = 4;
  double* row(int at) { return Y_.data() + first_Y_[static_cast<std::size_t>(at)]; }
  // Before K is filled.
  void clear_rows();
  // After M and force: drive inertias, springs, dampers and friction of the joints.
  void add_joints(const Mechanism<double>& tree, std::span<const double> q,
                  std::span<const double> qd);

  enum class Outcome {
    good,
    unclear,    // so near a singularity that squares of small numbers decide: use another method
    no_inertia  // a joint of the open tree carries nothing
  };
  Outcome solve(std::span<double> qdd);
  std::span<const double> lambda() const { return x_; }  // by place
  // lambda alone, from bias and `entry(support of i, i, j)` of K M⁻¹ Kᵀ.
  template <class Entry>
  Outcome solve_rows(Entry entry);

  int rank() const { return rank_; }
  // Rows that forbid something depend on each other: lambda is right, but not the smallest.
  bool redundant() const { return redundant_; }
  // The products of numbers (or of packs, for rows) that a solution takes.
  std::size_t num_products() const;

 private:
  struct Shared {  // where the entries of Y of a velocity are in two supports
    std::size_t mine, theirs;
  };
  // Up to three rows of one support, in the lanes of a pack; an entry of the factor of Yᵀ Y, by
  // columns.
  struct Chunk {
    int support, row, rows, velocities;
    const int *velocity, *above;
    std::size_t Y;
    int first_block, end_block;  // the last one is on the diagonal
  };
  struct Block {
    int chunk, columns;
    std::size_t at;
    int first_shared, end_shared;
  };
  struct Kernel;
  friend struct Kernel;

  void find_supports(const std::vector<Closure>& closures,
                     const std::vector<std::vector<int>>& rows);
  void order_supports();
  void find_blocks();
  bool factor_inertia();
  void reduce_rows();
  Outcome solve_filled();
  Outcome factor_rows(bool filled);
  template <int Q>
  void fill_block(const Chunk& mine, const Chunk& theirs, const Block* block, bool filled,
                  Pack<double, stride>& rest);
  bool factor_diagonal(const Chunk& c, const Block& block, bool filled);
  void substitute_back();
  void accelerate(double* qdd);

  std::vector<int> parent_, depth_;
  std::vector<std::size_t> end_;  // of a row of L
  std::vector<double> L_, diagonal_, force_;
  std::vector<Support> supports_;
  std::vector<std::vector<int>> below_;  // supports before one that its rows of the factor reach
  std::vector<Chunk> chunks_;
  std::vector<Block> blocks_;
  std::vector<Shared> shared_;
  std::vector<std::size_t> first_Y_;  // by row
  std::vector<double> Y_, E_, x_, bias_, pivot_;
  int rank_ = 0;
  bool redundant_ = false;
};

template <class Entry>
RowSystem::Outcome RowSystem::solve_rows(Entry entry) {
  for (const Chunk& c : chunks_) {
    for (int b = c.first_block; b < c.end_block; ++b) {
      const Block& block = blocks_[static_cast<std::size_t>(b)];
      const Chunk& d = chunks_[static_cast<std::size_t>(block.chunk)];
      double* to = E_.data() + block.at;
      for (int q = 0; q < d.rows; ++q)
        for (int r = 0; r < c.rows; ++r)
          to[q * stride + r] =
              entry(supports_[static_cast<std::size_t>(c.support)], c.row + r, d.row + q);
    }
  }
  return solve_filled();
}

}  // namespace catena
