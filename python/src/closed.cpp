// Closed chains: assembly, completed motions, mobility, closure conditions.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "catena/data/columns.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;
using Eigen::VectorXd;

const ClosedMechanism& loops_of(const Robot& r) {
  if (r.closed != nullptr) return r.closed->mechanism();
  throw InputError({}, "'" + r.m.names->model + "' has no loops to close");
}

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

std::string describe_open(const ClosedMechanism& m, const Assembly& a) {
  const std::string& name = m.closures[index(a.worst_closure)].name;
  if (a.flipped) return "loop '" + name + "' closes only with its axes against each other";
  return "loop '" + name + "' cannot be closed: " + short_number(a.residual) + " (m or rad) remain";
}

VectorXd vector_of(std::span<const double> x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

// Which coordinate a name stands for.
std::size_t find_name(const std::string& name, const std::vector<std::string>& names,
                      const char* what, const Robot& r) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw InputError({}, "'" + name + "' is not a " + what + " of '" + r.m.names->model + "'" +
                           did_you_mean(name, names));
}

// {"joint": number or (N,)} as coordinates with their values. The number of states is 0 if all are
// numbers.
struct Named {
  Named(const Robot& r, nb::handle dictionary, const std::vector<std::string>& names,
        const char* what) {
    if (dictionary.is_none()) return;
    if (!nb::isinstance<nb::dict>(dictionary))
      throw nb::type_error(
          (std::string(what) + "s are given as a dictionary {\"joint\": value}").c_str());
    for (auto [key, value] : nb::borrow<nb::dict>(dictionary)) {
      const std::string name = nb::cast<std::string>(key);
      std::vector<double> all;
      if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) {
        all = {nb::cast<double>(value)};
        if (!std::isfinite(all[0])) throw InputError({}, "'" + name + "' is not finite");
      } else {
        all = numbers_of(name.c_str(), value);
        if (count != 0 && all.size() != count)
          throw SizeError("'" + name + "' has " + std::to_string(all.size()) +
                          " states, but others have " + std::to_string(count));
        count = all.size(), many = true;
      }
      coordinates.push_back(find_name(name, names, what, r));
      values.push_back(std::move(all));
    }
  }
  double value(std::size_t k, std::size_t i) const {
    return values[k].size() == 1 ? values[k][0] : values[k][i];
  }

  std::vector<std::size_t> coordinates;
  std::vector<std::vector<double>> values;
  std::size_t count = 0;
  bool many = false;
};

// The velocity of a position that has one of its own, or -1.
int velocity_of(const Mechanism<double>& m, int position) {
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || position < j.q || position >= j.q + j.nq) continue;
    return j.nq == j.nv ? j.v + position - j.q : -1;
  }
  return -1;
}

// Goes from state to state on one branch.
class Assembler {
 public:
  Assembler(const Robot& r, const Named& given, const std::optional<VectorXd>& near)
      : r_(r), m_(loops_of(r)), state_(m_), given_(given) {
    for (std::size_t q : given.coordinates) {
      const int v = velocity_of(r.m, static_cast<int>(q));
      if (v < 0)
        throw InputError({}, "position '" + position_names(r.m)[q] +
                                 "' is a number of a quaternion and cannot be held; use near=");
      velocities_.push_back(v);
    }
    Assembly first = assemble_from_afar(m_, state_, near.value_or(m_.start));
    if (!first.closed) {
      VectorXd target = near.value_or(m_.start);
      impose(0, target);
      first = assemble_from_afar(m_, state_, target, held_at(target));
    }
    if (!first.closed) fail(first);
    last_ = first.q;
  }

  const VectorXd& next(std::size_t i) {
    if (velocities_.empty()) return last_;
    VectorXd target = last_;
    impose(i, target);
    const std::vector<char> held = held_at(last_);
    Assembly a = follow(m_, state_, last_, target, held);
    if (!a.closed) a = assemble(m_, state_, target, held);
    if (!a.closed && i == 0) a = assemble_from_afar(m_, state_, target, held);
    if (!a.closed) fail(a);
    check(i, a.q, held);
    last_ = a.q;
    return last_;
  }

