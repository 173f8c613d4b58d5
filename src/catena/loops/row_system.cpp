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

// Three rows and an empty lane.
using Lanes3 = Pack<double, RowSystem::stride>;

// A number that is not made a pack first is spread by the load itself.
Lanes3 times(const Lanes3& a, double b) { return Lanes3(a.lanes * b); }

}  // namespace

RowSystem::RowSystem(const Mechanism<double>& tree, const std::vector<Closure>& closures,
                     const std::vector<std::vector<int>>& rows, Use use)
    : parent_(tree.parent_of_v),
      depth_(parent_.size()),
      end_(parent_.size()),
      diagonal_(parent_.size()),
      force_(parent_.size()) {
  std::size_t entries = 0;
  for (std::size_t v = 0; v < parent_.size(); ++v) {
    depth_[v] = parent_[v] < 0 ? 0 : depth_[index(parent_[v])] + 1;
    entries += index(depth_[v]) + 1;
    end_[v] = entries;
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
    for (int t : later[index(s)]) below_[index(position[index(t)])].push_back(position[index(s)]);
    sorted.push_back(std::move(supports_[index(s)]));
  }
  supports_ = std::move(sorted);
}

void RowSystem::find_blocks() {
  std::vector<std::vector<int>> chunks_of(supports_.size());
  std::size_t entries_Y = 0, entries_E = 0;
  for (std::size_t i = 0; i < supports_.size(); ++i) {
    Support& s = supports_[i];
    std::map<int, std::pair<int, int>> shared;  // by support: a range of shared_
    std::vector<int> reached = below_[i];
    reached.push_back(static_cast<int>(i));
    for (int j : reached) {
      const Support& other = supports_[index(j)];
      const int begin = static_cast<int>(shared_.size());
      for (std::size_t a = 0, b = 0; a < s.velocity.size() && b < other.velocity.size();) {
        if (s.velocity[a] == other.velocity[b])
          shared_.push_back({a++ * stride, b++ * stride});
        else
          s.velocity[a] < other.velocity[b] ? ++a : ++b;
      }
      shared[j] = {begin, static_cast<int>(shared_.size())};
    }
    const int rows = static_cast<int>(s.rows.size());
    for (int from = 0; from < rows; from += 3) {
      Chunk c{};
      c.support = static_cast<int>(i), c.rows = std::min(3, rows - from);
      c.row = stride * static_cast<int>(chunks_.size());
      c.velocities = static_cast<int>(s.velocity.size());
      c.velocity = s.velocity.data(), c.above = s.above.data();
      c.Y = entries_Y, c.first_block = static_cast<int>(blocks_.size());
      chunks_of[i].push_back(static_cast<int>(chunks_.size()));
      for (int r = 0; r < stride; ++r) {
        first_Y_.push_back(entries_Y + index(r));
        if (r < c.rows) s.at.push_back(c.row + r);
      }
      entries_Y += s.velocity.size() * stride;
      chunks_.push_back(c);
      for (int j : reached) {
        for (int d : chunks_of[index(j)]) {
          blocks_.push_back(
              {d, chunks_[index(d)].rows, entries_E, shared[j].first, shared[j].second});
          entries_E += index(stride * chunks_[index(d)].rows);
        }
      }
      chunks_.back().end_block = static_cast<int>(blocks_.size());
    }
  }
  Y_.resize(entries_Y), E_.resize(entries_E);
  x_.resize(first_Y_.size()), bias_.resize(first_Y_.size()), pivot_.resize(first_Y_.size());
}

void RowSystem::clear_rows() { std::fill(Y_.begin(), Y_.end(), 0.0); }

