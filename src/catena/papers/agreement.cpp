// The same answer from all methods: open and closed machines on random states.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "catena/analysis/verify.hpp"
#include "catena/analysis/verify_closed.hpp"
#include "catena/model/compile.hpp"
#include "catena/papers/run.hpp"

namespace catena::papers {

Run run_agreement(const Settings& s) {
  Run run;
  Grid grid{"Largest relative disagreement on random states",
            {"machine", "methods", "forces", "inertia matrix", "accelerations"},
            {},
            2};
  VerifyOptions options;
  options.states = s.whole("states", 20);
  double open = 0, closed = 0;
  for (const auto& [name, path] : s.pairs("models")) {
    const Model model = s.model_at(path);
    if (model.closed()) {
      const ClosedVerification v = verify_closed(model, {}, options);
      double qdd = 0, tau = 0;
      int ways = 0;
      for (const ClosedAgreement& a : v.methods) {
        ways += a.refusal.empty();
        qdd = std::max(qdd, a.qdd.error), tau = std::max(tau, a.inverse.error);
      }
      closed = std::max({closed, qdd, tau});
      grid.rows.push_back({name, fmt::format("{} ways of solving loops", ways),
                           fmt::format("{:.1e}", tau), "–", fmt::format("{:.1e}", qdd)});
      run.set(name + ".qdd", qdd);
      run.set(name + ".tau", tau);
      continue;
    }
    const Verification v = verify(compile(model), options);
    double tau = 0, M = 0, residual = 0;
    int methods = 0;
    for (const MethodAgreement& a : v.methods) {
      methods += a.refusal.empty();
      tau = std::max(tau, a.tau.error), M = std::max(M, a.M.error);
      residual = std::max(residual, a.residual.error);
    }
    open = std::max({open, tau, M, residual});
    grid.rows.push_back({name, fmt::format("{} formulations", methods), fmt::format("{:.1e}", tau),
                         fmt::format("{:.1e}", M), fmt::format("{:.1e} (residual)", residual)});
    run.set(name + ".tau", tau);
    run.set(name + ".M", M);
    run.set(name + ".residual", residual);
  }
  run.set("open.worst", open, "", "largest relative disagreement");
  run.set("closed.worst", closed, "", "largest relative disagreement");
  run.grids.push_back(grid);
  return run;
}

}  // namespace catena::papers
