// Many trajectories in fixed steps.
#include "lanes.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;

// tau: None, or rows of nv numbers: one per trajectory, or one per trajectory and step.
nb::tuple rollout(Robot& r, nb::handle q_, nb::handle v_, nb::handle tau_, double step, int steps,
                  int every, const std::string& stepper) {
  if (r.closed != nullptr)
    throw InputError({}, "rollouts are for models without loops", "use simulate()");
  if (!(step > 0) || steps < 1 || every < 1 || steps % every != 0)
    throw InputError({}, "step must be above zero, and steps a multiple of every, 1 or more");
  if (stepper != "rk4" && stepper != "euler")
    throw InputError({}, "stepper is 'rk4' or 'euler', not '" + stepper + "'");
  const Input q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional),
      tau("tau", tau_, r.nv(), Input::If::optional);
  const States states({&q, &v});
  const std::size_t n = states.count, samples = index(steps / every);
  if (tau.given() && tau.rows() != n && tau.rows() != n * index(steps))
    throw SizeError("tau has " + std::to_string(tau.rows()) + " rows, but there are " +
                    std::to_string(n) + " trajectories of " + std::to_string(steps) + " steps");
  States as_many = states;
  as_many.many = true;
  Output q_out(nb::none(), as_many, {samples, r.nq()}),
      v_out(nb::none(), as_many, {samples, r.nv()});
  const RepeatedRows q_rows(q), v_rows(v);
  Rollout<double> how;
  how.stepper = stepper == "rk4" ? Stepper::rk4 : Stepper::euler;
  how.step = step, how.steps = steps, how.every = every;
  const std::size_t per_trajectory = tau.given() ? tau.size() / n : 0;
  Lanes(r).run(as_many, [&](Batch<double>& batch, std::size_t first, std::size_t count) {
    const std::span<const double> forces{tau.data() + first * per_trajectory,
                                         count * per_trajectory};
    check_status(r,
                 batch.rollout(how, q_rows.at(first, count), v_rows.at(first, count), forces,
                               q_out.rows(first, count), v_out.rows(first, count)),
                 first);
  });
  return nb::make_tuple(q_out.take(), v_out.take());
}

}  // namespace

// The public function with its documentation is in catena/robot.py.
void bind_rollout(nb::class_<Robot>& robot) {
  robot.def("_rollout", &rollout, "q"_a, "v"_a.none(), "tau"_a.none(), "step"_a, "steps"_a,
            "every"_a, "stepper"_a);
}

}  // namespace catena::python
