#include "catena/codegen/functions.hpp"

#include <algorithm>
#include <limits>

#include "catena/codegen/base_parameters.hpp"
#include "catena/codegen/simplify.hpp"
#include "catena/formulations/dense.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/kinematics/energy.hpp"
#include "catena/kinematics/jacobians.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/scalar/symbolic.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

// A state and what else a function of it needs. T is Symbolic for a trace, double for numbers to
// compare with.
template <class T>
struct Subject {
  const Mechanism<T>& m;
  const Mechanism<T>& m_inverse;  // the same in the form that inverse dynamics likes best
  Workspace<T>& w;
  std::span<const T> q, first, second;  // of the arrays after q
  int body = 0;
  Pose<T> X_BF{};
  Axes axes = Axes::world_aligned;
};
template <class T>
using Numbers = std::vector<T>;

template <class T>
void put(const Vec3<T>& v, Numbers<T>& out) {
  out.insert(out.end(), {v.x, v.y, v.z});
}

template <class T>
Numbers<T> trace_inverse(const Subject<T>& s) {
  Numbers<T> tau(index(s.m.nv));
  inverse_dynamics<T>(s.m_inverse, s.q, s.first, s.second, {}, s.w, tau);
  return tau;
}

template <class T>
Numbers<T> trace_inertia(const Subject<T>& s) {
  Numbers<T> M(index(s.m.nv) * index(s.m.nv));
  inertia_matrix<T>(s.m, s.q, s.w, M);
  return M;
}

template <class T>
Numbers<T> trace_articulated(const Subject<T>& s) {
  Numbers<T> qdd(index(s.m.nv));
  static_cast<void>(forward_dynamics<T>(s.m, s.q, s.first, s.second, {}, s.w, qdd));
  return qdd;
}

// Forward dynamics by the inertia matrix: fewer operations for short chains. The tips are
// eliminated first, so that branches stay apart.
template <class T>
Numbers<T> trace_composite(const Subject<T>& s) {
  Numbers<T> M = trace_inertia(s), x(index(s.m.nv));
  inverse_dynamics<T>(s.m_inverse, s.q, s.first, {}, {}, s.w, x);
  for (std::size_t v = 0; v < x.size(); ++v) x[v] = s.second[v] - x[v];
  std::reverse(M.begin(), M.end());
  std::reverse(x.begin(), x.end());
  static_cast<void>(solve_dense(M.data(), x.data(), s.m.nv));
  std::reverse(x.begin(), x.end());
  return x;
}

// Rows of [R p].
template <class T>
Numbers<T> trace_pose(const Subject<T>& s) {
  std::vector<Pose<T>> X_WB(s.m.bodies.size());
  body_poses<T>(s.m, s.q, s.w, X_WB);
  const Pose<T> X = X_WB[index(s.body)] * s.X_BF;
  return {X.R.x.x, X.R.y.x, X.R.z.x, X.p.x,   X.R.x.y, X.R.y.y,
          X.R.z.y, X.p.y,   X.R.x.z, X.R.y.z, X.R.z.z, X.p.z};
}

template <class T>
Numbers<T> trace_motion(const Subject<T>& s, bool acceleration) {
  const std::size_t nb = s.m.bodies.size(), b = index(s.body);
  std::vector<Pose<T>> X(nb);
  std::vector<Motion<T>> V(nb), A(nb);
  body_motions<T>(s.m, s.q, s.first, s.second, s.w, X, V, A);
  const Motion<T> result = acceleration ? frame_acceleration<T>(X[b], V[b], A[b], s.X_BF, s.axes)
                                        : frame_twist<T>(X[b], V[b], s.X_BF, s.axes);
  Numbers<T> out;
  put(result.w, out), put(result.v, out);
  return out;
}

template <class T>
Numbers<T> trace_twist(const Subject<T>& s) {
  return trace_motion(s, false);
}
template <class T>
Numbers<T> trace_acceleration(const Subject<T>& s) {
  return trace_motion(s, true);
}

template <class T>
Numbers<T> trace_jacobian(const Subject<T>& s) {
  Numbers<T> J(6 * index(s.m.nv));
  frame_jacobian<T>(s.m, s.q, s.body, s.X_BF, s.axes, s.w, J);
  return J;
}

template <class T>
Numbers<T> trace_jacobian_rate(const Subject<T>& s) {
  Numbers<T> J(6 * index(s.m.nv));
  frame_jacobian_rate<T>(s.m, s.q, s.first, s.body, s.X_BF, s.axes, s.w, J);
  return J;
}

template <class T>
Numbers<T> trace_mass_centre(const Subject<T>& s) {
  Numbers<T> out;
  put(mass_centre<T>(s.m, s.q, s.w, {}), out);
  return out;
}

