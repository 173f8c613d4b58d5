// Constraint force algorithm [Featherstone & Orin 2000, (28)], for unbranched chains:
//
//   Tᵀ I⁻¹ T beta = Tᵀ a_0 - Tᵀ I⁻¹ (f_a - v x I v)
//
// Joint j acts on bodies j and j - 1, so that the matrix is block tridiagonal, and it is positive
// definite. One thread factors it from the first joint to the last. Several cut the chain at
// separator joints: everyone eliminates a part of his own, a small block tridiagonal system in the
// separators' forces is left, and everyone goes back through his part. The last part is eliminated
// from the tip, and so neither end creates new blocks: two threads do the work of one.
#include "catena/formulations/global/constraint_force.hpp"

#include <algorithm>
#include <thread>

#include "catena/formulations/global/chain.hpp"
#include "catena/scalar/isa.hpp"
#include "catena/support/worker_pool.hpp"

namespace catena::constraint_force {
namespace {

// Joints [begin, end) belong to one thread; begin - 1 and end are separators where they exist.
template <class T, int N>
struct Part {
  int begin, end;
  bool from_tip;
  // The right separator's own row, less what this part took of it.
  Block<T, N> S;
  Column<T, N> s;
  // What this part takes of the left separator's row, and the block it made between the two
  // (rows: right).
  Block<T, N> taken;
  Column<T, N> taken_r;
  Block<T, N> E;
  // Accelerations of bodies begin - 1 and end - 1.
  Motion<T> a_first, a_last;
};

template <class T, int N>
struct Solver {
  Chain<T> chain;
  JointPositions<T> at;
  Part<T, N>* parts;
  int num_parts;
  Block<T, N>* W;      // beta_j = z_j - W_j beta_next - V_j beta_left
  Block<T, N>* V;      // in parts with a separator on either side
  Column<T, N>* beta;  // z, then beta
  T* qdd;

  int last() const { return chain.num_links; }
  bool has_left(const Part<T, N>& p) const { return p.begin > 1; }
  bool has_right(const Part<T, N>& p) const { return p.end <= last(); }

  // Eliminates joint j, whose row is (D, r), C being its block with the next one, if there is one.
  void eliminate(int j, Block<T, N>& D, const Column<T, N>& r, const Block<T, N>& C,
                 bool has_next) {
    factor(D);
    if (has_next) W[j] = solved(D, C);
    beta[j] = r;
    solve<T, N, T>(D, beta[j].x);
  }

  // The bodies of this part and of its right separator are its own; body begin - 1 is not, and the
  // part makes its own picture of it.
  void eliminate_part(Part<T, N>& p) {
    LooseBody<T> first = chain.loose[0];
    const auto body = [&](int i) -> LooseBody<T>& { return i < p.begin ? first : chain.loose[i]; };
    clear(p);
    // Rows come in the order of elimination; the one after the last joint is a separator's.
    const int step = p.from_tip ? -1 : 1;
    const int begin = p.from_tip ? p.end - 1 : p.begin;
    const int end = p.from_tip ? p.begin - 1 : p.end;
    const bool fills = !p.from_tip && has_left(p);
    Block<T, N> D, C, G;  // row j: its own block, that with j + step, that with the left separator
    Column<T, N> r;
    for (int j = begin;; j += step) {
      if (j < p.begin || j > last()) {  // no row of this part: the left separator, or nothing
        eliminate(j - step, D, r, C, p.from_tip);
        if (!p.from_tip) return;
        subtract_symmetric(p.taken, C, W[j - step]);
        subtract_transposed(p.taken_r, C, beta[j - step]);
        return;
      }
      const int fresh = p.from_tip ? j - 1 : j;  // the body that row j is the first to need
      for (int i = j == begin ? j - 1 : fresh; i <= (j == begin ? j : fresh); ++i) {
        if (i > 0) body(i) = chain.loosen(i, at);
      }
      JointRow<T, N> R = chain.template row<N>(j, body(j - 1), body(j));
      if (j != begin) {
        const int i = j - step;
        if (!p.from_tip) C = R.C;
        eliminate(i, D, r, C, true);
        if (fills) fill(p, i, D, C, G);
        subtract_symmetric(R.A, C, W[i]);
        subtract_transposed(R.r, C, beta[i]);
      }
      if (p.from_tip) C = transpose(R.C);
      if (fills && j == begin) G = transpose(R.C);
      D = R.A;
      r = R.r;
      if (j == end) break;
    }
    p.S = D;
    p.s = r;
    if (fills) p.E = G;
  }
  static void clear(Part<T, N>& p) {
    for (auto& line : p.taken.x) std::fill(line, line + N, T(0));
    std::fill(p.taken_r.x, p.taken_r.x + N, T(0));
  }
  // What the elimination of joint i makes between the left separator and the next joint.
  void fill(Part<T, N>& p, int i, const Block<T, N>& D, const Block<T, N>& C, Block<T, N>& G) {
    V[i] = solved(D, G);
    subtract_symmetric(p.taken, G, V[i]);
    subtract_transposed(p.taken_r, G, beta[i]);
    G = minus_product(C, V[i]);
  }