void RowSystem::add_joints(const Mechanism<double>& tree, std::span<const double> q,
                           std::span<const double> qd) {
  for (std::size_t v = 0; tree.has_armature && v < parent_.size(); ++v)
    L_[end_[v] - 1] += tree.armature[v];
  for (std::size_t v = 0; tree.has_passive && v < parent_.size(); ++v) {
    const double rate = qd[v], sign = rate > 0 ? 1 : rate < 0 ? -1 : 0;
    force_[v] -= tree.viscous[v] * rate + tree.coulomb[v] * sign;
    if (tree.q_of_v[v] >= 0)
      force_[v] -= tree.stiffness[v] * (q[index(tree.q_of_v[v])] - tree.rest[v]);
  }
}

// Goes the ways of factor_inertia(), reduce_rows(), factor_rows(), substitute_back(), accelerate().
std::size_t RowSystem::num_products() const {
  std::size_t sum = 0;
  for (int depth : depth_) {
    const std::size_t d = index(depth);
    sum += 2 + 2 * d + d * (d + 1) / 2 + (d + 1);
  }
  for (const Chunk& c : chunks_) {
    for (int i = 0; i < c.velocities; ++i)
      sum += 2 + 3 + index(depth_[index(c.velocity[i])]) + index(c.rows);
    for (int b = c.first_block; b < c.end_block; ++b) {
      const Block& block = blocks_[index(b)];
      const Chunk& d = chunks_[index(block.chunk)];
      const std::size_t columns = index(block.columns);
      sum += columns * (index(block.end_shared - block.first_shared) + columns + 6);
      for (int x = c.first_block, y = d.first_block; x < b && y < d.end_block - 1;) {
        const Block &mine = blocks_[index(x)], &theirs = blocks_[index(y)];
        if (mine.chunk == theirs.chunk) sum += columns * index(mine.columns);
        x += mine.chunk <= theirs.chunk, y += theirs.chunk <= mine.chunk;
      }
    }
  }
  return sum;
}

// M = Lᵀ L from the tips to the base; force becomes w = L⁻ᵀ force. The diagonal is kept inverted.
inline bool RowSystem::factor_inertia() {
  const std::size_t n = parent_.size(), *const ends = end_.data();
  const int *const parent = parent_.data(), *const depth = depth_.data();
  double *const force = force_.data(), *const L = L_.data(), *const whole = diagonal_.data();
  for (std::size_t v = 0; v < n; ++v) whole[v] = L[ends[v] - 1];
  for (std::size_t v = n; v-- > 0;) {
    double* const diagonal = L + ends[v] - 1;
    double* const mine = diagonal - depth[v];
    if (!(*diagonal > 1e-14 * whole[v])) return false;
    const double scale = 1 / std::sqrt(*diagonal);
    const double w = force[v] *= scale;
    *diagonal = scale;
    double* size = diagonal;
    for (int a = parent[v]; a >= 0; a = parent[a]) {
      *--size *= scale;
      force[a] -= *size * w;
    }
    size = diagonal;
    for (int a = parent[v]; a >= 0; a = parent[a]) {
      --size;
      double* above = L + ends[a];
      for (const double* k = size; k >= mine; --k) *--above -= *size * *k;
    }
  }
  return true;
}

// K becomes Y, bias becomes bias - Yᵀ w.
inline void RowSystem::reduce_rows() {
  const std::size_t* const ends = end_.data();
  const double *const all = L_.data(), *const force = force_.data();
  for (const Chunk& c : chunks_) {
    double* const Y = Y_.data() + c.Y;
    Lanes3 bias = Lanes3::load(bias_.data() + c.row);
    for (int i = c.velocities - 1; i >= 0; --i) {
      const std::size_t v = index(c.velocity[i]);
      const double* L = all + ends[v] - 1;
      const Lanes3 y = times(Lanes3::load(Y + i * stride), *L);
      y.store(Y + i * stride);
      bias -= times(y, force[v]);
      for (int a = c.above[i]; a >= 0; a = c.above[a]) {
        double* const to = Y + a * stride;
        (Lanes3::load(to) - times(y, *--L)).store(to);
      }
    }
    bias.store(bias_.data() + c.row);
  }
}