template <class T>
Numbers<T> trace_energy(const Subject<T>& s) {
  return {kinetic_energy<T>(s.m, s.q, s.first, s.w), potential_energy<T>(s.m, s.q, s.w)};
}

// One of the ways to compute a function; the cheapest is taken.
struct Way {
  Numbers<Symbolic> (*trace)(const Subject<Symbolic>&);
  bool base_parameters;
  bool deep = false;  // forces projected in world axes (formulations/spatial/inertia_matrix.cpp)
};

struct Row {
  GeneratedKind kind;
  ProgramArray output;  // size: 1, -1 for nv, -2 for nv * nv, -6 for 6 nv
  Numbers<double> (*reference)(const Subject<double>&);
  std::vector<Way> ways;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {{"inverse", "joint forces of a motion", "qd qdd", false},
       {"tau", -1, "joint forces"},
       trace_inverse<double>,
       {{trace_inverse<Symbolic>, true}}},
      {{"forward", "accelerations from joint forces", "qd tau", false},
       {"qdd", -1, "joint accelerations"},
       trace_articulated<double>,
       {{trace_composite<Symbolic>, true},
        {trace_composite<Symbolic>, true, true},
        {trace_articulated<Symbolic>, true}}},
      {{"inertia", "inertia matrix", "", false},
       {"M", -2, "inertia matrix, row by row"},
       trace_inertia<double>,
       {{trace_inertia<Symbolic>, true}, {trace_inertia<Symbolic>, true, true}}},
      {{"bias", "joint forces of velocities, gravity and springs", "qd", false},
       {"tau", -1, "joint forces at zero acceleration"},
       trace_inverse<double>,
       {{trace_inverse<Symbolic>, true}}},
      {{"gravity", "joint forces that hold the machine at rest", "", false},
       {"tau", -1, "joint forces at rest"},
       trace_inverse<double>,
       {{trace_inverse<Symbolic>, true}}},
      {{"kinematics", "pose of a frame", "", true},
       {"X", 12, "pose of the frame in the world: the rows of the 3 x 4 matrix [R p]"},
       trace_pose<double>,
       {{trace_pose<Symbolic>, false}}},
      {{"velocity", "twist of a frame", "qd", true},
       {"V", 6, "angular velocity, then linear velocity"},
       trace_twist<double>,
       {{trace_twist<Symbolic>, false}}},
      {{"acceleration", "acceleration of a frame", "qd qdd", true},
       {"A", 6, "angular acceleration, then linear acceleration"},
       trace_acceleration<double>,
       {{trace_acceleration<Symbolic>, false}}},
      {{"jacobian", "Jacobian of a frame", "", true},
       {"J", -6, "6 x nv matrix, column by column; angular rows first"},
       trace_jacobian<double>,
       {{trace_jacobian<Symbolic>, false}}},
      {{"jacobian-rate", "time derivative of a frame's Jacobian", "qd", true},
       {"Jdot", -6, "6 x nv matrix, column by column; angular rows first"},
       trace_jacobian_rate<double>,
       {{trace_jacobian_rate<Symbolic>, false}}},
      {{"mass-centre", "mass centre of everything that moves", "", false},
       {"com", 3, "mass centre in the world"},
       trace_mass_centre<double>,
       {{trace_mass_centre<Symbolic>, false}}},
      {{"energy", "kinetic and potential energy", "qd", false},
       {"E", 2, "kinetic energy, potential energy"},
       trace_energy<double>,
       {{trace_energy<Symbolic>, false}}},
  };
  return table;
}

const Row& row_of(const std::string& function) {
  std::vector<std::string> known;
  for (const Row& row : rows()) {
    if (row.kind.name == function) return row;
    known.emplace_back(row.kind.name);
  }
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  throw InputError({}, "there is no function '" + function + "'" + did_you_mean(function, known),
                   "the functions are: " + list);
}

const FrameInfo* frame_of(const Mechanism<double>& m, const GeneratedKind& kind,
                          const std::string& frame) {
  const std::string name(kind.name);
  if (!kind.needs_frame) {
    if (frame.empty()) return nullptr;
    throw InputError({}, "function '" + name + "' is of the whole model, not of a frame",
                     "leave the frame out");
  }
  std::vector<std::string> known;
  for (const FrameInfo& f : m.names->frames) known.push_back(f.name);
  if (frame.empty())
    throw InputError({}, "function '" + name + "' needs a frame",
                     "name one of '" + m.names->model + "', e.g. '" + known.back() + "'");
  const int i = m.names->frame(frame);
  if (i >= 0) return &m.names->frames[index(i)];
  throw InputError({}, "'" + frame + "' is not a frame of '" + m.names->model + "'" +
                           did_you_mean(frame, known));
}

