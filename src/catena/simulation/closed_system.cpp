#include "catena/simulation/closed_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/simulation/integrator.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Loops that are open by more cannot be closed any more.
constexpr double too_open = 1e-9;
// Nearer to a singularity than this, evaluations are brought onto the loops, too: what a step
// leaves open is divided by the distance.
constexpr double near_singular = 0.3;
// A start that is nearer says nothing about how far the mechanism usually is.
constexpr double least_usual = 0.01;
// Independent velocities whose others follow worse than this are given up for better ones.
constexpr double bad_choice = 0.05;

Model without_dry_friction(Model model) {
  for (Joint& joint : model.joints) joint.dynamics.coulomb = 0;
  return model;
}

void copy(System::In from, VectorXd& to) { std::copy(from.begin(), from.end(), to.begin()); }
void copy(const VectorXd& from, System::Out to) { std::copy(from.begin(), from.end(), to.begin()); }

// Those that are not in a list, of n.
std::vector<int> others(int n, const std::vector<int>& list) {
  std::vector<int> rest;
  for (int v = 0; v < n; ++v) {
    if (std::find(list.begin(), list.end(), v) == list.end()) rest.push_back(v);
  }
  return rest;
}

}  // namespace

ClosedSystem::ClosedSystem(const Model& model, const CompileOptions& compile_options,
                           const ClosedOptions& options)
    : options_(options),
      dynamics_(without_dry_friction(model), compile_options),
      closing_(dynamics_.mechanism()),
      tree_(compile(model, compile_options), formulations<double>().front()),
      start_(assemble_from_afar(mechanism(), closing_.state(), mechanism().start)),
      letters_(index(nv()), '.'),
      fixed_(index(nv()), 0),
      all_fixed_(index(nv()), 0),
      Fext_B_(dynamics_.mechanism().tree.bodies.size()),
      q_(nq()),
      v_(nv()),
      a_(nv()),
      tau_(nv()),
      force_(VectorXd::Zero(nv())) {
  if (const std::string why = loop_refusal(options_.method, mechanism()); !why.empty())
    make_loop_solver(options_.method, mechanism());  // says so, and which methods can
  if (options_.stabilisation == Stabilisation::baumgarte) {
    if (options_.method == LoopMethod::homogeneous)
      throw InputError({},
                       "method 'homogeneous' has loop equations of its own, which Baumgarte's "
                       "forces do not act in",
                       "use another of --loops, or --stabilise projection");
    dynamics_.stabilise(options_.alpha, options_.beta);
  }
  if (options_.independent) independent_.assign(index(nv()), 0);
  find_watch();
}

// The joints that should decide how all others move: driven ones, or the actuators.
std::vector<int> ClosedSystem::leading() const {
  std::vector<int> all;
  for (const Driven& d : driven_) all.push_back(d.velocity);
  if (!all.empty()) return all;
  return mechanism().has_actuators ? mechanism().actuated : all;
}

// The motion is watched if the leading joints are as many as the mobility.
void ClosedSystem::find_watch() {
  const ClosedMechanism& m = mechanism();
  watches_ = false;
  columns_.clear();
  rank_ = 0;
  if (m.num_rows() > 0 && start_.closed) {
    closing_.state().set_position(start_.q);
    rank_ = mobility_of(closing_.state().jacobian()).rank;
    const std::vector<int> lead = leading();
    if (!lead.empty() && rank_ + static_cast<int>(lead.size()) == nv()) {
      columns_ = others(nv(), lead);
      watches_ = !options_.through_singularities;
    }
  }
  watch_ = SingularityWatch(columns_, rank_);
  if (rank_ > 0) {
    SingularityWatch at_start = watch_;
    at_start.follow(closing_.state());
    usual_distance_ = std::max(at_start.distance(), least_usual);
  }
  find_switches();
}

