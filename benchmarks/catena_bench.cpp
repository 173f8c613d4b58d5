// Times Catena's general code on one state at a time, as the peers' programs time theirs, and on
// all states as one batch: ns per state then.
#include "catena/batch/batch.hpp"
#include "catena/codegen/generated_function.hpp"
#include "catena/formulations/formulation.hpp"
#include "catena/formulations/spatial/forward_derivatives.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_derivatives.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/kinematics/jacobians.hpp"
#include "catena/model/compile.hpp"
#include "catena/readers/readers.hpp"
#include "catena/scalar/isa.hpp"
#include "peers/bench.hpp"

using Vector = std::vector<double>;

struct State {
  Vector q, qd, qdd, tau;
};

// All states as a batch of numbers E, by one thread; the last one is the fixed state.
template <class E>
void time_batches(const bench::Options& o, const bench::Program& me,
                  const catena::Mechanism<double>& mechanism, std::vector<State> states,
                  const State& fixed, const std::string& name) {
  states.back() = fixed;
  const catena::Mechanism<E> m = catena::cast<E>(mechanism);
  std::vector<E> q, qd, qdd, tau;
  const auto append = [](std::vector<E>& to, const Vector& from) {
    for (double x : from) to.push_back(static_cast<E>(x));
  };
  for (const State& x : states)
    append(q, x.q), append(qd, x.qd), append(qdd, x.qdd), append(tau, x.tau);
  const std::size_t n = states.size(), nv = static_cast<std::size_t>(m.nv);
  std::vector<E> v(n * nv), M(n * nv * nv);
  catena::Batch<E> batch(m);
  const auto time = [&](const std::string& computation, auto call, const std::vector<E>& result,
                        bool matrix) {
    if (!o.wants(computation)) return;
    auto ns = bench::repeat(o, [&](int) { call(), bench::keep(result); });
    for (double& x : ns) x /= static_cast<double>(n);
    const E* const last = result.data() + (n - 1) * (result.size() / n);
    double sum = 0;
    for (std::size_t i = 0; i < nv; ++i) {
      if (!matrix) sum += std::abs(static_cast<double>(last[i]));
      for (std::size_t j = 0; matrix && j <= i; ++j)
        sum += std::abs(static_cast<double>(last[i * nv + j]));
    }
    bench::report(me, o, computation + "." + name, "", ns, sizeof(E) == 8 ? sum : NAN);
  };
  time(
      "inverse_dynamics", [&] { batch.inverse_dynamics(q, qd, qdd, v); }, v, false);
  if (m.nv <= 100)
    time(
        "inertia_matrix", [&] { batch.inertia_matrix(q, M, catena::Triangle::lower); }, M, true);
  time(
      "forward_dynamics", [&] { (void)batch.forward_dynamics(q, qd, tau, v); }, v, false);
  if (m.nv > 100) return;
  std::vector<E> dq(n * nv * nv), dv(n * nv * nv);
  const auto time_derivatives = [&](const std::string& computation, auto call) {
    if (!o.wants(computation)) return;
    auto ns = bench::repeat(o, [&](int) { call(), bench::keep(dq), bench::keep(dv); });
    for (double& x : ns) x /= static_cast<double>(n);
    double sum = 0;
    for (std::size_t i = (n - 1) * nv * nv; i < n * nv * nv; ++i)
      sum += std::abs(static_cast<double>(dq[i])) + std::abs(static_cast<double>(dv[i]));
    bench::report(me, o, computation + "." + name, "", ns, sizeof(E) == 8 ? sum : NAN);
  };
  time_derivatives("inverse_derivatives",
                   [&] { batch.inverse_derivatives(q, qd, qdd, dq, dv, M); });
  time_derivatives("forward_derivatives",
                   [&] { (void)batch.forward_derivatives(q, qd, tau, v, dq, dv, M); });
}