// An entry of the factor left of the diagonal: (Yᵀ Y less what the columns before say) over the
// factor on the diagonal of `theirs`. Takes what `theirs` has found from the rest of the right
// side.
template <int Q>
inline void RowSystem::fill_block(const Chunk& mine, const Chunk& theirs, const Block* block,
                                  bool filled, Lanes3& rest) {
  Lanes3 sum[Q]{};
  double* const to = E_.data() + block->at;
  if (filled) {
    for (int q = 0; q < Q; ++q) sum[q] = Lanes3::load(to + q * stride);
  } else {
    const double *const Y = Y_.data() + mine.Y, *const Z = Y_.data() + theirs.Y;
    const Shared *k = shared_.data() + block->first_shared, *const end =
                                                                shared_.data() + block->end_shared;
    for (; k != end; ++k) {
      const Lanes3 y = Lanes3::load(Y + k->mine);
      const double* const z = Z + k->theirs;
      for (int q = 0; q < Q; ++q) sum[q] += times(y, z[q]);
    }
  }
  const Block *a = blocks_.data() + mine.first_block, *b = blocks_.data() + theirs.first_block;
  const Block* const end = blocks_.data() + theirs.end_block - 1;
  while (a != block && b != end) {
    if (a->chunk != b->chunk) {
      a->chunk < b->chunk ? ++a : ++b;
      continue;
    }
    const double *x = E_.data() + a->at, *y = E_.data() + b->at;
    for (int k = a->columns; k > 0; --k, x += stride, y += stride) {
      const Lanes3 column = Lanes3::load(x);
      for (int q = 0; q < Q; ++q) sum[q] -= times(column, y[q]);
    }
    ++a, ++b;
  }
  const double *const D = E_.data() + end->at, *const pivot = pivot_.data() + theirs.row;
  const double* const x = x_.data() + theirs.row;
  for (int q = 0; q < Q; ++q) {
    for (int p = 0; p < q; ++p) sum[q] -= times(sum[p], D[p * stride + q]);
    sum[q] = times(sum[q], pivot[q]);
    sum[q].store(to + q * stride);
    rest -= times(sum[q], x[q]);
  }
}

// The entry on the diagonal; a row that says nothing new gets no pivot and no force.
inline bool RowSystem::factor_diagonal(const Chunk& c, const Block& block, bool filled) {
  Lanes3 sum[3]{};
  double* const to = E_.data() + block.at;
  if (filled) {
    for (int q = 0; q < c.rows; ++q) sum[q] = Lanes3::load(to + q * stride);
  } else {
    const double* y = Y_.data() + c.Y;
    for (int i = c.velocities; i > 0; --i, y += stride) {
      const Lanes3 column = Lanes3::load(y);
      for (int q = 0; q < 3; ++q) sum[q] += times(column, y[q]);
    }
  }
  const double whole[3] = {sum[0][0], sum[1][1], sum[2][2]};
  for (const Block* b = blocks_.data() + c.first_block; b != &block; ++b) {
    const double* x = E_.data() + b->at;
    for (int k = b->columns; k > 0; --k, x += stride) {
      const Lanes3 column = Lanes3::load(x);
      for (int q = 0; q < 3; ++q) sum[q] -= times(column, x[q]);
    }
  }
  for (int q = 0; q < c.rows; ++q) {
    const double pivot = sum[q][q];
    double scale = 0;
    if (pivot <= lost * whole[q]) {
      redundant_ = redundant_ || whole[q] > 0;
      for (int p = 0; p < q; ++p) sum[p].set(q, 0);
      for (const Block* b = blocks_.data() + c.first_block; b != &block; ++b)
        for (int k = 0; k < b->columns; ++k) E_[b->at + index(k * stride + q)] = 0;
    } else {
      if (pivot < clear * whole[q]) return false;
      scale = 1 / std::sqrt(pivot);
      ++rank_;
    }
    pivot_[index(c.row + q)] = scale;
    sum[q] = times(sum[q], scale);
    for (int r = q + 1; r < c.rows; ++r) sum[r] -= times(sum[q], sum[q][r]);
  }
  for (int q = 0; q < c.rows; ++q) sum[q].store(to + q * stride);
  return true;
}