ProgramArray array_of_rates(const std::string& name, int nv) {
  const char* meaning = name == "qd"    ? "joint velocities"
                        : name == "qdd" ? "joint accelerations"
                                        : "joint forces";
  return {name, nv, meaning};
}

int size_of(int code, int nv) { return code > 0 ? code : code == -2 ? nv * nv : -code * nv; }

Symbolic symbolic(double x) { return Symbolic(x); }
Pose<Symbolic> symbolic(const Pose<double>& X) {
  const auto vector = [](const Vec3<double>& v) {
    return Vec3<Symbolic>{symbolic(v.x), symbolic(v.y), symbolic(v.z)};
  };
  return {{vector(X.R.x), vector(X.R.y), vector(X.R.z)}, vector(X.p)};
}

Program trace(const Mechanism<double>& model, const Row& row, const Way& way,
              const FrameInfo* frame, Axes axes) {
  Mechanism<double> m = way.base_parameters ? with_base_parameters(model) : model;
  m.deep = way.deep;
  Program program;
  program.inputs.push_back({"q", m.nq, "joint positions"});
  std::string rates(row.kind.rates);
  for (std::size_t at = 0; at < rates.size();) {
    const std::size_t end = std::min(rates.find(' ', at), rates.size());
    program.inputs.push_back(array_of_rates(rates.substr(at, end - at), m.nv));
    at = end + 1;
  }
  program.output = row.output;
  program.output.size = size_of(row.output.size, m.nv);

  Tracing tracing;
  std::vector<Numbers<Symbolic>> arrays(3);
  int number = 0;
  for (std::size_t k = 0; k < program.inputs.size(); ++k) {
    for (int i = 0; i < program.inputs[k].size; ++i) arrays[k].push_back(tracing.input(number++));
  }
  const Mechanism<Symbolic> mechanism = cast<Symbolic>(m);
  const Mechanism<Symbolic> shifted =
      way.base_parameters ? cast<Symbolic>(with_base_parameters(with_short_offsets(model)))
                          : mechanism;
  const std::size_t n = index(m.tree_nv);
  Workspace<Symbolic> w(mechanism, 64 * n + 2 * n * n);
  Subject<Symbolic> subject{mechanism, shifted, w, arrays[0], arrays[1], arrays[2]};
  if (frame != nullptr) subject.body = frame->body, subject.X_BF = symbolic(frame->X_BF);
  subject.axes = axes;
  const Numbers<Symbolic> results = way.trace(subject);
  std::vector<ExpressionRef> expressions;
  for (const Symbolic& result : results) expressions.push_back(result.expression());
  add_expressions(program, tracing.graph(), expressions);
  return program;
}

}  // namespace

std::span<const GeneratedKind> generated_kinds() {
  static const std::vector<GeneratedKind> kinds = [] {
    std::vector<GeneratedKind> list;
    for (const Row& row : rows()) list.push_back(row.kind);
    return list;
  }();
  return kinds;
}

Program traced_program(const Mechanism<double>& m, const GeneratedRequest& request) {
  const Row& row = row_of(request.function);
  const FrameInfo* frame = frame_of(m, row.kind, request.frame);
  // Ways that are far behind before they are simplified would stay so.
  std::vector<Program> programs;
  int least = std::numeric_limits<int>::max();
  for (const Way& way : row.ways) {
    programs.push_back(trace(m, row, way, frame, request.axes));
    least = std::min(least, cost_of(programs.back()).operations());
  }
  Program best;
  for (Program& program : programs) {
    if (cost_of(program).operations() > least + least / 4) continue;
    simplify(program);
    if (best.values.empty() || cost_of(program).operations() < cost_of(best).operations())
      best = std::move(program);
  }
  return best;
}

std::vector<double> reference_results(const Mechanism<double>& m, const GeneratedRequest& request,
                                      std::span<const double> inputs) {
  const Row& row = row_of(request.function);
  const FrameInfo* frame = frame_of(m, row.kind, request.frame);
  const std::size_t nq = index(m.nq), nv = index(m.nv);
  const std::size_t arrays = row.kind.rates.empty() ? 0 : row.kind.rates.size() > 2 ? 2 : 1;
  check_size("inputs", inputs.size(), nq + arrays * nv);
  Workspace<double> w(m);
  Subject<double> subject{m, m, w, inputs.subspan(0, nq), {}, {}};
  if (arrays > 0) subject.first = inputs.subspan(nq, nv);
  if (arrays > 1) subject.second = inputs.subspan(nq + nv, nv);
  if (frame != nullptr) subject.body = frame->body, subject.X_BF = frame->X_BF;
  subject.axes = request.axes;
  return row.reference(subject);
}

}  // namespace catena
