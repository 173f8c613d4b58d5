#include "catena/loops/row_system.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "catena/model/coordinates.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {
namespace {

// Pivots relative to what they were at first: below `lost` a row says nothing new, above `clear` it
// does; in between rounding has a say.
constexpr double lost = 1e-13, clear = 1e-6;

}  // namespace

RowSystem::RowSystem(const Mechanism<double>& tree, const std::vector<Closure>& closures,
                     const std::vector<std::vector<int>>& rows, Use use)
    : parent_(tree.parent_of_v),
      depth_(parent_.size()),
      first_(parent_.size()),
      diagonal_(parent_.size()),
      force_(parent_.size()) {
  std::size_t entries = 0;
  for (std::size_t v = 0; v < parent_.size(); ++v) {
    depth_[v] = parent_[v] < 0 ? 0 : depth_[index(parent_[v])] + 1;
    first_[v] = entries;
    entries += index(depth_[v]) + 1;
  }
  if (use == Use::all) L_.resize(entries);
  find_supports(closures, rows);
  order_supports();
  find_blocks();
}

void RowSystem::find_supports(const std::vector<Closure>& closures,
                              const std::vector<std::vector<int>>& rows) {
  for (std::size_t c = 0; c < closures.size(); ++c) {
    if (rows[c].empty()) continue;
    Support s;
    s.closure = static_cast<int>(c);
    s.rows = rows[c];
    for (const PathEntry& entry : closures[c].path) {
      for (int v = entry.velocity; v >= 0; v = parent_[index(v)]) s.velocity.push_back(v);
    }
    std::sort(s.velocity.begin(), s.velocity.end());
    s.velocity.erase(std::unique(s.velocity.begin(), s.velocity.end()), s.velocity.end());
    const auto place = [&](int v) {
      const auto at = std::lower_bound(s.velocity.begin(), s.velocity.end(), v);
      return static_cast<int>(at - s.velocity.begin());
    };
    for (int v : s.velocity)
      s.above.push_back(parent_[index(v)] < 0 ? -1 : place(parent_[index(v)]));
    for (const PathEntry& entry : closures[c].path)
      s.path.push_back({place(entry.velocity), entry.sign});
    supports_.push_back(s);
  }
}

// Minimum degree: the loop that shares velocities with the fewest others is eliminated next; those
// others then touch each other.
void RowSystem::order_supports() {
  const int n = static_cast<int>(supports_.size());
  std::vector<std::vector<int>> by_velocity(parent_.size());
  for (int s = 0; s < n; ++s)
    for (int v : supports_[index(s)].velocity) by_velocity[index(v)].push_back(s);
  std::vector<std::set<int>> near(supports_.size());
  for (const auto& all : by_velocity) {
    for (int s : all)
      for (int t : all)
        if (s != t) near[index(s)].insert(t);
  }
  std::set<std::pair<std::size_t, int>> waiting;
  for (int s = 0; s < n; ++s) waiting.insert({near[index(s)].size(), s});
  std::vector<int> order, position(supports_.size());
  std::vector<std::vector<int>> later(supports_.size());
  while (!waiting.empty()) {
    const int s = waiting.begin()->second;
    waiting.erase(waiting.begin());
    position[index(s)] = static_cast<int>(order.size());
    order.push_back(s);
    later[index(s)].assign(near[index(s)].begin(), near[index(s)].end());
    for (int t : later[index(s)]) {
      auto& mine = near[index(t)];
      waiting.erase({mine.size(), t});
      mine.erase(s);
      for (int u : later[index(s)])
        if (u != t) mine.insert(u);
      waiting.insert({mine.size(), t});
    }
  }
  std::vector<Support> sorted;
  below_.resize(supports_.size());
  for (int s : order) {
    for (int t : later[index(s)])
      below_[index(position[index(t)])].push_back(position[index(s)]);
    sorted.push_back(std::move(supports_[index(s)]));
  }
  supports_ = std::move(sorted);
}

