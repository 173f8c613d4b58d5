// What goes into a simulation of a model with loops: its first state and motion, completed by them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/loops/rough_assembly.hpp"
#include "catena/simulation/closed_control.hpp"
#include "closed.hpp"
#include "simulate.hpp"

namespace catena::cli {
namespace {

using Eigen::VectorXd;

constexpr double first_state_slack = 1e-6;

std::size_t slot(int i) { return static_cast<std::size_t>(i); }

bool lists(const std::vector<int>& list, int v) {
  return std::find(list.begin(), list.end(), v) != list.end();
}

// The velocities whose positions are marked; all of a quaternion's at once.
std::vector<int> velocities_of(const Mechanism<double>& m, const std::vector<char>& positions) {
  std::vector<int> all;
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic) continue;
    for (int k = 0; k < j.nv; ++k) {
      if (positions[slot(j.nq == j.nv ? j.q + k : j.q)] != 0) all.push_back(j.v + k);
    }
  }
  return all;
}

struct LoopMotion {
  std::shared_ptr<const Sampled> reference;
  std::vector<int> driven;
};

// --motion of a model with loops. As soon as the file says enough, all joints follow from it, and
// what it says of the others is checked; driven joints alone may leave motions open.
LoopMotion motion_of(const SimulateOptions& o, const Model& model, const ClosedMechanism& c,
                     const Assembly& start) {
  const Mechanism<double>& m = c.tree;
  LoopMotion motion;
  motion.driven = driven_of(o, model, m);
  if (o.motion.empty()) return motion;
  const Table table = read_table(o.motion);
  const DataColumns columns(m, table, DataColumns::Positions::some);
  const std::vector<double> times = times_of(table);
  std::vector<char> given(slot(m.nq), 0);
  for (int i = 0; i < m.nq; ++i) given[slot(i)] = columns.given("q", i);
  const std::vector<int> known = velocities_of(m, given);
  LoopState loops(c);
  loops.set_position(start.q);
  bool enough = start.closed;
  for (int v : independent_velocities(loops.jacobian(), known)) enough = enough && lists(known, v);
  const auto n = static_cast<Eigen::Index>(times.size());
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(m.nv, n), qd(m.nv, n), qdd(m.nv, n);
  const auto put = [&](Eigen::Index r, const VectorXd& position) {
    for (const JointInfo& j : m.names->joints) {
      if (!j.mimic && j.nq == j.nv) q.col(r).segment(j.v, j.nv) = position.segment(j.q, j.nq);
    }
  };
  if (enough || !o.controller.empty()) {
    ClosedRows rows(c, loops, table, ClosedRows::Use::motion);
    for (Eigen::Index r = 0; r < n; ++r) {
      const ClosedRow row = rows.next();
      put(r, row.q), qd.col(r) = row.qd, qdd.col(r) = row.qdd;
    }
  } else {
    for (int v : motion.driven) {
      if (!lists(known, v))
        throw InputError(table.where_header(),
                         fmt::format("there is no column 'q.{}' for the driven joint",
                                     velocity_names(m)[slot(v)]),
                         "give its position over time");
    }
    for (Eigen::Index r = 0; r < n; ++r) {
      const DataRow row = columns.row(static_cast<std::size_t>(r));
      put(r, row.q), qd.col(r) = row.qd, qdd.col(r) = row.qdd;
    }
  }
  motion.reference = motion_through(times, q, qd, qdd, columns);
  return motion;
}

// The first state: what is driven or named is held, as far as it is independent, and the rest of
// what was named is checked; all others follow from the loops.
class FirstState {
 public:
  FirstState(const SimulateOptions& o, const Model& model, const ClosedSystem& system,
             const LoopMotion& motion, const InitialState& given)
      : c_(system.mechanism()),
        m_(c_.tree),
        loops_(c_),
        start_(system.start()),
        motion_(motion),
        given_(given),
        names_(velocity_names(m_)) {
    named_q_ = velocities_of(m_, given.named_q);
    for (int v = 0; v < m_.nv; ++v) {
      if (given.named_v[slot(v)] != 0) named_v_.push_back(v);
    }
    source_ = o.initial.find('=') == std::string::npos ? o.initial : "--initial";
    if (!o.driven.empty()) return;
    for (const DrivenJoint& d : model.driven) {
      const JointInfo& joint = m_.names->joints[slot(m_.names->joint(d.joint))];
      where_driven_.insert(where_driven_.end(), slot(joint.nv), d.where);
    }
  }

  InitialState close() {
    Assembly a = start_;
    VectorXd target = a.q;
    InitialState s = given_;
    for (int i = 0; i < m_.nq; ++i) {
      if (given_.named_q[slot(i)] != 0) target[i] = given_.q[i];
    }
    for (int v : motion_.driven) {
      if (motion_.reference == nullptr || position_of(m_, v) < 0) continue;
      const Sampled::Point p = motion_.reference->at(0, v);
      target[position_of(m_, v)] = p.value, s.v[v] = p.first;
    }
    if (a.closed) loops_.set_position(a.q);
    const std::vector<char> held = independent(named_q_);
    const bool moved = !named_q_.empty() || !motion_.driven.empty();
    if (moved) {
      if (a.closed) a = follow(c_, loops_, a.q, target, held);
      if (!a.closed) a = assemble_from_afar(c_, loops_, target, held);
    }
    if (!a.closed)
      throw NumericalError(describe_open(c_, a) +
                           "\n    give --initial positions that fit, or 'start' in the model");
    s.q = a.q;
    check_positions(target, s.q);
    loops_.set_position(s.q);
    if (c_.num_rows() > 0) require_mobility(loops_);
    const std::vector<char> known = independent(named_v_);
    const VectorXd given = s.v;
    for (int v = 0; v < m_.nv; ++v) {
      if (known[slot(v)] == 0) s.v[v] = 0;
    }
    s.v = complete_rates(loops_.jacobian(), VectorXd::Zero(c_.num_rows()), s.v, known).rates;
    check_velocities(given, s.v);
    return s;
  }