  // The block tridiagonal system of the separators. Their W stand at their joints' places.
  void solve_separators() {
    for (int t = 0; t + 1 < num_parts; ++t) {
      Part<T, N>&p = parts[t], &next = parts[t + 1];
      add(p.S, p.s, next.taken, next.taken_r);
      if (t > 0) {
        const Block<T, N> C = transpose(p.E);
        subtract_symmetric(p.S, C, W[parts[t - 1].end]);
        subtract_transposed(p.s, C, beta[parts[t - 1].end]);
      }
      eliminate(p.end, p.S, p.s, transpose(next.E), t + 2 < num_parts);
    }
    for (int t = num_parts - 3; t >= 0; --t) {
      subtract(beta[parts[t].end], W[parts[t].end], beta[parts[t + 1].end]);
    }
  }
  static void add(Block<T, N>& S, Column<T, N>& s, const Block<T, N>& A, const Column<T, N>& a) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j <= i; ++j) S.x[i][j] = S.x[i][j] + A.x[i][j];
      s.x[i] = s.x[i] + a.x[i];
    }
  }

  void substitute_part(Part<T, N>& p) {
    if (p.from_tip) {
      for (int j = p.begin; j < p.end; ++j) subtract(beta[j], W[j], beta[j - 1]);
    } else {
      for (int j = p.end - 1; j >= p.begin; --j) {
        if (j < last()) subtract(beta[j], W[j], beta[j + 1]);
        if (has_left(p)) subtract(beta[j], V[j], beta[p.begin - 1]);
      }
    }
    // a = I⁻¹ (f_a + T beta - v x I v)
    p.a_first = chain.loose[0].a;
    Force<T> F = chain.template constraint<N>(p.begin, beta[p.begin]);
    if (has_left(p)) p.a_first = acceleration(p.begin - 1, F);
    Motion<T> a_P = p.a_first;
    for (int j = p.begin; j < p.end; ++j) {
      Motion<T> a;
      if (j < last()) {
        const Force<T> next = chain.template constraint<N>(j + 1, beta[j + 1]);
        a = chain.loose[j].a + accelerate(chain.loose[j], F - transform(chain.X[j + 1], next));
        F = next;
      } else {
        a = chain.loose[j].a + accelerate(chain.loose[j], F);
      }
      write_qdd(j, a_P, a);
      a_P = a;
    }
    p.a_last = a_P;
  }
  // Of body i, whose outer joint exerts F_out on the next body.
  Motion<T> acceleration(int i, const Force<T>& F_out) const {
    const Force<T> F = chain.template constraint<N>(i, beta[i]) - transform(chain.X[i + 1], F_out);
    return chain.loose[i].a + accelerate(chain.loose[i], F);
  }
  // qdd = Psiᵀ (a_j - a_{j-1} - c_j)
  void write_qdd(int j, const Motion<T>& a_P, const Motion<T>& a) {
    const auto& b = chain.body(j);
    with_joint(b.kind, [&](auto joint) {
      Motion<T> x = a - to_child(chain.X[j], a_P) - chain.c[j];
      for (int k = 0; k < joint.nv; ++k) qdd[b.v + k] = component(x, free_axis(joint, k));
    });
  }
  void finish() {
    for (int t = 0; t + 1 < num_parts; ++t) {
      write_qdd(parts[t].end, parts[t].a_last, parts[t + 1].a_first);
    }
  }
};