void RowSystem::find_blocks() {
  std::vector<std::vector<int>> chunks_of(supports_.size());
  std::size_t entries_Y = 0, entries_E = 0;
  for (std::size_t i = 0; i < supports_.size(); ++i) {
    Support& s = supports_[i];
    s.first_row = num_rows();
    std::map<int, std::pair<int, int>> shared;  // by support: a range of shared_
    std::vector<int> reached = below_[i];
    reached.push_back(static_cast<int>(i));
    for (int j : reached) {
      const Support& other = supports_[index(j)];
      const int begin = static_cast<int>(shared_.size());
      for (std::size_t a = 0, b = 0; a < s.velocity.size() && b < other.velocity.size();) {
        if (s.velocity[a] == other.velocity[b])
          shared_.push_back({static_cast<int>(a++), static_cast<int>(b++)});
        else
          s.velocity[a] < other.velocity[b] ? ++a : ++b;
      }
      shared[j] = {begin, static_cast<int>(shared_.size())};
    }
    const int rows = static_cast<int>(s.rows.size());
    for (int from = 0; from < rows; from += 3) {
      Chunk c{static_cast<int>(i), s.first_row + from, std::min(3, rows - from), entries_Y,
              static_cast<int>(blocks_.size()), 0};
      chunks_of[i].push_back(static_cast<int>(chunks_.size()));
      for (int r = 0; r < c.rows; ++r) {
        places_.push_back({entries_Y + index(r), c.rows});
        row_of_.push_back(s.rows[index(from + r)]);
      }
      entries_Y += s.velocity.size() * index(c.rows);
      chunks_.push_back(c);
      for (int j : reached) {
        for (int d : chunks_of[index(j)]) {
          blocks_.push_back({d, entries_E, shared[j].first, shared[j].second});
          entries_E += index(c.rows * chunks_[index(d)].rows);
        }
      }
      chunks_.back().end_block = static_cast<int>(blocks_.size());
    }
  }
  Y_.resize(entries_Y), E_.resize(entries_E);
  x_.resize(row_of_.size()), bias_.resize(row_of_.size()), pivot_.resize(row_of_.size());
}

void RowSystem::clear_rows() { std::fill(Y_.begin(), Y_.end(), 0.0); }

void RowSystem::add_joints(const Mechanism<double>& tree, std::span<const double> q,
                           std::span<const double> qd) {
  for (std::size_t v = 0; tree.has_armature && v < parent_.size(); ++v)
    L_[first_[v] + index(depth_[v])] += tree.armature[v];
  for (std::size_t v = 0; tree.has_passive && v < parent_.size(); ++v) {
    const double rate = qd[v], sign = rate > 0 ? 1 : rate < 0 ? -1 : 0;
    force_[v] -= tree.viscous[v] * rate + tree.coulomb[v] * sign;
    if (tree.q_of_v[v] >= 0)
      force_[v] -= tree.stiffness[v] * (q[index(tree.q_of_v[v])] - tree.rest[v]);
  }
}

// M = Lᵀ L from the tips to the base; force becomes w = L⁻ᵀ force. The diagonal is kept inverted.
inline bool RowSystem::factor_inertia() {
  const std::size_t n = parent_.size();
  const int* const parent = parent_.data();
  const int* const depth = depth_.data();
  double* const force = force_.data();
  for (std::size_t v = 0; v < n; ++v) diagonal_[v] = L_[first_[v] + index(depth[v])];
  for (std::size_t v = n; v-- > 0;) {
    double* const mine = L_.data() + first_[v];
    const double pivot = mine[depth[v]];
    if (!(pivot > 1e-14 * diagonal_[v])) return false;
    const double scale = 1 / std::sqrt(pivot);
    for (int k = 0; k < depth[v]; ++k) mine[k] *= scale;
    mine[depth[v]] = scale;
    const double w = force[v] *= scale;
    for (int a = parent[v]; a >= 0; a = parent[a]) {
      double* const above = L_.data() + first_[index(a)];
      const double size = mine[depth[a]];
      for (int k = 0; k <= depth[a]; ++k) above[k] -= size * mine[k];
      force[a] -= size * w;
    }
  }
  return true;
}

// K becomes Y, bias becomes bias - Yᵀ w.
inline void RowSystem::reduce_rows() {
  for (const Chunk& c : chunks_) {
    const Support& s = supports_[index(c.support)];
    const int* const velocity = s.velocity.data();
    const int* const above = s.above.data();
    double* const Y = Y_.data() + c.Y;
    double* const bias = bias_.data() + c.row;
    const auto reduce = [&](auto rows) {
      constexpr int R = decltype(rows)::value;
      double known[R] = {};
      for (int i = static_cast<int>(s.velocity.size()) - 1; i >= 0; --i) {
        const std::size_t v = index(velocity[i]);
        const double* L = L_.data() + first_[v] + depth_[v];
        double y[R];
        for (int r = 0; r < R; ++r) {
          y[r] = Y[i * R + r] * *L;
          Y[i * R + r] = y[r];
          known[r] += y[r] * force_[v];
        }
        for (int a = above[i]; a >= 0; a = above[a]) {
          --L;
          for (int r = 0; r < R; ++r) Y[a * R + r] -= *L * y[r];
        }
      }
      for (int r = 0; r < R; ++r) bias[r] -= known[r];
    };
    if (c.rows == 3) reduce(std::integral_constant<int, 3>{});
    if (c.rows == 2) reduce(std::integral_constant<int, 2>{});
    if (c.rows == 1) reduce(std::integral_constant<int, 1>{});
  }
}

