// catena verify: all formulations on random states of the user's own model.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "catena/analysis/verify.hpp"
#include "catena/analysis/verify_closed.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/model/compile.hpp"
#include "closed.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

using Json = nlohmann::ordered_json;

struct VerifyArguments {
  ModelOptions model;
  VerifyOptions verify;
  bool json = false;
};

std::string cell(const Disagreement& d) {
  return d.compared() ? fmt::format("{:.1e}", d.error) : "-";
}

std::string state_text(const Mechanism<double>& m, const VerifyState& state) {
  std::string text;
  const auto names = position_names(m);
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}q.{}={}", i > 0 ? ", " : "", names[i], state.q[i]);
  return text;
}

std::vector<std::string> faults_of(const Verification& r, const Mechanism<double>& m) {
  std::vector<std::string> faults;
  const auto names = velocity_names(m);
  for (const MethodAgreement& a : r.methods) {
    if (const char* what = a.fault(r.options.tolerance)) {
      const Disagreement& d = a.of(what);
      faults.push_back(fmt::format(
          "method '{}' disagrees in {} by {:.1e} (allowed {:.0e}) at coordinate '{}' in state {}: "
          "{}",
          a.method, what, d.error, r.options.tolerance, names[static_cast<std::size_t>(d.velocity)],
          d.state, state_text(m, r.states[static_cast<std::size_t>(d.state)])));
    }
    if (!a.singular.empty())
      faults.push_back(fmt::format("method '{}' found no acceleration: {}", a.method, a.singular));
  }
  const auto balance = [&](const char* what, const Disagreement& d) {
    if (d.error <= r.options.tolerance) return;
    faults.push_back(fmt::format("{} is off by {:.1e} in state {}: {}", what, d.error, d.state,
                                 state_text(m, r.states[static_cast<std::size_t>(d.state)])));
  };
  balance("the power balance", r.power);
  balance("the kinetic energy", r.energy);
  return faults;
}

std::string table_text(const Verification& r, const Mechanism<double>& m) {
  std::string text =
      fmt::format("{}: {} bodies, {} velocities; {} random states, seed {}\n\n", m.names->model,
                  m.num_bodies() - 1, m.nv, r.options.states, r.options.seed);
  text += fmt::format("{:<18} {:>9} {:>9} {:>9} {:>9} {:>11}\n", "method", "tau", "M", "qdd",
                      "residual", "equations");
  for (const MethodAgreement& a : r.methods) {
    if (!a.refusal.empty()) {
      text += fmt::format("{:<18} not run: {}\n", a.method, a.refusal);
      continue;
    }
    text += fmt::format("{:<18} {:>9} {:>9} {:>9} {:>9} {:>11}\n", a.method, cell(a.tau), cell(a.M),
                        cell(a.qdd), cell(a.residual), cell(a.equations));
  }
  text += fmt::format(
      "\nWorst differences from quadruple precision, relative to the largest entry of the state. "
      "residual: the forces\n"
      "that qdd needs against those given; qdd itself also depends on the condition number of M, "
      "at worst {:.1e}.\n"
      "equations: tau, M and residual when the method itself runs in quadruple precision.\n\n"
      "power balance {:.1e}, kinetic energy {:.1e}\n",
      r.worst_condition, r.power.error, r.energy.error);
  return text;
}

Json json_of(const Disagreement& d, const std::vector<std::string>& names) {
  if (!d.compared()) return nullptr;
  return {{"error", d.error},
          {"state", d.state},
          {"coordinate", names[static_cast<std::size_t>(d.velocity)]}};
}

std::string json_text(const Verification& r, const Mechanism<double>& m) {
  const auto names = velocity_names(m);
  Json methods = Json::array();
  for (const MethodAgreement& a : r.methods) {
    Json row = {{"method", a.method}};
    if (!a.refusal.empty()) {
      row["refusal"] = a.refusal;
    } else {
      row["tau"] = json_of(a.tau, names), row["M"] = json_of(a.M, names);
      row["qdd"] = json_of(a.qdd, names), row["residual"] = json_of(a.residual, names);
      row["equations"] = json_of(a.equations, names);
      if (!a.singular.empty()) row["singular"] = a.singular;
    }
    methods.push_back(row);
  }
  const Json all = {{"model", m.names->model},
                    {"states", r.options.states},
                    {"seed", r.options.seed},
                    {"tolerance", r.options.tolerance},
                    {"good", r.good()},
                    {"methods", methods},
                    {"power", r.power.error},
                    {"kinetic_energy", r.energy.error},
                    {"condition_of_M", r.worst_condition},
                    {"faults", faults_of(r, m)}};
  return all.dump(2) + "\n";
}