 private:
  void impose(std::size_t i, VectorXd& q) const {
    for (std::size_t k = 0; k < velocities_.size(); ++k)
      q[static_cast<Eigen::Index>(given_.coordinates[k])] = given_.value(k, i);
  }
  // As many of the given ones as can be chosen freely, actuated ones first; the rest is checked.
  std::vector<char> held_at(const VectorXd& q) {
    std::vector<char> held(r_.nv(), 0);
    if (velocities_.empty()) return held;
    std::vector<int> preferred;
    const auto given = [&](int v) {
      return std::find(velocities_.begin(), velocities_.end(), v) != velocities_.end();
    };
    for (int v : m_.actuated) {
      if (m_.has_actuators && given(v)) preferred.push_back(v);
    }
    for (int v : velocities_) {
      if (std::find(preferred.begin(), preferred.end(), v) == preferred.end())
        preferred.push_back(v);
    }
    state_.set_position(q);
    for (int v : independent_velocities(state_.jacobian(), preferred)) held[index(v)] = given(v);
    return held;
  }
  void check(std::size_t i, const VectorXd& q, const std::vector<char>& held) const {
    for (std::size_t k = 0; k < velocities_.size(); ++k) {
      if (held[index(velocities_[k])] != 0) continue;
      const double is = q[static_cast<Eigen::Index>(given_.coordinates[k])],
                   wanted = given_.value(k, i);
      const bool turns = velocity_dimensions(r_.m)[index(velocities_[k])] == dimension::angle;
      const double off = turns ? std::remainder(is - wanted, 2 * M_PI) : is - wanted;
      if (std::abs(off) <= 1e-6) continue;
      throw InputError({},
                       "'" + position_names(r_.m)[given_.coordinates[k]] + "' is " +
                           short_number(wanted) + ", but the loops put it at " + short_number(is) +
                           ": off by " + short_number(std::abs(off)),
                       "leave it out: it follows from the others");
    }
  }
  [[noreturn]] void fail(const Assembly& a) const {
    throw NumericalError(describe_open(m_, a) +
                         "\n    check lengths and the given positions, or 'start' in the model, "
                         "which chooses the branch");
  }

  const Robot& r_;
  const ClosedMechanism& m_;
  LoopState state_;
  const Named& given_;
  std::vector<int> velocities_;  // of the given positions
  VectorXd last_;
};

nb::object assemble_named(const Robot& r, nb::handle positions, nb::handle near_) {
  const Named given(r, positions, position_names(r.m), "position");
  std::optional<VectorXd> near;
  if (!near_.is_none()) near = vector_of(Input::one("near", near_, r.nq()).row(0));
  Assembler assembler(r, given, near);
  const std::size_t n = given.many ? given.count : 1;
  std::vector<double> all;
  std::size_t i = 0;
  try {
    nb::gil_scoped_release release;
    for (; i < n; ++i) {
      const VectorXd& q = assembler.next(i);
      all.insert(all.end(), q.begin(), q.end());
    }
  } catch (...) {
    rethrow_for_state(std::current_exception(), i, given.many);
  }
  return given.many ? new_array(all, {n, r.nq()}) : new_array(all, {r.nq()});
}

// K, and the rates that complete the given ones.
VectorXd completed(const Robot& r, const ClosedMechanism& m, const RowMatrix& K,
                   const VectorXd& rhs, const Named& given, std::size_t i, const char* what) {
  VectorXd rates = VectorXd::Zero(m.tree.nv);
  std::vector<char> known(r.nv(), 0);
  for (std::size_t k = 0; k < given.coordinates.size(); ++k) {
    rates[static_cast<Eigen::Index>(given.coordinates[k])] = given.value(k, i);
    known[given.coordinates[k]] = 1;
  }
  const Completion c = complete_rates(K, rhs, rates, known);
  const double size = 1 + (K.size() > 0 ? K.cwiseAbs().maxCoeff() : 0) *
                              (rates.size() > 0 ? rates.cwiseAbs().maxCoeff() : 0);
  if (c.gap > 1e-6 * size) {
    const std::string& loop = m.closures[index(m.rows[index(c.worst_row)].closure)].name;
    throw InputError(
        {},
        std::string("the ") + what + " contradict loop '" + loop + "' by " + short_number(c.gap),
        "leave out those of the joints that follow from the others");
  }
  return c.rates;
}

