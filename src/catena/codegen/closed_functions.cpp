#include "catena/codegen/closed_functions.hpp"

#include <algorithm>
#include <random>

#include "catena/codegen/base_parameters.hpp"
#include "catena/codegen/simplify.hpp"
#include "catena/formulations/dense.hpp"
#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/loops/assembly.hpp"
#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"
#include "catena/scalar/symbolic.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::VectorXd;
using Symbols = std::vector<Symbolic>;

// Positions near the start in which the loops are closed.
std::vector<VectorXd> closed_positions(const ClosedMechanism& m, LoopState& state, int count) {
  std::mt19937_64 generator(1);
  const auto uniform = [&] { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; };
  std::vector<VectorXd> list;
  const auto in = [](const VectorXd& v) {
    return std::span<const double>(v.data(), static_cast<std::size_t>(v.size()));
  };
  const VectorXd start = assemble_from_afar(m, state, m.start).q;
  double reach = 0.2;
  for (int i = 0; i < 20 * count && static_cast<int>(list.size()) < count; ++i) {
    VectorXd step(m.tree.nv), q(m.tree.nq);
    for (double& x : step) x = reach * uniform();
    integrate_configuration<double>(m.tree, in(start), in(step),
                                    {q.data(), static_cast<std::size_t>(q.size())});
    const Assembly assembly = assemble(m, state, q);
    if (assembly.closed && !assembly.flipped)
      list.push_back(assembly.q);
    else
      reach *= 0.7;
  }
  if (static_cast<int>(list.size()) < count)
    throw InputError({},
                     "the loops of '" + m.tree.names->model + "' cannot be closed near the start",
                     "see catena assemble; 'start' in the model says where to look");
  return list;
}

// The rows that count, all along the motion: those of the position where most do.
std::vector<int> rows_that_count(const ClosedMechanism& m) {
  LoopState state(m);
  std::vector<int> best;
  for (const VectorXd& q : closed_positions(m, state, 3)) {
    state.set_position(q);
    const std::vector<int> redundant = mobility_of(state.jacobian()).redundant_rows;
    std::vector<int> rows;
    for (int r = 0; r < m.num_rows(); ++r) {
      if (std::find(redundant.begin(), redundant.end(), r) == redundant.end()) rows.push_back(r);
    }
    if (rows.size() > best.size()) best = rows;
  }
  return best;
}

// A closed machine in symbols: K qdd = -k, and the forces of springs between points.
class ClosedTrace {
 public:
  ClosedTrace(const ClosedMechanism& m, const std::vector<int>& rows, const Symbols& q,
              const Symbols& qd)
      : m_(m),
        tree_(cast<Symbolic>(m.tree)),
        base_(cast<Symbolic>(with_base_parameters(m.tree))),
        shifted_(cast<Symbolic>(with_base_parameters(with_short_offsets(m.tree)))),
        w_(tree_),
        q_(q),
        qd_(qd) {
    find_motions();
    for (const int r : rows) add_row(r);
    springs_.resize(index(m.tree.nv));
    for (const Spring& s : m.springs) add_spring(s);
  }