// Generated code: one state at a time, and in lanes, where a figure is the time of one state.
void time_generated(const catena::Mechanism<double>& m, const bench::Options& o,
                    const bench::Program& me, const std::vector<State>& states,
                    const State& fixed) {
  const std::size_t n = states.size(), nv = static_cast<std::size_t>(m.nv);
  const auto lanes = [&](Vector State::*field) {  // number k of state i at [k n + i]
    const std::size_t size = (states[0].*field).size();
    Vector all(size * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < size; ++k) all[k * n + i] = (states[i].*field)[k];
    }
    return all;
  };
  const Vector all_q = lanes(&State::q), all_qd = lanes(&State::qd);
  const auto time_one = [&](const std::string& function, const std::string& computation,
                            Vector State::*last, std::size_t size, auto check) {
    if (!o.wants(computation)) return;
    catena::GeneratedOptions options;
    options.simd = true;
    const catena::GeneratedFunction<double> f(catena::generate(m, {.function = function}, options));
    Vector out(size), all_out(size * n);
    const auto call = [&](const State& x) {
      if (last == nullptr)
        f(x.q, out);
      else
        f(x.q, x.qd, x.*last, out);
      bench::keep(out);
    };
    const auto ns = bench::repeat(o, [&](int s) { call(states[static_cast<std::size_t>(s)]); });
    call(fixed);
    bench::report(me, o, computation + ".generated", "", ns, check(out));
    const Vector all_last = last == nullptr ? Vector() : lanes(last);
    auto all_ns = bench::repeat(o, [&](int) {
      if (last == nullptr)
        f.many(n, all_q, all_out);
      else
        f.many(n, all_q, all_qd, all_last, all_out);
      bench::keep(all_out);
    });
    for (double& t : all_ns) t /= static_cast<double>(n);
    bench::report(me, o, computation + ".generated in lanes", "", all_ns);
  };
  const auto sum = [&](const Vector& v) { return bench::sum_of_magnitudes(v, m.nv); };
  time_one("inverse", "inverse_dynamics", &State::qdd, nv, sum);
  time_one("forward", "forward_dynamics", &State::tau, nv, sum);
  time_one("inertia", "inertia_matrix", nullptr, nv * nv, [&](const Vector& M) {
    double total = 0;
    for (std::size_t i = 0; i < nv; ++i) {
      for (std::size_t j = i; j < nv; ++j) total += std::abs(M[j * nv + i]);
    }
    return total;
  });
}

