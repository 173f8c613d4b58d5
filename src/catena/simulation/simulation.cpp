#include "catena/simulation/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/support/error.hpp"

namespace catena {
namespace {

System::In in(const Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
System::Out out(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

// Where events are looked for within a step, besides its ends.
constexpr int pieces = 4;

}  // namespace

Simulation::Simulation(System& system, Integrator& integrator, const SimulationOptions& options,
                       std::vector<Event> events, Listener listener)
    : system_(system),
      integrator_(integrator),
      options_(options),
      events_(std::move(events)),
      listener_(std::move(listener)),
      num_switches_(system.num_switches()),
      q_(system.nq()),
      v_(system.nv()),
      before_(system.num_switches() + static_cast<Eigen::Index>(events_.size())) {}

double Simulation::sample_time(long i) const {
  const double t = options_.begin + static_cast<double>(i) * options_.sample;
  return t > options_.end - 1e-9 * options_.sample ? options_.end : t;
}

void Simulation::start(System::In q, System::In v) {
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(v.begin(), v.end(), v_.begin());
  system_.project(options_.begin, out(q_), out(v_));
  system_.begin(options_.begin, out(q_), out(v_));
  integrator_.start(options_.begin, in(q_), in(v_));
  if (listener_.sample) listener_.sample(options_.begin, in(q_), in(v_));
  next_sample_ = 1;
  values(options_.begin, q_, v_, before_);
}

void Simulation::resume(const SimulationState& state) {
  system_.set_regime(state.regime);
  system_.go_on(state.time, state.q);
  integrator_.start(state.time, state.q, state.v);
  integrator_.restore(state.memory, state.counts);
  next_sample_ = state.next_sample;
  switches_ = state.switches;
  values(state.time, integrator_.q(), integrator_.v(), before_);
}

SimulationState Simulation::state() const {
  const auto& q = integrator_.q();
  const auto& v = integrator_.v();
  return {integrator_.time(),   {q.begin(), q.end()}, {v.begin(), v.end()}, integrator_.memory(),
          integrator_.counts(), next_sample_,         system_.regime(),     switches_};
}

void Simulation::values(double t, const VectorXd& q, const VectorXd& v, VectorXd& result) {
  if (num_switches_ > 0)
    system_.switches(t, in(q), in(v), {result.data(), static_cast<std::size_t>(num_switches_)});
  for (std::size_t i = 0; i < events_.size(); ++i)
    result[num_switches_ + static_cast<Eigen::Index>(i)] = events_[i].value(t, in(q), in(v));
}

void Simulation::state_at(double t) { integrator_.at(t, out(q_), out(v_)); }

double Simulation::value_at(double t, Eigen::Index which) {
  state_at(t);
  if (which >= num_switches_)
    return events_[static_cast<std::size_t>(which - num_switches_)].value(t, in(q_), in(v_));
  VectorXd all(before_.size());
  values(t, q_, v_, all);
  return all[which];
}

// A zero between two times of different sign; of the two neighbours, the later one. Regula falsi
// (Illinois), kept within the bracket.
double Simulation::root(Eigen::Index which, double before, double after, bool falling) {
  const double sign = falling ? 1 : -1;
  double f0 = sign * value_at(before, which), f1 = sign * value_at(after, which);
  int side = 0;
  const double tiny = 4e-16 * std::max(1., std::fabs(after));
  for (int i = 0; i < 200 && after - before > tiny && f1 != 0; ++i) {
    double t = i % 3 == 2 ? 0.5 * (before + after) : (before * f1 - after * f0) / (f1 - f0);
    if (!(t > before && t < after)) t = 0.5 * (before + after);
    if (t == before || t == after) break;
    const double f = sign * value_at(t, which);
    if (f > 0) {
      before = t, f0 = f;
      if (side == 1) f1 /= 2;
      side = 1;
    } else {
      after = t, f1 = f;
      if (side == -1) f0 /= 2;
      side = -1;
      if (f == 0) break;
    }
  }
  return after;
}

// Zeros in the last step: all events up to the first switch or event that stops, sorted by time.
std::vector<Simulation::Found> Simulation::find() {
  std::vector<Found> found;
  const double t0 = integrator_.previous_time(), t1 = integrator_.time();
  VectorXd last = before_, next(before_.size());
  for (int piece = 1; piece <= pieces; ++piece) {
    const double a = t0 + (t1 - t0) * (piece - 1) / pieces;
    const double b = piece == pieces ? t1 : t0 + (t1 - t0) * piece / pieces;
    state_at(b);
    values(b, q_, v_, next);
    for (Eigen::Index k = 0; k < next.size(); ++k) {
      const bool is_switch = k < num_switches_;
      const Event::Direction wanted =
          is_switch ? Event::Direction::falling
                    : events_[static_cast<std::size_t>(k - num_switches_)].direction;
      bool falling = last[k] > 0 && next[k] <= 0 && wanted != Event::Direction::rising;
      const bool rising = last[k] < 0 && next[k] >= 0 && wanted != Event::Direction::falling;
      double from = a;
      if (is_switch && piece == 1 && last[k] <= 0 && next[k] < 0) {
        // It began on zero: was it above between? A short flight from a stop, for instance.
        for (int i = 0; i < 30 && !falling; ++i) {
          from = t0 + (b - t0) * std::ldexp(1., -i - 1);
          falling = value_at(from, k) > 0;
        }
        if (!falling) {
          found.push_back({t0, static_cast<int>(k), -1, false});
          continue;
        }
      }
      if (!falling && !rising) continue;
      const double t = root(k, from, b, falling);
      found.push_back({t, is_switch ? static_cast<int>(k) : -1,
                       is_switch ? -1 : static_cast<int>(k - num_switches_), rising});
    }
    last = next;
    if (!found.empty() &&
        std::any_of(found.begin(), found.end(), [](const Found& f) { return f.switch_index >= 0; }))
      break;
  }
  // An event at the time of a switch (friction stops what passes through zero) comes before it.
  const double tiny = 1e-12 * std::max(1., std::fabs(t1));
  const auto rank = [&](const Found& f) { return f.switch_index >= 0 ? f.time + tiny : f.time; };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Found& x, const Found& y) { return rank(x) < rank(y); });
  before_ = last;
  return found;
}

void Simulation::tell_samples(double until, bool with_end) {
  for (;; ++next_sample_) {
    const double t = sample_time(next_sample_);
    if (t > until || (t == until && !with_end)) return;
    if (sample_time(next_sample_ - 1) >= options_.end) return;  // the end has been told
    state_at(t);
    if (listener_.sample) listener_.sample(t, in(q_), in(v_));
  }
}

Simulation::Status Simulation::advance() {
  try {
    integrator_.step(options_.end);
  } catch (const NumericalError& error) {
    const std::string text = error.what();
    if (text.starts_with("at t = ")) throw;
    throw NumericalError(at_time(integrator_.time()) + text);
  }
  if (before_.size() > 0) {
    for (const Found& f : find()) {
      tell_samples(f.time, false);
      state_at(f.time);
      if (f.event_index >= 0) {
        const Event& event = events_[static_cast<std::size_t>(f.event_index)];
        if (listener_.event) listener_.event(event, f.time, f.rising, in(q_), in(v_));
        if (!event.stops) continue;
        integrator_.start(f.time, in(q_), in(v_));
        return Status::stopped;
      }
      system_.switch_over(f.switch_index, f.time, out(q_), out(v_));
      ++switches_;
      const StepMemory memory = integrator_.memory();
      integrator_.start(f.time, in(q_), in(v_));
      integrator_.restore({std::min(memory.step, 1e-3), 0}, integrator_.counts());
      values(f.time, q_, v_, before_);
      idle_ = f.time > last_switch_ ? 0 : idle_ + 1;
      last_switch_ = f.time;
      if (idle_ > 1000)
        throw NumericalError(at_time(f.time) +
                             "stops or dry friction switch without end; take the friction out, or "
                             "raise the restitution of the stops");
      if (f.time < options_.end) return Status::running;
      tell_samples(f.time, true);
      return Status::finished;
    }
  }
  tell_samples(integrator_.time(), true);
  return integrator_.time() >= options_.end ? Status::finished : Status::running;
}

}  // namespace catena