  // M qdd + h - springs = tau + Kᵀ lambda
  // With a weight W > 0, W Kᵀ (K qdd + k) = 0 is added: the open tree may then have joints without
  // inertia.
  Symbols forward(const Symbols& tau, double row_weight) {
    const std::size_t n = tau.size(), r = K_.size();
    Symbols M(n * n), f(n);
    inertia_matrix<Symbolic>(base_, q_, w_, M);
    inverse_dynamics<Symbolic>(shifted_, q_, qd_, {}, {}, w_, f);
    for (std::size_t v = 0; v < n; ++v) f[v] = tau[v] - f[v] + springs_[v];
    if (row_weight > 0) add_rows(row_weight, M, f);
    std::reverse(M.begin(), M.end());  // tips first: branches stay apart
    LostPivots<Symbolic> unknown;      // to symbols
    factor_dense(M.data(), static_cast<int>(n), unknown);
    const auto solved = [&](Symbols x) {
      std::reverse(x.begin(), x.end());
      solve_factored(M.data(), x.data(), static_cast<int>(n));
      std::reverse(x.begin(), x.end());
      return x;
    };
    std::vector<Symbols> Y;  // columns of M⁻¹ Kᵀ
    for (const Symbols& row : K_) Y.push_back(solved(row));
    const Symbols free = solved(f);
    Symbols A(r * r), lambda(r);
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t j = 0; j <= i; ++j) A[i * r + j] = A[j * r + i] = product(K_[i], Y[j]);
      lambda[i] = -k_[i] - product(K_[i], free);
    }
    static_cast<void>(solve_dense(A.data(), lambda.data(), static_cast<int>(r)));
    Symbols qdd = free;
    for (std::size_t v = 0; v < n; ++v) {
      for (std::size_t i = 0; i < r; ++i) qdd[v] = qdd[v] + Y[i][v] * lambda[i];
    }
    return qdd;
  }

  // What passive joints need comes from the loops, Kᵀ lambda; with no passive joint, as much as
  // possible. Both by least squares.
  Symbols inverse(const Symbols& qdd, const std::vector<int>& passive) {
    const std::size_t n = qdd.size(), r = K_.size();
    Symbols tau(n);
    inverse_dynamics<Symbolic>(shifted_, q_, qd_, qdd, {}, w_, tau);
    for (std::size_t v = 0; v < n; ++v) tau[v] = tau[v] - springs_[v];
    std::vector<Symbols> P(r);
    Symbols needed, A(r * r), lambda(r);
    for (const int v : passive) {
      needed.push_back(tau[index(v)]);
      for (std::size_t i = 0; i < r; ++i) P[i].push_back(K_[i][index(v)]);
    }
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t j = 0; j <= i; ++j) A[i * r + j] = A[j * r + i] = product(P[i], P[j]);
      lambda[i] = product(P[i], needed);
    }
    static_cast<void>(solve_dense(A.data(), lambda.data(), static_cast<int>(r)));
    Symbols drives(n);
    for (const int v : m_.actuated) {
      drives[index(v)] = tau[index(v)];
      for (std::size_t i = 0; i < r; ++i)
        drives[index(v)] = drives[index(v)] - K_[i][index(v)] * lambda[i];
    }
    return drives;
  }

 private:
  static Symbolic product(const Symbols& a, const Symbols& b) {
    Symbolic sum;
    for (std::size_t i = 0; i < a.size(); ++i) sum = sum + a[i] * b[i];
    return sum;
  }

  void add_rows(double weight, Symbols& M, Symbols& f) const {
    const std::size_t n = f.size();
    for (std::size_t i = 0; i < K_.size(); ++i) {
      for (std::size_t v = 0; v < n; ++v) {
        const Symbolic part = weight * K_[i][v];
        f[v] = f[v] - part * k_[i];
        for (std::size_t u = 0; u < n; ++u) M[v * n + u] = M[v * n + u] + part * K_[i][u];
      }
    }
  }

  void find_motions() {
    const std::size_t nb = tree_.bodies.size();
    std::vector<Pose<Symbolic>> X(nb);
    std::vector<Motion<Symbolic>> V(nb), A(nb);
    body_motions<Symbolic>(tree_, q_, qd_, {}, w_, X, V, A);
    S_.resize(index(m_.tree.tree_nv));
    for (std::size_t i = 0; i < nb; ++i) {
      const Mat3<Symbolic>& R = X[i].R;
      bodies_.push_back({X[i], R * V[i].w, R * V[i].v, R * A[i].w, R * A[i].v});
      if (i == 0) continue;
      with_joint(tree_.bodies[i].kind, [&](auto joint) {
        for (int k = 0; k < joint.nv; ++k)
          S_[index(tree_.bodies[i].v + k)] = direction<Symbolic>(joint, tree_.bodies[i], k, X[i]);
      });
    }
  }

  void add_row(int r) {
    const ClosureRow& row = m_.rows[index(r)];
    const Closure& c = m_.closures[index(row.closure)];
    const auto &one = bodies_[index(c.body1)], &two = bodies_[index(c.body2)];
    const Force<Symbolic> W = closure_wrench<Symbolic>(row, c, one.X, two.X);
    Symbols along(index(m_.tree.nv));
    for (const PathEntry& entry : c.path) {
      const auto& map = m_.tree.v_map[index(entry.velocity)];
      Symbolic& sum = along[index(map.index)];
      sum = sum + entry.sign * map.ratio * dot(S_[index(entry.velocity)], W);
    }
    K_.push_back(along);
    k_.push_back(closure_acceleration<Symbolic>(row, c, one, two));
  }

  // A wrench in world axes about the world's origin, on body b: the joint forces that do as much.
  void add_wrench(int body, const Force<Symbolic>& W) {
    for (int b = body; b != 0; b = m_.tree.bodies[index(b)].parent) {
      for (int k = 0; k < num_velocities(m_.tree.bodies[index(b)].kind); ++k) {
        const int v = m_.tree.bodies[index(b)].v + k;
        const auto& map = m_.tree.v_map[index(v)];
        Symbolic& sum = springs_[index(map.index)];
        sum = sum + map.ratio * dot(S_[index(v)], W);
      }
    }
  }

  void add_spring(const Spring& s) {
    const auto &one = bodies_[index(s.body1)], &two = bodies_[index(s.body2)];
    const Vec3<Symbolic> r1 = one.X.R * s.point1, r2 = two.X.R * s.point2;
    const Vec3<Symbolic> p1 = one.X.p + r1, p2 = two.X.p + r2, d = p2 - p1;
    const Vec3<Symbolic> rate = (two.v + cross(two.w, r2)) - (one.v + cross(one.w, r1));
    const Symbolic l = sqrt(dot(d, d)), inverse_l = Symbolic(1) / l;
    const Vec3<Symbolic> u = inverse_l * d;
    const Symbolic size = s.stiffness * (l - s.length) + s.damping * dot(rate, u);
    const Vec3<Symbolic> f = size * u;
    add_wrench(s.body1, {cross(p1, f), f});
    add_wrench(s.body2, {-cross(p2, f), -f});
  }

  const ClosedMechanism& m_;
  const Mechanism<Symbolic> tree_, base_, shifted_;
  Workspace<Symbolic> w_;
  const Symbols &q_, &qd_;
  std::vector<BodyInWorldOf<Symbolic>> bodies_;
  std::vector<Motion<Symbolic>> S_;  // directions of the tree's velocities
  std::vector<Symbols> K_;           // rows, by the user's velocities
  Symbols k_;                        // accelerations of the rows at qdd = 0
  Symbols springs_;                  // joint forces of springs between points
};