void ClosedSystem::find_switches() {
  switches_.clear();
  if (watches_) switches_.push_back({SwitchKind::singular});
  std::vector<Switch> more;
  for (const JointInfo& j : mechanism().tree.names->joints) {
    if (j.mimic) continue;
    for (int v = j.v; v < j.v + j.nv; ++v) {
      if (letters_[index(v)] == 'd') continue;
      if (tree_.dry_friction()[index(v)] > 0) more.push_back({SwitchKind::slide, v});
      if (!options_.stops || j.nq != 1) continue;
      if (std::isfinite(j.limits.lower))
        more.push_back({SwitchKind::lower, v, j.q, j.limits.lower});
      if (std::isfinite(j.limits.upper))
        more.push_back({SwitchKind::upper, v, j.q, j.limits.upper});
    }
  }
  if (!more.empty()) switches_.push_back({SwitchKind::hold});
  switches_.insert(switches_.end(), more.begin(), more.end());
}

void ClosedSystem::drive(int velocity, std::shared_ptr<const DrivenMotion> motion) {
  const int position = tree_.position_of(velocity);
  if (position < 0)
    throw InputError({}, "joint '" + velocity_name(velocity) +
                             "' has a quaternion and cannot be driven by a motion");
  driven_.push_back({velocity, position, std::move(motion)});
  set_letter(index(velocity), 'd');
  find_watch();
}

bool ClosedSystem::is_fixed(std::size_t v) const {
  const char r = letters_[v];
  return r == 'd' || r == '0' || r == 'l' || r == 'u';
}

void ClosedSystem::set_letter(std::size_t v, char letter) {
  letters_[v] = letter;
  fixed_[v] = is_fixed(v);
  all_fixed_[v] = fixed_[v] != 0 || (!independent_.empty() && independent_[v] != 0);
}

bool ClosedSystem::close(const std::vector<char>& fixed) {
  const Closing::Outcome positions = closing_.positions(q_, fixed);
  worst_closure_ = positions.worst_closure;
  if (!(positions.residual < too_open)) return false;
  const Closing::Outcome velocities = closing_.velocities(v_, fixed);
  if (!(velocities.residual < too_open * (1 + v_.cwiseAbs().maxCoeff()))) {
    worst_closure_ = velocities.worst_closure;
    return false;
  }
  return true;
}

bool ClosedSystem::take(double t, In q, In v) {
  copy(q, q_), copy(v, v_);
  a_.setZero();
  for (const Driven& d : driven_) d.motion->at(t, q_[d.position], v_[d.velocity], a_[d.velocity]);
  if (!options_.independent && !near_ && !options_.every_evaluation) return true;
  return close(all_fixed_);
}

// tau_ and Fext_B_ at (t, q_, v_), with the friction of joints that slide.
void ClosedSystem::applied_forces(double t) {
  tau_.setZero();
  if (!forces_.empty()) std::fill(Fext_B_.begin(), Fext_B_.end(), Force<double>{});
  for (const auto& forces : forces_)
    forces->add(t, {q_.data(), index(nq())}, {v_.data(), index(nv())}, {tau_.data(), index(nv())},
                Fext_B_);
  const std::vector<double>& friction = tree_.dry_friction();
  for (std::size_t v = 0; v < letters_.size(); ++v) {
    if (letters_[v] == '+') tau_[static_cast<Index>(v)] -= friction[v];
    if (letters_[v] == '-') tau_[static_cast<Index>(v)] += friction[v];
  }
}

// At (q_, v_).
void ClosedSystem::forward(In tau, Out a) {
  dynamics_.forward_dynamics({q_.data(), index(nq())}, {v_.data(), index(nv())}, tau,
                             forces_.empty() ? std::span<const Force<double>>() : Fext_B_, a,
                             options_.method);
}