template <class T, int N>
struct BeginKernel {
  static void run(Solver<T, N>* s) { s->chain.write_motion(s->at); }
};
template <class T, int N>
struct EliminationKernel {
  static void run(Solver<T, N>* s, int part) { s->eliminate_part(s->parts[part]); }
};
template <class T, int N>
struct SubstitutionKernel {
  static void run(Solver<T, N>* s, int part) { s->substitute_part(s->parts[part]); }
};

// Parts in the middle make new blocks and are shorter for it.
template <class T, int N>
void cut(Part<T, N>* parts, int num_parts, int joints) {
  constexpr double middle = 0.68;  // by their operations, 1.46 times as many
  const double unit = (joints - (num_parts - 1)) / (2 + middle * (num_parts - 2));
  int begin = 1;
  for (int t = 0; t < num_parts; ++t) {
    const bool is_last = t + 1 == num_parts;
    const int end = is_last ? joints + 1 : static_cast<int>((1 + middle * t) * unit) + t + 1;
    parts[t].begin = begin;
    parts[t].end = end;
    parts[t].from_tip = is_last && num_parts > 1;
    begin = end + 1;
  }
}

template <class T, int N>
void run_solver(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                const Force<T>* Fext_B, bool gravity, int num_links, int num_parts, Arena arena,
                T* qdd) {
  const std::size_t nb = m.bodies.size();
  const T o(0);
  Solver<T, N> s{};
  s.at = joint_positions(m, q, arena);
  s.chain = {&m,
             num_links,
             qd,
             tau,
             Fext_B,
             arena.take<int>(nb + 1),
             arena.take<Pose<T>>(nb),
             arena.take<Vec3<T>>(nb),
             arena.take<Motion<T>>(nb),
             arena.take<LooseBody<T>>(nb)};
  s.parts = arena.take<Part<T, N>>(index(num_parts));
  s.num_parts = num_parts;
  s.W = arena.take<Block<T, N>>(nb);
  if (num_parts > 2) s.V = arena.take<Block<T, N>>(nb);
  s.beta = arena.take<Column<T, N>>(nb);
  s.qdd = qdd;
  Motion<T>& a_0 = s.chain.loose[0].a;
  a_0 = {{o, o, o}, {o, o, o}};
  if (gravity) a_0.v = {T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)};
  cut(s.parts, num_parts, s.last());
  run_parts(
      num_parts,
      [](void* c, int part) {  // the others wake up meanwhile
        if (part == 0) run_kernel<T, BeginKernel<T, N>>(static_cast<Solver<T, N>*>(c));
      },
      &s, true);
  run_parts(
      num_parts,
      [](void* c, int part) {
        run_kernel<T, EliminationKernel<T, N>>(static_cast<Solver<T, N>*>(c), part);
      },
      &s, true);
  s.solve_separators();
  run_parts(
      num_parts,
      [](void* c, int part) {
        run_kernel<T, SubstitutionKernel<T, N>>(static_cast<Solver<T, N>*>(c), part);
      },
      &s, false);
  s.finish();
}

template <class T>
int run(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
        const Force<T>* Fext_B, bool gravity, int parts, Arena arena, T* qdd) {
  int links = 0;
  bool five = !m.has_armature;  // unknowns are enough for every joint
  for (std::size_t i = 1; i < m.bodies.size(); ++i) {
    const auto& b = m.bodies[i];
    if (!Chain<T>::is_link(b)) continue;
    ++links;
    five &= b.kind != Primitive::fixed;
  }
  if (links == 0) return -1;
  parts = std::clamp(parts, 1, std::clamp(links / 4, 1, most_parts<T>(m)));
  if constexpr (std::is_same_v<T, double>) {
    if (five) {
      run_solver<T, 5>(m, q, qd, tau, Fext_B, gravity, links, parts, arena, qdd);
      return -1;
    }
  }
  run_solver<T, 6>(m, q, qd, tau, Fext_B, gravity, links, parts, arena, qdd);
  return -1;
}