std::string closed_text(const ClosedVerification& r, const std::string& model) {
  std::string text = fmt::format(
      "{}: {} velocities, {} closure conditions of rank {}, mobility {}; {} random states, seed "
      "{}\n\n",
      model, r.mobility.velocities, r.mobility.rows, r.mobility.rank, r.mobility.by_rank,
      r.states.size(), r.options.seed);
  text += fmt::format("{:<18} {:>9} {:>11} {:>9} {:>9}\n", "loops", "qdd", "equation", "closure",
                      "tau");
  for (const ClosedAgreement& a : r.methods) {
    if (!a.refusal.empty()) {
      text += fmt::format("{:<18} not run: {}\n", a.method, a.refusal);
      continue;
    }
    text += fmt::format("{:<18} {:>9} {:>11} {:>9} {:>9}\n", a.method, cell(a.qdd),
                        cell(a.equation), cell(a.closure), cell(a.inverse));
  }
  text += fmt::format(
      "\nqdd: from the mean of the methods; equation: M qdd + h - tau - K^T lambda; closure: K qdd "
      "+ k; tau:\n"
      "actuator forces back from the motion that they produce; all relative.\n"
      "loops closed to {:.1e}, power balance by differences {:.1e}\n"
      "smallest singular value of the closure conditions, relative: {:.2e}\n",
      r.assembly.error, r.power.error, r.least_singular);
  if (r.missed > 0) text += fmt::format("{} random positions were out of reach\n", r.missed);
  return text;
}

Json closed_json(const ClosedVerification& r, const std::string& model) {
  Json methods = Json::array();
  for (const ClosedAgreement& a : r.methods) {
    if (!a.refusal.empty()) {
      methods.push_back({{"loops", a.method}, {"refusal", a.refusal}});
      continue;
    }
    Json row = {{"loops", a.method},
                {"qdd", a.qdd.error},
                {"equation", a.equation.error},
                {"closure", a.closure.error},
                {"tau", nullptr}};
    if (a.inverse.compared()) row["tau"] = a.inverse.error;
    methods.push_back(row);
  }
  return {{"model", model},
          {"states", r.states.size()},
          {"missed", r.missed},
          {"seed", r.options.seed},
          {"tolerance", r.options.tolerance},
          {"good", r.good()},
          {"mobility", r.mobility.by_rank},
          {"rank", r.mobility.rank},
          {"rows", r.mobility.rows},
          {"methods", methods},
          {"assembly", r.assembly.error},
          {"power", r.power.error},
          {"least_singular_value", r.least_singular}};
}

// Throws NumericalError if the loops cannot be closed, or nothing can move then.
void require_closed(const ClosedMechanism& m) {
  LoopState state(m);
  const Assembly start = assemble_from_afar(m, state, m.start);
  if (!start.closed)
    throw NumericalError(
        describe_open(m, start) +
        "\n    check the lengths, or 'start' in the model, which chooses the branch");
  if (m.num_rows() > 0) require_mobility(state);
}

void run_closed(const VerifyArguments& o, const Model& model) {
  require_closed(compile_closed(model, compile_options(o.model)));
  const ClosedVerification r = verify_closed(model, compile_options(o.model), o.verify);
  print(o.json ? closed_json(r, model.name).dump(2) + "\n"
               : closed_text(r, model.name) + (r.good() ? "all methods agree\n" : ""));
  if (r.states.empty())
    throw CheckFailed("no random state could be assembled near the start of the model");
  if (!r.good())
    throw CheckFailed(fmt::format(
        "the methods disagree by more than {:.0e}, or a balance is not kept", o.verify.tolerance));
}

void run_verify(const VerifyArguments& o) {
  const Model model = load_model(o.model);
  if (model.closed()) return run_closed(o, model);
  const Mechanism<double> m = compile(model, compile_options(o.model));
  if (m.nv == 0)
    throw InputError({o.model.path}, "nothing moves in this model, so there is nothing to verify");
  const Verification r = verify(m, o.verify);
  const auto faults = faults_of(r, m);
  if (o.json) {
    print(json_text(r, m));
  } else {
    print(table_text(r, m) + (faults.empty() ? "all methods agree\n" : ""));
  }
  if (!faults.empty()) throw CheckFailed(fmt::format("{}", fmt::join(faults, "\n    ")));
}

}  // namespace

void add_verify_command(Command& app) {
  Command& command = add_command(app, "verify", "All formulations on random states of a model",
                                 "catena verify models/puma.yaml --states 50");
  const auto o = std::make_shared<VerifyArguments>();
  add_model_options(command, o->model);
  command.add_option("--states", o->verify.states, "How many random states")
      ->between(1, 1000000)
      ->capture_default_str();
  command.add_option("--seed", o->verify.seed, "Of the random states")->capture_default_str();
  command.add_option("--tolerance", o->verify.tolerance, "Relative disagreement that is allowed")
      ->positive()
      ->capture_default_str();
  command.add_flag("--json", o->json, "JSON instead of a table");
  when_run(command, [o] { run_verify(*o); });
}

}  // namespace catena::cli
