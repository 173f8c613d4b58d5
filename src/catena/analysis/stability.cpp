#include "catena/analysis/stability.hpp"

#include <algorithm>
#include <cmath>

#include "catena/analysis/condition.hpp"
#include "catena/analysis/runner.hpp"
#include "catena/formulations/dense.hpp"
#include "catena/kinematics/configuration.hpp"

namespace catena {
namespace {

#if CATENA_HAS_QUAD
using Exact = Quad;
#else
using Exact = double;
#endif

// One method in one precision.
template <class T>
class Subject {
 public:
  Subject(const Formulation<T>& method, const Mechanism<double>& m, bool dense)
      : m_(cast<T>(m)), runner_(method, m_), dense_(dense) {}

  std::vector<T> compute(StabilityQuantity quantity, const VerifyState& s) {
    std::vector<T> q = converted<T>(s.q);
    normalise_configuration<T>(m_, q);
    const std::vector<T> qd = converted<T>(s.qd), tau = converted<T>(s.tau);
    if (quantity == StabilityQuantity::tau) return runner_.inverse(q, qd, converted<T>(s.qdd));
    if (!dense_) return runner_.forward(q, qd, tau);
    std::vector<T> x = runner_.inverse(q, qd, {}), M = runner_.inertia(q);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = tau[i] - x[i];
    bad_ = solve_dense(M.data(), x.data(), m_.nv);
    return x;
  }
  bool flagged() const { return dense_ ? bad_ >= 0 : !runner_.status(); }
  std::vector<T> inertia(const VerifyState& s) { return runner_.inertia(converted<T>(s.q)); }

 private:
  Mechanism<T> m_;
  Runner<T> runner_;
  bool dense_;
  int bad_ = -1;
};

template <class T>
double distance(const std::vector<T>& a, const std::vector<Exact>& b, int velocity) {
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (velocity >= 0 && index(velocity) != i) continue;
    const double d = std::abs(to_double(Exact(static_cast<Exact>(a[i]) - b[i])));
    if (!(d <= worst)) worst = d;  // NaN stays
  }
  return worst;
}

}  // namespace

MethodStability::Summary MethodStability::summary(const std::vector<double>& sizes) const {
  Summary s;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double single = errors[i].single / sizes[i], twice = errors[i].twice / sizes[i];
    s.single_max = std::max(s.single_max, single), s.double_max = std::max(s.double_max, twice);
    s.single_mean += single / static_cast<double>(errors.size());
    s.double_mean += twice / static_cast<double>(errors.size());
  }
  return s;
}

Stability stability(const Mechanism<double>& m, std::span<const VerifyState> states,
                    const StabilityOptions& options) {
  Stability r;
  Subject<Exact> reference(formulations<Exact>().front(), m, false);
  std::vector<std::vector<Exact>> truth;
  for (const VerifyState& s : states) {
    truth.push_back(reference.compute(options.quantity, s));
    r.condition.push_back(condition_number(reference.inertia(s), m.nv));
    std::vector<double> exact;
    double size = 0;
    for (const Exact& x : truth.back()) {
      exact.push_back(to_double(x));
      size = std::max(size, std::abs(exact.back()));
    }
    r.exact.push_back(exact);
    r.sizes.push_back(size > 0 ? size : 1);
  }
  const auto add = [&](const Formulation<double>& method, bool dense) {
    const Formulation<float>& single_method = *find_formulation<float>(method.name);
    MethodStability a;
    a.method = std::string(method.name) + (dense ? "-dense" : "");
    Subject<float> single(single_method, m, dense);
    Subject<double> twice(method, m, dense);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const auto x = single.compute(options.quantity, states[i]);
      const auto y = twice.compute(options.quantity, states[i]);
      a.flagged += options.quantity == StabilityQuantity::qdd && single.flagged();
      a.errors.push_back(
          {distance(x, truth[i], options.velocity), distance(y, truth[i], options.velocity)});
    }
    r.methods.push_back(a);
  };
  for (const Formulation<double>& method : formulations<double>()) {
    const bool can = options.quantity == StabilityQuantity::qdd
                         ? method.forward_dynamics != nullptr
                         : method.inverse_dynamics != nullptr;
    if (!can || !method.refusal(m).empty()) continue;
    add(method, false);
    if (method.name == "spatial" && options.quantity == StabilityQuantity::qdd) add(method, true);
  }
  return r;
}

}  // namespace catena