// What rows are added to the inertia matrix with: 0 if that of the open tree is regular.
double row_weight_of(const ClosedMechanism& m) {
  LoopState state(m);
  Workspace<double> w(m.tree);
  double weight = 0;
  for (const VectorXd& q : closed_positions(m, state, 3)) {
    Rows M(m.tree.nv, m.tree.nv);
    inertia_matrix<double>(m.tree, {q.data(), static_cast<std::size_t>(q.size())}, w,
                           {M.data(), static_cast<std::size_t>(M.size())});
    const double largest = M.diagonal().maxCoeff();
    const VectorXd size = M.diagonal().cwiseMax(1e-12 * largest).cwiseSqrt().cwiseInverse();
    const VectorXd s = singular_values(size.asDiagonal() * M * size.asDiagonal());
    if (s.minCoeff() > 1e-7 * s.maxCoeff()) continue;
    state.set_position(q);
    weight = M.trace() / state.jacobian().squaredNorm();
  }
  return weight;
}

// The joints whose forces have to come from the loops; none is passive: all.
std::vector<int> passive_joints(const ClosedMechanism& m, std::size_t rows) {
  const int nv = m.tree.nv, freedom = nv - static_cast<int>(rows);
  std::vector<int> passive;
  for (int v = 0; v < nv; ++v) {
    if (std::find(m.actuated.begin(), m.actuated.end(), v) == m.actuated.end())
      passive.push_back(v);
  }
  if (passive.empty()) {
    for (int v = 0; v < nv; ++v) passive.push_back(v);
  } else if (passive.size() != rows) {
    throw InputError({},
                     "'" + m.tree.names->model + "' has " + std::to_string(freedom) +
                         " degrees of freedom, but " + std::to_string(m.actuated.size()) +
                         " actuators",
                     "generated inverse dynamics needs as many of them, or none named");
  }
  return passive;
}