nb::object complete(const Robot& r, nb::handle q_, nb::handle v_, nb::handle a_) {
  const ClosedMechanism& m = loops_of(r);
  const auto names = velocity_names(r.m);
  const Input q("q", q_, r.nq());
  const Named v_given(r, v_, names, "velocity"), a_given(r, a_, names, "velocity");
  std::size_t n = 1;
  bool many = false;
  for (const auto& [is_many, count] : {std::pair(q.many(), q.rows()),
                                       {v_given.many, v_given.count},
                                       {a_given.many, a_given.count}}) {
    if (!is_many) continue;
    if (many && count != n)
      throw SizeError("positions and rates are of " + std::to_string(n) + " and " +
                      std::to_string(count) + " states");
    many = true, n = count;
  }
  LoopState state(m);
  std::vector<double> v_all, a_all;
  std::size_t i = 0;
  try {
    nb::gil_scoped_release release;
    const bool with_accelerations = !a_.is_none();
    for (; i < n; ++i) {
      const VectorXd q_i = vector_of(q.row(i));
      state.set_motion(q_i, VectorXd::Zero(m.tree.nv));
      const RowMatrix K = state.jacobian();
      const VectorXd v = completed(r, m, K, VectorXd::Zero(m.num_rows()), v_given, i, "velocities");
      v_all.insert(v_all.end(), v.begin(), v.end());
      if (!with_accelerations) continue;
      state.set_motion(q_i, v);
      const VectorXd a = completed(r, m, K, -state.accelerations(), a_given, i, "accelerations");
      a_all.insert(a_all.end(), a.begin(), a.end());
    }
  } catch (...) {
    rethrow_for_state(std::current_exception(), i, many);
  }
  const auto array = [&](const std::vector<double>& all) {
    return many ? new_array(all, {n, r.nv()}) : new_array(all, {r.nv()});
  };
  if (a_.is_none()) return array(v_all);
  return nb::make_tuple(array(v_all), array(a_all));
}

nb::object closure(const Robot& r, nb::handle q_, nb::handle out) {
  const ClosedMechanism& m = loops_of(r);
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output values(out, states, {index(m.num_rows())});
  LoopState own(m);
  const auto make = [&] { return std::make_unique<LoopState>(m); };
  for_states(states, own, make, [&](LoopState& state, std::size_t i) {
    state.set_position(vector_of(q.row(i)));
    std::copy(state.values().begin(), state.values().end(), values.row(i).begin());
  });
  return values.take();
}

nb::object closure_jacobian(const Robot& r, nb::handle q_, nb::handle out) {
  const ClosedMechanism& m = loops_of(r);
  const StateInput q("q", q_, r.nq());
  const States states({&q});
  Output K(out, states, {index(m.num_rows()), r.nv()});
  LoopState own(m);
  const auto make = [&] { return std::make_unique<LoopState>(m); };
  for_states(states, own, make, [&](LoopState& state, std::size_t i) {
    state.set_position(vector_of(q.row(i)));
    std::copy_n(state.jacobian().data(), state.jacobian().size(), K.row(i).begin());
  });
  return K.take();
}