// The factor of Yᵀ Y, row by row, and on the way the first half of the solution.
inline RowSystem::Outcome RowSystem::factor_rows(bool filled) {
  rank_ = 0, redundant_ = false;
  for (const Chunk& c : chunks_) {
    const Block* block = blocks_.data() + c.first_block;
    const Block* const diagonal = blocks_.data() + c.end_block - 1;
    Lanes3 rest = Lanes3::load(bias_.data() + c.row);
    for (; block != diagonal; ++block) {
      const Chunk& d = chunks_[index(block->chunk)];
      if (block->columns == 3)
        fill_block<3>(c, d, block, filled, rest);
      else if (block->columns == 2)
        fill_block<2>(c, d, block, filled, rest);
      else
        fill_block<1>(c, d, block, filled, rest);
    }
    if (!factor_diagonal(c, *diagonal, filled)) return Outcome::unclear;
    const double* D = E_.data() + diagonal->at;
    double* const x = x_.data() + c.row;
    for (int r = 0; r < c.rows; ++r, D += stride) {
      x[r] = rest[r] * pivot_[index(c.row + r)];
      rest -= times(Lanes3::load(D), x[r]);
    }
  }
  return Outcome::good;
}

// The second half: from the last rows to the first.
inline void RowSystem::substitute_back() {
  for (std::size_t i = chunks_.size(); i-- > 0;) {
    const Chunk& c = chunks_[i];
    double* const x = x_.data() + c.row;
    const Block* block = blocks_.data() + c.first_block;
    const Block* const diagonal = blocks_.data() + c.end_block - 1;
    const double* const D = E_.data() + diagonal->at;
    for (int q = c.rows - 1; q >= 0; --q) {
      for (int r = q + 1; r < c.rows; ++r) x[q] -= D[q * stride + r] * x[r];
      x[q] *= pivot_[index(c.row + q)];
    }
    for (; block != diagonal; ++block) {
      const double* E = E_.data() + block->at;
      double* const y = x_.data() + block->chunk * stride;
      for (int k = 0; k < block->columns; ++k, E += stride)
        y[k] -= E[0] * x[0] + E[1] * x[1] + E[2] * x[2];
    }
  }
}

// L qdd = w + Y lambda, base to tips.
inline void RowSystem::accelerate(double* qdd) {
  for (const Chunk& c : chunks_) {
    const double *y = Y_.data() + c.Y, *const x = x_.data() + c.row;
    for (int i = 0; i < c.velocities; ++i, y += stride)
      force_[index(c.velocity[i])] += y[0] * x[0] + y[1] * x[1] + y[2] * x[2];
  }
  const std::size_t n = parent_.size();
  const int* const parent = parent_.data();
  for (std::size_t v = 0; v < n; ++v) {
    const double* row = L_.data() + end_[v] - 1;
    const double scale = *row;
    double rest = force_[v];
    for (int a = parent[v]; a >= 0; a = parent[a]) rest -= *--row * qdd[a];
    qdd[v] = rest * scale;
  }
}

struct RowSystem::Kernel {
  static void run(RowSystem* s, double* qdd, Outcome* outcome) {
    *outcome = Outcome::no_inertia;
    if (!s->factor_inertia()) return;
    s->reduce_rows();
    *outcome = s->factor_rows(false);
    if (*outcome != Outcome::good) return;
    s->substitute_back();
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
  if (outcome == Outcome::good) substitute_back();
  return outcome;
}

}  // namespace catena
