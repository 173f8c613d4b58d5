// Methods compared, counted and measured.
#include "catena/analysis/base_parameters.hpp"
#include "catena/analysis/count.hpp"
#include "catena/analysis/stability.hpp"
#include "catena/analysis/verify.hpp"
#include "catena/analysis/verify_closed.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;

nb::object error_of(const Disagreement& d) {
  if (!d.compared()) return nb::none();
  return nb::float_(d.error);
}

nb::dict verify_tree(const Robot& r, const VerifyOptions& options) {
  Verification v;
  {
    nb::gil_scoped_release release;
    v = verify(r.m, options);
  }
  nb::list methods;
  for (const MethodAgreement& a : v.methods) {
    nb::dict row;
    row["method"] = a.method, row["refusal"] = a.refusal, row["singular"] = a.singular;
    row["tau"] = error_of(a.tau), row["M"] = error_of(a.M), row["qdd"] = error_of(a.qdd);
    row["residual"] = error_of(a.residual), row["equations"] = error_of(a.equations);
    methods.append(row);
  }
  nb::dict all;
  all["good"] = v.good(), all["methods"] = methods, all["states"] = options.states;
  all["power"] = v.power.error, all["kinetic_energy"] = v.energy.error;
  all["condition_of_M"] = v.worst_condition;
  return all;
}

nb::dict verify_loops(const Robot& r, const VerifyOptions& options) {
  ClosedVerification v;
  {
    nb::gil_scoped_release release;
    v = verify_closed(r.model, r.options, options);
  }
  nb::list methods;
  for (const ClosedAgreement& a : v.methods) {
    nb::dict row;
    row["method"] = a.method, row["refusal"] = a.refusal, row["qdd"] = error_of(a.qdd);
    row["equation"] = error_of(a.equation), row["closure"] = error_of(a.closure);
    row["inverse"] = error_of(a.inverse);
    methods.append(row);
  }
  nb::dict all;
  all["good"] = v.good(), all["methods"] = methods, all["states"] = v.states.size();
  all["missed"] = v.missed, all["assembly"] = v.assembly.error;
  all["power"] = v.power.error, all["mobility"] = v.mobility.by_rank;
  all["least_singular_value"] = v.least_singular;
  return all;
}

nb::list counts_of_papers(int n) {
  if (n < 1) throw InputError({}, "a chain has one joint or more");
  nb::list rows;
  for (const PaperCount& p : paper_counts()) {
    nb::dict row;
    row["algorithm"] = std::string(p.algorithm), row["source"] = std::string(p.source);
    row["computation"] = std::string(name_of(p.question));
    row["multiplications"] = evaluate(p.multiplications, n);
    row["additions"] = evaluate(p.additions, n);
    rows.append(row);
  }
  return rows;
}

nb::dict verify_robot(const Robot& r, int states, std::uint64_t seed, double tolerance) {
  if (states < 1) throw InputError({}, "verify needs one state or more");
  if (r.m.nv == 0)
    throw InputError({}, "nothing moves in this model, so there is nothing to verify");
  const VerifyOptions options{states, seed, tolerance};
  return r.closed != nullptr ? verify_loops(r, options) : verify_tree(r, options);
}

nb::list count(const Robot& r) {
  nb::list rows;
  for (const Formulation<Counting>& method : formulations<Counting>()) {
    if (!find_formulation<double>(method.name)->refusal(r.m).empty()) continue;
    const MethodCount c = count_operations(method, r.m);
    for (Question question : {Question::inverse, Question::bias, Question::inertia, Question::solve,
                              Question::forward}) {
      const OperationCount& n = c.of(question);
      if (n.multiplications == 0 && n.additions == 0) continue;
      nb::dict row;
      row["method"] = c.method, row["computation"] = std::string(name_of(question));
      row["multiplications"] = n.multiplications, row["additions"] = n.additions;
      row["divisions"] = n.divisions, row["trigonometric"] = n.trigonometric;
      row["square_roots"] = n.square_roots;
      rows.append(row);
    }
  }
  return rows;
}

// Random states, or those of q at rest or moving.
std::vector<VerifyState> states_of(const Robot& r, int count, std::uint64_t seed, nb::handle q_,
                                   nb::handle v_, nb::handle a_, nb::handle tau_) {
  if (q_.is_none()) return random_states(r.m, count, seed);
  const Input q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional),
      a("a", a_, r.nv(), Input::If::optional), tau("tau", tau_, r.nv(), Input::If::optional);
  const States states({&q, &v, &a, &tau});
  std::vector<VerifyState> all;
  const auto numbers = [&](const Input& x, std::size_t i) {
    const auto row = x.row(i);
    return row.empty() ? std::vector<double>(r.nv()) : std::vector<double>(row.begin(), row.end());
  };
  for (std::size_t i = 0; i < states.count; ++i)
    all.push_back(
        {{q.row(i).begin(), q.row(i).end()}, numbers(v, i), numbers(a, i), numbers(tau, i)});
  return all;
}