void ClosedSystem::solve(Out a) {
  force_.setZero();
  if (std::find(fixed_.begin(), fixed_.end(), 1) == fixed_.end())
    return forward({tau_.data(), index(nv())}, a);
  const Held h = held(false);
  for (std::size_t i = 0; i < h.velocities.size(); ++i)
    force_[h.velocities[i]] = h.forces.force[static_cast<Index>(i)];
  const VectorXd all = tau_ + force_;
  forward({all.data(), index(nv())}, a);
  for (int v : h.velocities) a[index(v)] = a_[v];
}

void ClosedSystem::acceleration(double t, In q, In v, Out a) {
  trouble_.clear();
  if (!take(t, q, v)) {
    trouble_ = "loop '" + mechanism().closures[index(worst_closure_)].name +
               "' cannot be closed beyond this position";
    std::fill(a.begin(), a.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  applied_forces(t);
  solve(a);
}

void ClosedSystem::fail_open(double t) const {
  std::vector<int> driven;
  for (const Driven& d : driven_) driven.push_back(d.velocity);
  const std::string loop = "'" + mechanism().closures[index(worst_closure_)].name + "'";
  if (!driven.empty())
    throw NumericalError(at_time(t) + "the motion of the driven joints (" + names_of(driven) +
                         ") cannot be followed: loop " + loop +
                         " would have to open\n    drive fewer joints, or not as far");
  throw NumericalError(at_time(t) + "the loops cannot be closed any more (loop " + loop +
                       "); take smaller tolerances");
}

double ClosedSystem::clearance(In q) {
  if (!near_) return 1;
  copy(q, q_);
  closing_.state().set_position(q_);
  return std::fabs(watch_.signed_distance(closing_.state())) / usual_distance_;
}

bool ClosedSystem::project(double t, Out q, Out v) {
  copy(q, q_), copy(v, v_);
  double a = 0;
  for (const Driven& d : driven_) d.motion->at(t, q_[d.position], v_[d.velocity], a);
  if (options_.stabilisation == Stabilisation::projection || options_.independent) {
    if (!close(all_fixed_)) fail_open(t);
  }
  const bool changed =
      !std::equal(q.begin(), q.end(), q_.begin()) || !std::equal(v.begin(), v.end(), v_.begin());
  copy(q_, q), copy(v_, v);
  return changed;
}

void ClosedSystem::accept(double t, In q, In) {
  if ((!looks() && !options_.independent) || mechanism().num_rows() == 0) return;
  copy(q, q_);
  closing_.state().set_position(q_);
  if (looks()) look_for_singularity(t, q);
  if (options_.independent) give_up_bad_choice();
}

// At q_, to which the state of the loops is set. A singularity that was passed is followed to its
// other side until the next step, so that events in this one can be found.
void ClosedSystem::look_for_singularity(double t, In q) {
  const double through = watch_.signed_distance(closing_.state());
  const bool passes = watch_.follows() && through <= 0 && !passed_;
  if (passes) {  // about where it was
    const double part = last_distance_ / (last_distance_ - through);
    VectorXd way(nv()), between(nq());
    difference_configuration<double>(mechanism().tree, {last_q_.data(), index(nq())}, q,
                                     {way.data(), index(nv())});
    way *= part;
    tree_.move({last_q_.data(), index(nq())}, {way.data(), index(nv())},
               {between.data(), index(nq())});
    closing_.state().set_position(between);
    const double least = catena::distance_to_singularity(closing_.state(), columns_, rank_);
    if (least < nearest_.distance)
      nearest_ = {least, last_time_ + part * (t - last_time_), between};
    closing_.state().set_position(q_);
    last_distance_ = -through;
  } else {
    watch_.follow(closing_.state());
    last_distance_ = watch_.distance();
  }
  passed_ = passes;
  near_ = options_.through_singularities && last_distance_ < near_singular &&
          options_.stabilisation == Stabilisation::projection;
  if (last_distance_ < nearest_.distance || nearest_.q.size() == 0)
    nearest_ = {last_distance_, t, q_};
  last_time_ = t, last_q_ = q_;
}

// At q_ as well.
void ClosedSystem::give_up_bad_choice() {
  const RowMatrix& K = closing_.state().jacobian();
  const auto quality = [&](const std::vector<int>& chosen) {
    return catena::distance_to_singularity(closing_.state(), others(nv(), chosen), rank_);
  };
  const double now = quality(independent_velocities());
  if (now > bad_choice) return;
  const std::vector<int> better = catena::independent_velocities(K, {});
  if (static_cast<int>(better.size()) != nv() - rank_ || quality(better) < 2 * now) return;
  ++choices_;
  std::fill(independent_.begin(), independent_.end(), 0);
  for (int v : better) independent_[index(v)] = 1;
  for (std::size_t v = 0; v < letters_.size(); ++v) set_letter(v, letters_[v]);
}

std::vector<int> ClosedSystem::independent_velocities() const {
  std::vector<int> chosen;
  for (std::size_t v = 0; v < independent_.size(); ++v) {
    if (independent_[v] != 0) chosen.push_back(static_cast<int>(v));
  }
  return chosen;
}

// At q_: the leading joints, as far as they are independent.
void ClosedSystem::choose_independent() {
  if (!options_.independent) return;
  closing_.state().set_position(q_);
  std::fill(independent_.begin(), independent_.end(), 0);
  for (int v : catena::independent_velocities(closing_.state().jacobian(), leading()))
    independent_[index(v)] = 1;
  for (std::size_t v = 0; v < letters_.size(); ++v) set_letter(v, letters_[v]);
}

double ClosedSystem::distance_to_singularity(In q) {
  copy(q, q_);
  closing_.state().set_position(q_);
  if (!watch_.follows()) watch_.follow(closing_.state());
  return watch_.signed_distance(closing_.state());
}

Energies ClosedSystem::energies(In q, In v) {
  const Eigen::Map<const VectorXd> position(q.data(), nq()), velocity(v.data(), nv());
  return {dynamics_.kinetic_energy(position, velocity), dynamics_.potential_energy(position)};
}

void ClosedSystem::joint_forces(double t, In q, In v, In, Out tau) {
  if (!take(t, q, v)) fail_open(t);
  applied_forces(t);
  VectorXd a(nv());
  solve({a.data(), index(nv())});
  const std::vector<double>& friction = tree_.dry_friction();
  for (std::size_t i = 0; i < tau.size(); ++i) {
    const auto k = static_cast<Index>(i);
    tau[i] = tau_[k] + (letters_[i] == 'd' ? force_[k] : 0);
    if (letters_[i] == '+') tau[i] += friction[i];
    if (letters_[i] == '-') tau[i] -= friction[i];
  }
}

double ClosedSystem::residual(double, In q, In) {
  copy(q, q_);
  closing_.state().set_position(q_);
  return mechanism().num_rows() > 0 ? closing_.state().values().cwiseAbs().maxCoeff() : 0;
}

std::string ClosedSystem::regime() const {
  std::string text = letters_;
  for (char i : independent_) text += i != 0 ? 'i' : '.';
  text += near_ ? '1' : '0';
  return text;
}

void ClosedSystem::go_on(double t, In q) {
  if (!looks() || mechanism().num_rows() == 0) return;
  copy(q, q_);
  closing_.state().set_position(q_);
  const bool near = near_;
  watch_ = SingularityWatch(columns_, rank_);
  passed_ = false;
  look_for_singularity(t, q);
  near_ = near;
}

void ClosedSystem::set_regime(const std::string& text) {
  const std::size_t n = letters_.size();
  if (text.size() != n + independent_.size() + 1) return;
  for (std::size_t v = 0; v < independent_.size(); ++v) independent_[v] = text[n + v] == 'i';
  for (std::size_t v = 0; v < n; ++v) set_letter(v, text[v]);
  near_ = text.back() == '1';
}

}  // namespace catena