int main(int argc, char** argv) try {
  const bench::Options o = bench::parse(argc, argv);
  const catena::Mechanism<double> m = catena::compile(catena::read_model(o.urdf));
  catena::Workspace<double> w(m);
  const std::size_t nq = static_cast<std::size_t>(m.nq), nv = static_cast<std::size_t>(m.nv);

  bench::Random random;
  std::vector<State> states;
  for (int s = 0; s < o.states; ++s) {
    State x{Vector(nq), Vector(nv), Vector(nv), Vector(nv)};
    random.fill(x.q, m.nq, M_PI);
    catena::normalise_configuration<double>(m, x.q);
    random.fill(x.qd, m.nv, 1);
    random.fill(x.qdd, m.nv, 1);
    random.fill(x.tau, m.nv, 1);
    states.push_back(x);
  }

  State fixed{Vector(nq), Vector(nv), Vector(nv), Vector(nv)};
  catena::neutral_configuration<double>(m, fixed.q);
  for (const catena::JointInfo& j : m.names->joints) {
    if (j.nq != 1) continue;
    const std::size_t iq = static_cast<std::size_t>(j.q), iv = static_cast<std::size_t>(j.v);
    fixed.q[iq] = bench::check_value(j.name, bench::Kind::q);
    fixed.qd[iv] = bench::check_value(j.name, bench::Kind::qd);
    fixed.qdd[iv] = bench::check_value(j.name, bench::Kind::qdd);
    fixed.tau[iv] = bench::check_value(j.name, bench::Kind::tau);
  }

  const bench::Program me{
      "catena", "0.1.0",
      std::string(bench::this_compiler()) + ", " + catena::to_string(catena::isa)};
  Vector tau(nv), qdd(nv), M(nv * nv), J(6 * nv);
  std::vector<catena::Pose<double>> X(m.bodies.size());
  const auto time = [&](const char* computation, auto call, auto check) {
    if (!o.wants(computation)) return;
    const auto ns = bench::repeat(o, [&](int s) {
      call(states[static_cast<std::size_t>(s)]);
      bench::keep(tau), bench::keep(M), bench::keep(qdd), bench::keep(J);
    });
    call(fixed);
    bench::report(me, o, computation, "", ns, check());
  };

  time(
      "inverse_dynamics",
      [&](const State& x) { catena::inverse_dynamics<double>(m, x.q, x.qd, x.qdd, {}, w, tau); },
      [&] { return bench::sum_of_magnitudes(tau, m.nv); });
  time(
      "inertia_matrix",  // one triangle, as Pinocchio does
      [&](const State& x) {
        catena::inertia_matrix<double>(m, x.q, w, M, catena::Triangle::lower);
      },
      [&] {
        double sum = 0;
        for (std::size_t i = 0; i < nv; ++i)
          for (std::size_t j = i; j < nv; ++j) sum += std::abs(M[j * nv + i]);
        return sum;
      });
  time(
      "forward_dynamics",
      [&](const State& x) {
        static_cast<void>(catena::forward_dynamics<double>(m, x.q, x.qd, x.tau, {}, w, qdd));
      },
      [&] { return bench::sum_of_magnitudes(qdd, m.nv); });
  time(
      "poses_and_jacobians",
      [&](const State& x) { catena::poses_and_jacobians<double>(m, x.q, w, X, J); },
      [] { return NAN; });

  time_batches<double>(o, me, m, states, fixed, "batch");
  time_batches<float>(o, me, m, states, fixed, "batch-float");

  if (m.nv > 200) return 0;  // as Pinocchio's program
  catena::Workspace<double> more(m, catena::derivatives_room<double>(m));
  Vector dq(nv * nv), dv(nv * nv);
  const auto sum = [&] {
    const int n = static_cast<int>(nv * nv);
    return bench::sum_of_magnitudes(dq, n) + bench::sum_of_magnitudes(dv, n);
  };
  time(
      "inverse_derivatives",
      [&](const State& x) {
        catena::inverse_dynamics_derivatives<double>(m, x.q, x.qd, x.qdd, {}, more, dq, dv, M);
        bench::keep(dq), bench::keep(dv);
      },
      sum);
  time(
      "forward_derivatives",
      [&](const State& x) {
        static_cast<void>(catena::forward_dynamics_derivatives<double>(m, x.q, x.qd, x.tau, {},
                                                                       more, {qdd, dq, dv, M}));
        bench::keep(dq), bench::keep(dv);
      },
      sum);

  // Code generated for this robot, and the other formulations, on robots of the size they are used
  // for.
  if (m.nv > 40) return 0;
  time_generated(m, o, me, states, fixed);
  for (const catena::Formulation<double>& f : catena::formulations<double>()) {
    if (f.name == "spatial" || !f.refusal(m).empty()) continue;
    catena::Workspace<double> room(m, f.room(m));
    const std::string name(f.name);
    if (f.inverse_dynamics != nullptr) {
      time(("inverse_dynamics." + name).c_str(),
           [&](const State& x) { f.inverse_dynamics(m, x.q, x.qd, x.qdd, {}, room, tau); },
           [&] { return bench::sum_of_magnitudes(tau, m.nv); });
    }
    if (f.forward_dynamics != nullptr) {
      time(("forward_dynamics." + name).c_str(),
           [&](const State& x) {
             static_cast<void>(f.forward_dynamics(m, x.q, x.qd, x.tau, {}, room, qdd));
           },
           [&] { return bench::sum_of_magnitudes(qdd, m.nv); });
    }
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