// Whether the inertia about the mass centre can be inverted.
template <class C>
bool can_turn(const Inertia<C>& M) {
  const Vec3<C> c = (C(1) / M.m) * M.h;
  const Sym3<C> I{
      M.I.xx - c.y * M.h.y - c.z * M.h.z, M.I.xy + c.x * M.h.y, M.I.xz + c.x * M.h.z,
      M.I.yy - c.x * M.h.x - c.z * M.h.z, M.I.yz + c.y * M.h.z, M.I.zz - c.x * M.h.x - c.y * M.h.y};
  const auto number = [](const C& x) { return to_double(x); };
  const double trace = number(I.xx) + number(I.yy) + number(I.zz);
  const double minor = number(I.xx) * number(I.yy) - number(I.xy) * number(I.xy);
  const double det = number(I.xx * (I.yy * I.zz - I.yz * I.yz)) -
                     number(I.xy * (I.xy * I.zz - I.yz * I.xz)) +
                     number(I.xz * (I.xy * I.yz - I.yy * I.xz));
  const double small = 1e-9;  // of the largest moment: a needle, whose axis cannot be turned about
  return number(I.xx) > small * trace && minor > small * trace * trace &&
         det > small * trace * trace * trace;
}

}  // namespace

template <class T>
std::string refusal(const Mechanism<Constant<T>>& m) {
  const auto name = [&](int body) { return "'" + m.names->bodies[index(body)] + "'"; };
  const std::string instead = "; use --method global";
  if (m.coupled) return "constraint-force has no mimic joints" + instead;
  for (int i = 1; i < m.num_bodies(); ++i) {
    const auto& b = m.bodies[index(i)];
    if (b.parent != i - 1) {
      return "constraint-force needs an unbranched chain, and this mechanism branches at body " +
             name(b.parent) + instead;
    }
  }
  for (int i = 1; i < m.num_bodies(); ++i) {
    const auto& b = m.bodies[index(i)];
    if (!Chain<T>::is_link(b)) continue;
    if (b.massless || !(to_double(b.M.m) > 0)) {
      return "constraint-force inverts the inertia of every body, and body " + name(i) +
             " has no mass" + instead;
    }
    if (!can_turn(b.M)) {
      return "constraint-force inverts the inertia of every body, and body " + name(i) +
             " has an axis without inertia through its mass centre" + instead;
    }
  }
  return "";
}

template <class T>
int most_parts(const Mechanism<Constant<T>>& m) {
  return std::clamp((m.num_bodies() - 1) / 4, 1, 64);
}

template <class T>
int good_parts(const Mechanism<Constant<T>>& m) {
  constexpr int joints_per_part = 100;  // fewer are done before a sleeping thread has woken up
  const int parts = std::min((m.num_bodies() - 1) / joints_per_part, most_parts<T>(m));
  if (!is_plain<T> || parts < 2) return 1;  // a counter belongs to its thread
  static const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores, 1, parts);
}

template <class T>
std::size_t room(const Mechanism<Constant<T>>& m) {
  return 150 * m.bodies.size() + 200 * index(most_parts<T>(m)) + 4 * index(m.tree_nq) + 1024;
}

template <class T>
int constraint_force_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd,
                              const T* tau, const Force<T>* Fext_B, int parts, Arena arena,
                              T* qdd) {
  return run<T>(m, q, qd, tau, Fext_B, true, parts, arena, qdd);
}

template <class T>
int forward_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd) {
  return run<T>(m, q, qd, tau, Fext_B, true, good_parts<T>(m), arena, qdd);
}

template <class T>
int solve_inertia(const Mechanism<Constant<T>>& m, const T* q, const T* f, Arena arena, T* x) {
  T* rest = arena.take<T>(index(m.tree_nv));
  for (int v = 0; v < m.tree_nv; ++v) rest[v] = T(0);
  return run<T>(m, q, rest, f, nullptr, false, good_parts<T>(m), arena, x);
}

#define CATENA_INSTANTIATE(T)                                                                   \
  template std::string refusal<T>(const Mechanism<Constant<T>>&);                               \
  template std::size_t room<T>(const Mechanism<Constant<T>>&);                                  \
  template int most_parts<T>(const Mechanism<Constant<T>>&);                                    \
  template int good_parts<T>(const Mechanism<Constant<T>>&);                                    \
  template int constraint_force_dynamics<T>(const Mechanism<Constant<T>>&, const T*, const T*,  \
                                            const T*, const Force<T>*, int, Arena, T*);         \
  template int forward_dynamics<T>(const Mechanism<Constant<T>>&, const T*, const T*, const T*, \
                                   const Force<T>*, Arena, T*);                                 \
  template int solve_inertia<T>(const Mechanism<Constant<T>>&, const T*, const T*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::constraint_force