nb::dict stability_of(const Robot& r, const std::string& quantity, int states, std::uint64_t seed,
                      nb::handle q, nb::handle v, nb::handle a, nb::handle tau) {
  if (quantity != "qdd" && quantity != "tau")
    throw InputError({}, "the quantity is 'qdd' or 'tau', not '" + quantity + "'");
  if (states < 1) throw InputError({}, "stability needs one state or more");
  const std::vector<VerifyState> at = states_of(r, states, seed, q, v, a, tau);
  if (at.empty()) throw InputError({}, "stability needs one state or more");
  Stability s;
  {
    nb::gil_scoped_release release;
    StabilityOptions options;
    options.quantity = quantity == "qdd" ? StabilityQuantity::qdd : StabilityQuantity::tau;
    s = stability(r.m, at, options);
  }
  nb::list rows;
  for (const MethodStability& method : s.methods) {
    const MethodStability::Summary sum = method.summary(s.sizes);
    nb::dict row;
    row["method"] = method.method;
    row["single_max"] = sum.single_max, row["single_mean"] = sum.single_mean;
    row["double_max"] = sum.double_max, row["double_mean"] = sum.double_mean;
    row["flagged"] = method.flagged;
    std::vector<double> errors;
    for (const StabilityError& e : method.errors) errors.insert(errors.end(), {e.single, e.twice});
    row["errors"] = new_array(errors, {method.errors.size(), 2});
    rows.append(row);
  }
  nb::dict all;
  all["methods"] = rows, all["condition"] = new_array(s.condition, {s.condition.size()});
  return all;
}

// (texts, columns, matrix with base = matrix @ parameters, values, names without effect, condition)
nb::tuple base_parameters_of(const Robot& r, std::uint64_t seed) {
  BaseParameters b;
  {
    nb::gil_scoped_release release;
    b = base_parameters(r.model, r.options, seed);
  }
  const std::vector<double> values = base_values(b, parameter_values(r.model, *r.m.names));
  const std::size_t rows = b.base.size(), columns = b.all.size();
  std::vector<std::string> texts, without_effect;
  std::vector<int> kept;
  std::vector<double> matrix(rows * columns);
  for (std::size_t k = 0; k < rows; ++k) {
    texts.push_back(describe(b, b.base[k]));
    kept.push_back(b.base[k].column);
    matrix[k * columns + index(b.base[k].column)] = 1;
    for (const BaseParameter::Part& part : b.base[k].parts)
      matrix[k * columns + index(part.column)] = part.factor;
  }
  for (const int c : b.without_effect) without_effect.push_back(b.all[index(c)].name);
  return nb::make_tuple(texts, kept, new_array(matrix, {rows, columns}), new_array(values, {rows}),
                        without_effect, b.condition);
}

}  // namespace

void bind_analysis(nb::module_& module, nb::class_<Robot>& robot) {
  module.def(
      "general_chain",
      [](int n) {
        if (n < 1) throw InputError({}, "a chain has one joint or more");
        return general_chain(n);
      },
      "joints"_a, "A chain of revolute joints in which no constant is 0 or 1.");
  module.def(
      "paper_counts", &counts_of_papers, "joints"_a,
      nb::sig("def paper_counts(joints: int) -> list[dict[str, Any]]"),
      R"(What the papers say their algorithms cost for a general chain of so many revolute joints.

A dictionary per algorithm: algorithm, source, computation, multiplications, additions; beside Robot.count() of
catena.general_chain(joints).)");
  robot.def("_base_parameters", &base_parameters_of, "seed"_a)
      .def(
          "verify", &verify_robot, nb::kw_only(), "states"_a = 100, "seed"_a = 1,
          "tolerance"_a = 1e-9,
          nb::sig("def verify(self, *, states: int = 100, seed: int = 1, tolerance: float = 1e-9) "
                  "-> dict[str, Any]"),
          R"(Every formulation (or way to solve loops) on random states, against quadruple precision and balances.

Returns good (whether all agree within the tolerance), methods: a list of dictionaries with the worst relative
differences in tau, M, qdd, ..., and the balances of power and energy. The same as `catena verify`.)")
      .def(
          "count", &count, nb::sig("def count(self) -> list[dict[str, Any]]"),
          R"(What one evaluation costs, counted by running it: a dictionary per method and computation, with
multiplications, additions, divisions, trigonometric functions and square roots. The same as `catena count`.)")
      .def(
          "stability", &stability_of, "quantity"_a = "qdd", nb::kw_only(), "states"_a = 100,
          "seed"_a = 1, "q"_a = nb::none(), "v"_a = nb::none(), "a"_a = nb::none(),
          "tau"_a = nb::none(),
          nb::sig("def stability(self, quantity: str = 'qdd', *, states: int = 100, seed: int = 1, "
                  "q: ArrayLike | None = None, v: ArrayLike | None = None, a: ArrayLike | None = "
                  "None, tau: ArrayLike | None = None) -> dict[str, Any]"),
          R"(How far single and double precision are from quadruple precision, method by method.

quantity: "qdd" or "tau". The states are random, or q (N, nq) with v, a and tau (N, nv), None is zero. Returns
methods: largest and mean errors relative to the largest entry of each state, and errors (N, 2), absolute, in single and
double precision; condition: (N,), the condition number of M. The same as `catena stability`.)");
}

}  // namespace catena::python