// An entry of the factor left of the diagonal: (Yᵀ Y less what the columns before say) over the
// factor on the diagonal of `theirs`.
template <int R, int Q>
inline void RowSystem::fill_block(const Chunk& mine, const Chunk& theirs, const Block* block,
                                  bool filled) {
  double sum[R][Q] = {};
  double* const to = E_.data() + block->at;
  if (filled) {
    for (int r = 0; r < R; ++r)
      for (int q = 0; q < Q; ++q) sum[r][q] = to[r * Q + q];
  } else {
    const double *const Y = Y_.data() + mine.Y, *const Z = Y_.data() + theirs.Y;
    for (int k = block->first_shared; k < block->end_shared; ++k) {
      const double *const y = Y + shared_[index(k)].mine * R,
                          *const z = Z + shared_[index(k)].theirs * Q;
      for (int r = 0; r < R; ++r)
        for (int q = 0; q < Q; ++q) sum[r][q] += y[r] * z[q];
    }
  }
  const Block *a = blocks_.data() + mine.first_block, *b = blocks_.data() + theirs.first_block;
  const Block* const end = blocks_.data() + theirs.end_block - 1;
  while (a != block && b != end) {
    if (a->chunk != b->chunk) {
      a->chunk < b->chunk ? ++a : ++b;
      continue;
    }
    const int n = chunks_[index(a->chunk)].rows;
    const double *const x = E_.data() + a->at, *const y = E_.data() + b->at;
    for (int k = 0; k < n; ++k)
      for (int r = 0; r < R; ++r)
        for (int q = 0; q < Q; ++q) sum[r][q] -= x[r * n + k] * y[q * n + k];
    ++a, ++b;
  }
  const double *const D = E_.data() + end->at, *const pivot = pivot_.data() + theirs.row;
  for (int q = 0; q < Q; ++q) {
    for (int r = 0; r < R; ++r) {
      double x = sum[r][q];
      for (int p = 0; p < q; ++p) x -= sum[r][p] * D[q * Q + p];
      to[r * Q + q] = sum[r][q] = x * pivot[q];
    }
  }
}

// The entry on the diagonal; a row that says nothing new gets no pivot and no force.
template <int R>
inline bool RowSystem::factor_diagonal(const Chunk& c, const Block& block, bool filled) {
  double sum[R][R] = {}, whole[R];
  double* const to = E_.data() + block.at;
  if (filled) {
    for (int r = 0; r < R; ++r)
      for (int q = 0; q <= r; ++q) sum[r][q] = to[r * R + q];
  } else {
    const double* y = Y_.data() + c.Y;
    for (std::size_t i = supports_[index(c.support)].velocity.size(); i > 0; --i, y += R)
      for (int r = 0; r < R; ++r)
        for (int q = 0; q <= r; ++q) sum[r][q] += y[r] * y[q];
  }
  for (int r = 0; r < R; ++r) whole[r] = sum[r][r];
  for (const Block* b = blocks_.data() + c.first_block; b != &block; ++b) {
    const int n = chunks_[index(b->chunk)].rows;
    const double* const x = E_.data() + b->at;
    for (int k = 0; k < n; ++k)
      for (int r = 0; r < R; ++r)
        for (int q = 0; q <= r; ++q) sum[r][q] -= x[r * n + k] * x[q * n + k];
  }
  for (int q = 0; q < R; ++q) {
    for (int p = 0; p < q; ++p) sum[q][q] -= sum[q][p] * sum[q][p];
    const double pivot = sum[q][q];
    double scale = 0;
    if (pivot <= lost * whole[q]) {
      redundant_ = redundant_ || whole[q] > 0;
      for (int p = 0; p < q; ++p) sum[q][p] = 0;
      for (const Block* b = blocks_.data() + c.first_block; b != &block; ++b) {
        const int n = chunks_[index(b->chunk)].rows;
        for (int k = 0; k < n; ++k) E_[b->at + index(q * n + k)] = 0;
      }
    } else {
      if (pivot < clear * whole[q]) return false;
      scale = 1 / std::sqrt(pivot);
      ++rank_;
    }
    pivot_[index(c.row + q)] = scale;
    for (int r = q + 1; r < R; ++r) {
      for (int p = 0; p < q; ++p) sum[r][q] -= sum[r][p] * sum[q][p];
      sum[r][q] *= scale;
    }
  }
  for (int r = 0; r < R; ++r)
    for (int q = 0; q < r; ++q) to[r * R + q] = sum[r][q];
  return true;
}

