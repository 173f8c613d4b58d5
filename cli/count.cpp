// catena count: what every formulation costs, beside the papers' formulas.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "catena/analysis/count.hpp"
#include "catena/model/compile.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr Question questions[] = {Question::inverse, Question::bias, Question::inertia,
                                  Question::solve, Question::forward};

struct CountOptions {
  ModelOptions model;
  int chain = 6;
  std::string sweep, crossings;
  OutputOptions output;
};

std::vector<MethodCount> counts_of(const Mechanism<double>& m) {
  const Mechanism<Counting> mechanism = cast<Counting>(m);
  std::vector<MethodCount> counts;
  for (const Formulation<Counting>& f : formulations<Counting>()) {
    if (f.refusal(mechanism).empty()) counts.push_back(count_operations(f, m));
  }
  return counts;
}

bool computed(const OperationCount& count) { return count.raw_multiplications > 0; }

std::int64_t with_divisions(const OperationCount& c) { return c.multiplications + c.divisions; }

// One question as a block: our methods, then the papers' formulas at this number of joints.
std::string block(Question question, const std::vector<MethodCount>& counts, int n) {
  std::string text = fmt::format("{}\n", title_of(question));
  text += fmt::format("  {:<32} {:>9} {:>9} {:>5} {:>5} {:>5} {:>10} {:>10}\n", "", "mult", "add",
                      "div", "trig", "root", "raw mult", "raw add");
  for (const MethodCount& count : counts) {
    const OperationCount& c = count.of(question);
    if (!computed(c)) continue;
    text += fmt::format("  {:<32} {:>9} {:>9} {:>5} {:>5} {:>5} {:>10} {:>10}\n", count.method,
                        c.multiplications, c.additions, c.divisions, c.trigonometric,
                        c.square_roots, c.raw_multiplications, c.raw_additions);
  }
  for (const PaperCount& p : paper_counts()) {
    if (p.question != question) continue;
    text += fmt::format("  {:<32} {:>9.10g} {:>9.10g}   {}, {}\n", p.algorithm,
                        evaluate(p.multiplications, n), evaluate(p.additions, n),
                        p.multiplications_text, p.additions_text);
  }
  return text + "\n";
}

std::string json_of(const std::string& model, int n, const std::vector<MethodCount>& counts) {
  Json all = {{"model", model}, {"velocities", n}};
  for (const Question question : questions) {
    Json methods = Json::array(), papers = Json::array();
    for (const MethodCount& count : counts) {
      const OperationCount& c = count.of(question);
      if (!computed(c)) continue;
      methods.push_back({{"method", count.method},
                         {"multiplications", c.multiplications},
                         {"additions", c.additions},
                         {"divisions", c.divisions},
                         {"trigonometric", c.trigonometric},
                         {"square_roots", c.square_roots},
                         {"raw_multiplications", c.raw_multiplications},
                         {"raw_additions", c.raw_additions}});
    }
    for (const PaperCount& p : paper_counts()) {
      if (p.question != question) continue;
      papers.push_back({{"algorithm", p.algorithm},
                        {"source", p.source},
                        {"multiplications", evaluate(p.multiplications, n)},
                        {"additions", evaluate(p.additions, n)},
                        {"formulas", {p.multiplications_text, p.additions_text}}});
    }
    all[std::string(name_of(question))] = {{"methods", methods}, {"papers", papers}};
  }
  return all.dump(2) + "\n";
}

// One row per question and method: text and numbers do not share a table, so this is written here.
std::string csv_of(const std::vector<MethodCount>& counts, int n) {
  std::string text =
      "question,method,multiplications,additions,divisions,trigonometric,square_roots,"
      "raw_multiplications,raw_additions\n";
  for (const Question question : questions) {
    for (const MethodCount& count : counts) {
      const OperationCount& c = count.of(question);
      if (!computed(c)) continue;
      text += fmt::format("{},{},{},{},{},{},{},{},{}\n", name_of(question), count.method,
                          c.multiplications, c.additions, c.divisions, c.trigonometric,
                          c.square_roots, c.raw_multiplications, c.raw_additions);
    }
    for (const PaperCount& p : paper_counts()) {
      if (p.question != question) continue;
      text += fmt::format("{},{},{},{},,,,,\n", name_of(question),
                          csv_text(std::string(p.algorithm) + " (formula)"),
                          number_text(evaluate(p.multiplications, n)),
                          number_text(evaluate(p.additions, n)));
    }
  }
  return text;
}

void count_model(const CountOptions& o) {
  const Model model = o.model.path.empty() ? general_chain(o.chain) : load_model(o.model);
  const Mechanism<double> m = compile(model, compile_options(o.model));
  if (m.nv == 0) throw InputError({o.model.path}, "nothing moves in this model");
  const auto counts = counts_of(m);
  if (!o.output.plot.empty()) throw UsageError("--plot draws a --sweep; one model has no curve");
  std::string text;
  switch (format_of(o.output)) {
    case Format::json:
      text = json_of(model.name, m.nv, counts);
      break;
    case Format::csv:
      text = csv_of(counts, m.nv);
      break;
    case Format::readable:
      text = fmt::format("{}: {} velocities\n\n", model.name, m.nv);
      for (const Question question : questions) text += block(question, counts, m.nv);
      text +=
          "Operations with a structural 0 or 1 (of the model, or of the resting base) are free; "
          "raw counts have them all.\n"
          "The papers' formulas are for general chains of revolute joints, and count divisions as "
          "multiplications.\n";
  }
  if (o.output.file.empty() || o.output.file == "-")
    print(text);
  else
    write_file_whole(o.output.file, text);
}