nb::dict mobility(const Robot& r, nb::handle q_) {
  const ClosedMechanism& m = loops_of(r);
  LoopState state(m);
  VectorXd q;
  if (q_.is_none()) {
    const Named none(r, nb::none(), {}, "position");
    q = Assembler(r, none, {}).next(0);
  } else {
    q = vector_of(Input::one("q", q_, r.nq()).row(0));
  }
  state.set_position(q);
  const Mobility found = mobility_of(state.jacobian());
  std::set<std::string> redundant;
  for (int row : found.redundant_rows)
    redundant.insert(m.closures[index(m.rows[index(row)].closure)].name);
  nb::dict all;
  all["mobility"] = found.by_rank;
  all["by_count"] = found.by_count;
  all["velocities"] = found.velocities;
  all["conditions"] = found.rows;
  all["rank"] = found.rank;
  all["smallest_singular_value"] = found.smallest;
  all["redundant_loops"] = std::vector<std::string>(redundant.begin(), redundant.end());
  return all;
}

std::vector<std::string> actuated(const Robot& r) {
  const auto names = velocity_names(r.m);
  if (r.closed == nullptr) return names;
  std::vector<std::string> result;
  for (int v : r.closed->mechanism().actuated) result.push_back(names[index(v)]);
  return result;
}

}  // namespace

void bind_closed(nb::class_<Robot>& robot) {
  robot
      .def("assemble", &assemble_named, "positions"_a = nb::none(), nb::kw_only(),
           "near"_a = nb::none(),
           nb::sig("def assemble(self, positions: Mapping[str, ArrayLike] | None = None, *, "
                   "near: ArrayLike | None = None) -> NDArray"),
           R"(Positions in which all loops are closed.

positions: {name of position_names: value or (N,) values} of the joints to hold, as many as the mobility; a
number beyond that is checked. None: nothing is held. With (N,) values each state starts from the one before, so
that the mechanism stays on its branch. near: (nq,) where the search begins; None is the model's start.
Returns q: (nq,) or (N, nq), closed to 1e-12 m.
Raises NumericalError if the loops cannot be closed there, InputError if positions contradict the loops.)")
      .def(
          "complete", &complete, "q"_a, "velocities"_a = nb::none(), "accelerations"_a = nb::none(),
          nb::sig(
              "def complete(self, q: ArrayLike, velocities: Mapping[str, ArrayLike] | None = None, "
              "accelerations: Mapping[str, ArrayLike] | None = None) -> NDArray | tuple[NDArray, "
              "NDArray]"),
          R"(The velocities, and accelerations, of all joints that follow from those of some.

q: (nq,) or (N, nq) with closed loops; velocities, accelerations: {name of velocity_names: value or (N,)}.
Returns v: (nv,) or (N, nv), or (v, a) if accelerations are given, {} for all zero.
Raises InputError if the given ones contradict the loops.)")
      .def(
          "closure", &closure, "q"_a, nb::kw_only(), "out"_a = nb::none(),
          nb::sig("def closure(self, q: ArrayLike, *, out: NDArray | None = None) -> NDArray"),
          R"(What is left of the closure conditions at q (nq,) or (N, nq): (rows,) or (N, rows), zero where the loops are closed; m or sine.)")
      .def(
          "closure_jacobian", &closure_jacobian, "q"_a, nb::kw_only(), "out"_a = nb::none(),
          nb::sig(
              "def closure_jacobian(self, q: ArrayLike, *, out: NDArray | None = None) -> NDArray"),
          R"(K, the Jacobian of closure(): K v = 0 for motions that keep the loops closed.

q: (nq,) or (N, nq). Returns (rows, nv) or (N, rows, nv).)")
      .def("mobility", &mobility, "q"_a = nb::none(),
           nb::sig("def mobility(self, q: ArrayLike | None = None) -> dict[str, Any]"),
           R"(How the loops let the mechanism move at q, (nq,); None: where it is first assembled.

Returns mobility (by rank), by_count (Gruebler), velocities, conditions, rank, smallest_singular_value (relative) and
redundant_loops.)")
      .def_prop_ro("actuated", &actuated, nb::sig("def actuated(self) -> list[str]"),
                   "Names of the velocities whose forces are free to choose; all without loops.")
      .def_prop_ro(
          "closed", [](const Robot& r) { return r.closed != nullptr; },
          "Whether the model has loops, or springs between points.");
}

}  // namespace catena::python