// The factor of Yᵀ Y, row by row.
inline RowSystem::Outcome RowSystem::factor_rows(bool filled) {
  rank_ = 0, redundant_ = false;
  for (const Chunk& c : chunks_) {
    const auto fill = [&](auto rows) {
      constexpr int R = decltype(rows)::value;
      const Block* block = blocks_.data() + c.first_block;
      const Block* const diagonal = blocks_.data() + c.end_block - 1;
      for (; block != diagonal; ++block) {
        const Chunk& d = chunks_[index(block->chunk)];
        if (d.rows == 3)
          fill_block<R, 3>(c, d, block, filled);
        else if (d.rows == 2)
          fill_block<R, 2>(c, d, block, filled);
        else
          fill_block<R, 1>(c, d, block, filled);
      }
      return factor_diagonal<R>(c, *diagonal, filled);
    };
    const bool good = c.rows == 3   ? fill(std::integral_constant<int, 3>{})
                      : c.rows == 2 ? fill(std::integral_constant<int, 2>{})
                                    : fill(std::integral_constant<int, 1>{});
    if (!good) return Outcome::unclear;
  }
  return Outcome::good;
}

// x from the factor of Yᵀ Y and bias.
inline void RowSystem::substitute() {
  for (const Chunk& c : chunks_) {
    double* const x = x_.data() + c.row;
    double rest[3];
    for (int r = 0; r < c.rows; ++r) rest[r] = bias_[index(c.row + r)];
    const Block* block = blocks_.data() + c.first_block;
    const Block* const diagonal = blocks_.data() + c.end_block - 1;
    for (; block != diagonal; ++block) {
      const Chunk& d = chunks_[index(block->chunk)];
      const double *const E = E_.data() + block->at, *const y = x_.data() + d.row;
      for (int k = 0; k < d.rows; ++k)
        for (int r = 0; r < c.rows; ++r) rest[r] -= E[r * d.rows + k] * y[k];
    }
    const double* const D = E_.data() + diagonal->at;
    for (int r = 0; r < c.rows; ++r) {
      for (int q = 0; q < r; ++q) rest[r] -= D[r * c.rows + q] * x[q];
      x[r] = rest[r] * pivot_[index(c.row + r)];
    }
  }
  for (std::size_t i = chunks_.size(); i-- > 0;) {
    const Chunk& c = chunks_[i];
    double* const x = x_.data() + c.row;
    const Block* block = blocks_.data() + c.first_block;
    const Block* const diagonal = blocks_.data() + c.end_block - 1;
    const double* const D = E_.data() + diagonal->at;
    for (int r = c.rows - 1; r >= 0; --r) {
      x[r] *= pivot_[index(c.row + r)];
      for (int q = 0; q < r; ++q) x[q] -= D[r * c.rows + q] * x[r];
    }
    for (; block != diagonal; ++block) {
      const Chunk& d = chunks_[index(block->chunk)];
      const double* const E = E_.data() + block->at;
      double* const y = x_.data() + d.row;
      for (int k = 0; k < d.rows; ++k)
        for (int r = 0; r < c.rows; ++r) y[k] -= E[r * d.rows + k] * x[r];
    }
  }
}

// L qdd = w + Y lambda, base to tips.
inline void RowSystem::accelerate(double* qdd) {
  for (const Chunk& c : chunks_) {
    const std::vector<int>& velocity = supports_[index(c.support)].velocity;
    const double *y = Y_.data() + c.Y, *const x = x_.data() + c.row;
    for (std::size_t i = 0; i < velocity.size(); ++i, y += c.rows) {
      double sum = y[0] * x[0];
      for (int r = 1; r < c.rows; ++r) sum += y[r] * x[r];
      force_[index(velocity[i])] += sum;
    }
  }
  for (std::size_t v = 0; v < parent_.size(); ++v) {
    const double* const row = L_.data() + first_[v];
    double rest = force_[v];
    for (int a = parent_[v]; a >= 0; a = parent_[index(a)])
      rest -= row[depth_[index(a)]] * qdd[a];
    qdd[v] = rest * row[depth_[v]];
  }
}

struct RowSystem::Kernel {
  static void run(RowSystem* s, double* qdd, Outcome* outcome) {
    *outcome = Outcome::no_inertia;
    if (!s->factor_inertia()) return;
    s->reduce_rows();
    *outcome = s->factor_rows(false);
    if (*outcome != Outcome::good) return;
    s->substitute();
    s->accelerate(qdd);
  }
};

RowSystem::Outcome RowSystem::solve(std::span<double> qdd) {
  Outcome outcome{};
  run_kernel<double, Kernel>(this, qdd.data(), &outcome);
  return outcome;
}

RowSystem::Outcome RowSystem::solve_filled() {
  const Outcome outcome = factor_rows(true);
  if (outcome == Outcome::good) substitute();
  return outcome;
}

}  // namespace catena