// The curves of a question: our methods, then the papers'.
std::vector<CostCurve> curves_of(Question question, const WholeRange& range,
                                 const std::vector<std::vector<MethodCount>>& counts) {
  std::vector<CostCurve> curves;
  for (std::size_t k = 0; k < counts.front().size(); ++k) {
    CostCurve curve{counts.front()[k].method, {}, {}};
    for (const auto& at_n : counts) {
      const OperationCount& c = at_n[k].of(question);
      curve.multiplications.push_back(static_cast<double>(with_divisions(c)));
      curve.additions.push_back(static_cast<double>(c.additions));
    }
    if (computed(counts.back()[k].of(question))) curves.push_back(curve);
  }
  for (const PaperCount& p : paper_counts()) {
    if (p.question != question) continue;
    CostCurve curve{std::string(p.algorithm) + " (formula)", {}, {}};
    for (int n = range.first; n <= range.last; ++n) {
      curve.multiplications.push_back(evaluate(p.multiplications, n));
      curve.additions.push_back(evaluate(p.additions, n));
    }
    curves.push_back(curve);
  }
  return curves;
}

std::string panel_of(Question question) {
  if (question == Question::inverse) return "mult., inverse dynamics";
  if (question == Question::inertia) return "mult., inertia matrix";
  return question == Question::solve ? "mult., forward, bias known" : "mult., forward dynamics";
}

void count_sweep(const CountOptions& o) {
  const WholeRange range = parse_range(o.sweep, "--sweep", 1000);
  std::vector<std::vector<MethodCount>> counts;
  for (int n = range.first; n <= range.last; ++n)
    counts.push_back(counts_of(compile(general_chain(n))));
  Result result;
  result.title = "Operations for a general chain of n revolute joints";
  result.key = "n", result.key_label = "joints n";
  result.add_column("n", "");
  std::vector<const std::vector<double>*> columns;
  std::vector<std::vector<CostCurve>> all;
  std::string crossings = "question,cheaper,than,fewer_multiplications_from,fewer_of_both_from\n";
  std::string readable;
  for (const Question question : questions) all.push_back(curves_of(question, range, counts));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name(name_of(questions[i]));
    for (const CostCurve& curve : all[i]) {
      // Hollerbach's is far above all others, and the bias is as inverse dynamics.
      const bool drawn = questions[i] != Question::bias && !curve.name.starts_with("Hollerbach");
      result.add_column(name + "." + curve.name + ".mult", drawn ? panel_of(questions[i]) : "",
                        curve.name.substr(0, curve.name.find(" (formula)")));
      columns.push_back(&curve.multiplications);
      result.add_column(name + "." + curve.name + ".add", "");
      columns.push_back(&curve.additions);
    }
    for (const Crossing& c : find_crossings(all[i], range.first)) {
      crossings += fmt::format("{},{},{},{},{}\n", name, csv_text(c.cheaper), csv_text(c.than),
                               c.multiplications, c.both);
      readable += fmt::format("  {:<8} {:<40} {:<40} {:>6} {:>6}\n", name, c.cheaper, c.than,
                              c.multiplications, c.both);
    }
  }
  std::vector<double> row;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    row = {static_cast<double>(range.first) + static_cast<double>(r)};
    for (const auto* column : columns) row.push_back((*column)[r]);
    result.table.add_row(row);
  }
  if (format_of(o.output) == Format::readable) {
    result.readable = fmt::format(
        "Crossing points of general chains of {} to {} revolute joints: from which n on the first "
        "needs fewer\n"
        "multiplications than the second, and fewer of multiplications and additions (0: not "
        "within the sweep)\n\n"
        "  {:<8} {:<40} {:<40} {:>6} {:>6}\n{}\n"
        "-o FILE.csv writes the counts, --crossings FILE.csv these lines, --plot FILE.svg draws "
        "them.\n",
        range.first, range.last, "question", "cheaper", "than", "mult", "both", readable);
  }
  if (!o.crossings.empty()) write_file_whole(o.crossings, crossings);
  write_result(o.output, result);
}

}  // namespace

void add_count_command(Command& app) {
  Command& command =
      add_command(app, "count", "Operations of every formulation, beside the papers' formulas",
                  "catena count models/puma.yaml\n"
                  "catena count --chain 6 --json\n"
                  "catena count --sweep 1..20 -o counts.csv --plot counts.svg");
  const auto o = std::make_shared<CountOptions>();
  add_model_options(command, o->model);
  command.get_option("MODEL")->required(false);
  command.add_option("--chain", o->chain, "Without MODEL: a general chain of N revolute joints")
      ->between(1, 10000)
      ->capture_default_str();
  command.add_option("--sweep", o->sweep, "General chains of FIRST..LAST joints, e.g. 1..50")
      ->type_name("FIRST..LAST");
  command
      .add_option("--crossings", o->crossings,
                  "With --sweep: CSV of where one algorithm becomes cheaper than another")
      ->type_name("FILE")
      ->needs("--sweep");
  add_output_options(command, o->output);
  when_run(command, [o] {
    if (o->sweep.empty()) return count_model(*o);
    if (!o->model.path.empty())
      throw UsageError("--sweep counts general chains; leave out MODEL, or --sweep");
    count_sweep(*o);
  });
}

}  // namespace catena::cli