bool is_of_a_frame(const std::string& function) {
  for (const GeneratedKind& kind : generated_kinds()) {
    if (kind.name == function) return kind.needs_frame;
  }
  return true;  // unknown: the table's own message
}

}  // namespace

Program traced_program(const ClosedMechanism& m, const GeneratedRequest& request) {
  const bool forward = request.function == "forward", inverse = request.function == "inverse";
  if (is_of_a_frame(request.function)) return traced_program(m.tree, request);
  if (!forward && !inverse)
    throw InputError({}, "function '" + request.function + "' is for models without loops",
                     "for '" + m.tree.names->model +
                         "' there are inverse, forward and the functions of a frame");
  if (!request.frame.empty()) return traced_program(m.tree, request);  // throws
  const std::vector<int> rows = rows_that_count(m);
  const std::vector<int> passive = inverse ? passive_joints(m, rows.size()) : std::vector<int>();
  Program program;
  program.inputs = {{"q", m.tree.nq, "joint positions; the loops are closed there"},
                    {"qd", m.tree.nv, "joint velocities that keep them closed"}};
  program.inputs.push_back(forward ? ProgramArray{"tau", m.tree.nv, "joint forces"}
                                   : ProgramArray{"qdd", m.tree.nv, "joint accelerations"});
  program.output = forward ? ProgramArray{"qdd", m.tree.nv, "joint accelerations"}
                           : ProgramArray{"tau", m.tree.nv, "joint forces; 0 at passive joints"};
  Tracing tracing;
  std::vector<Symbols> arrays(3);
  int number = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    for (int i = 0; i < program.inputs[k].size; ++i) arrays[k].push_back(tracing.input(number++));
  }
  ClosedTrace trace(m, rows, arrays[0], arrays[1]);
  const Symbols results =
      forward ? trace.forward(arrays[2], row_weight_of(m)) : trace.inverse(arrays[2], passive);
  std::vector<ExpressionRef> expressions;
  for (const Symbolic& result : results) expressions.push_back(result.expression());
  add_expressions(program, tracing.graph(), expressions);
  simplify(program);
  return program;
}

std::vector<ClosedReference> closed_references(const Model& model, const CompileOptions& options,
                                               const GeneratedRequest& request, int count) {
  ClosedDynamics dynamics(model, options);
  const ClosedMechanism& m = dynamics.mechanism();
  std::mt19937_64 generator(2);
  const auto random = [&] {
    VectorXd v(m.tree.nv);
    for (double& x : v) x = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
    return v;
  };
  std::vector<ClosedReference> list;
  for (const VectorXd& q : closed_positions(m, dynamics.state(), count)) {
    // The nearest rates and accelerations that keep the loops closed.
    dynamics.state().set_position(q);
    RowMatrix K = dynamics.state().jacobian();
    const VectorXd any = random();
    const VectorXd qd = any - least_norm(K, K * any).x;
    dynamics.state().set_motion(q, qd);
    const VectorXd other = random();
    const VectorXd qdd = other - least_norm(K, K * other + dynamics.state().accelerations()).x;
    VectorXd tau = VectorXd::Zero(m.tree.nv);
    for (const int v : m.actuated) tau[v] = other[v];
    ClosedReference reference;
    const auto add = [&](const VectorXd& v) {
      reference.inputs.insert(reference.inputs.end(), v.begin(), v.end());
    };
    if (is_of_a_frame(request.function)) {
      add(q);
      const Program program = traced_program(m.tree, request);
      if (program.inputs.size() > 1) add(qd);
      if (program.inputs.size() > 2) add(qdd);
      reference.results = reference_results(m.tree, request, reference.inputs);
    } else {
      const bool forward = request.function == "forward";
      add(q), add(qd), add(forward ? tau : qdd);
      const VectorXd result = forward ? dynamics.forward_dynamics(q, qd, tau).qdd
                                      : dynamics.inverse_dynamics(q, qd, qdd).tau;
      reference.results.assign(result.begin(), result.end());
    }
    list.push_back(reference);
  }
  return list;
}

}  // namespace catena