 private:
  // As many velocities as may be chosen: driven ones, then these (actuated ones first), then
  // others.
  std::vector<char> independent(const std::vector<int>& first) {
    std::vector<char> held(slot(m_.nv), 0);
    const std::vector<int> actuated = c_.has_actuators ? c_.actuated : std::vector<int>{};
    std::vector<int> leading;
    for (int v : first) {
      if (lists(actuated, v)) leading.push_back(v);
    }
    for (int v : independent_velocities_of_groups(
             loops_.jacobian(), {motion_.driven, leading, first, named_q_, actuated}))
      held[slot(v)] = 1;
    for (std::size_t i = 0; i < motion_.driven.size(); ++i) {
      const std::size_t v = slot(motion_.driven[i]);
      if (held[v] != 0) continue;
      const std::string problem = fmt::format(
          "joint '{}' follows from the other driven joints through the loops", names_[v]);
      if (where_driven_.empty()) throw UsageError("--driven: " + problem + "; leave it out");
      throw InputError(where_driven_[i], "driven: " + problem, "leave it out");
    }
    return held;
  }

  void check_positions(const VectorXd& target, const VectorXd& q) const {
    for (int v : named_q_) {
      const int i = position_of(m_, v);
      if (i < 0 || lists(motion_.driven, v)) continue;
      double off = std::fabs(q[i] - target[i]);
      if (velocity_dimensions(m_)[slot(v)] == dimension::angle)
        off = std::min(off, std::fabs(std::remainder(q[i] - target[i], 2 * M_PI)));
      if (off <= first_state_slack) continue;
      throw InputError({},
                       fmt::format("{}: '{}' is {:.9g}, but the loops put it at {:.9g}: off by "
                                   "{:.3g}",
                                   source_, names_[slot(v)], target[i], q[i], off),
                       "leave it out: it follows from the others");
    }
  }
  void check_velocities(const VectorXd& given, const VectorXd& v) const {
    const double size = 1 + v.cwiseAbs().maxCoeff();
    for (int k : named_v_) {
      if (lists(motion_.driven, k) || std::fabs(v[k] - given[k]) <= first_state_slack * size)
        continue;
      throw InputError(
          {},
          fmt::format("{}: 'qd.{}' is {:.9g}, but the loops make it {:.9g}: off by {:.3g}", source_,
                      names_[slot(k)], given[k], v[k], std::fabs(v[k] - given[k])),
          "leave it out: it follows from the others");
    }
  }

  const ClosedMechanism& c_;
  const Mechanism<double>& m_;
  LoopState loops_;
  const Assembly& start_;
  const LoopMotion& motion_;
  const InitialState& given_;
  std::vector<std::string> names_;
  std::vector<int> named_q_, named_v_;
  std::string source_;
  std::vector<Where> where_driven_;  // by driven velocity, if the model says which
};

ClosedOptions closed_options(const SimulateOptions& o) {
  ClosedOptions options;
  options.through_singularities = o.through_singularities;
  options.method = loop_method(o.loops);
  options.stabilisation = o.stabilise == "baumgarte" ? Stabilisation::baumgarte
                          : o.stabilise == "none"    ? Stabilisation::none
                                                     : Stabilisation::projection;
  if (!o.baumgarte.empty()) {
    if (o.stabilise != "baumgarte")
      throw UsageError("--baumgarte is for --stabilise baumgarte; give both");
    const auto comma = o.baumgarte.find(',');
    options.alpha = parse_quantity(o.baumgarte.substr(0, comma), "--baumgarte", dimension::number);
    options.beta = comma == std::string::npos ? options.alpha
                                              : parse_quantity(o.baumgarte.substr(comma + 1),
                                                               "--baumgarte", dimension::number);
    if (options.alpha < 0 || options.beta < 0)
      throw UsageError("--baumgarte: a gain below zero drives the loops open");
  }
  options.independent = o.coordinates == "independent";
  if (options.independent && options.stabilisation != Stabilisation::projection)
    throw UsageError("--coordinates independent closes the loops itself; leave --stabilise out");
  bool own = false;  // integrators of the library take up what a projection changes
  for (const IntegratorInfo& info : integrators()) own = own || info.name == o.integrator;
  options.every_evaluation = !own && options.stabilisation == Stabilisation::projection;
  options.stops = o.stops, options.restitution = o.restitution;
  options.nearest = true;
  return options;
}

}  // namespace

std::unique_ptr<ClosedSystem> make_closed_system(const SimulateOptions& o, const Model& model,
                                                 const Mechanism<double>& m,
                                                 InitialState& initial) {
  if (o.method != "spatial")
    throw UsageError("--method " + o.method + " is for models without loops; choose --loops");
  const CompileOptions compile = compile_options(o.model);
  auto system = std::make_unique<ClosedSystem>(model, compile, closed_options(o));
  const ClosedMechanism& c = system->mechanism();
  for (const auto& forces : torques_of(o, m)) system->add_forces(forces);
  const LoopMotion motion = motion_of(o, model, c, system->start());
  initial = FirstState(o, model, *system, motion, initial).close();
  if (!o.controller.empty()) {
    system->add_forces(
        closed_control_forces(model, compile, controller_of(o, m, initial, motion.reference)));
  }
  for (int v : motion.driven) system->drive(v, driven_motion(motion.reference, v, m, initial));
  return system;
}

}  // namespace catena::cli
