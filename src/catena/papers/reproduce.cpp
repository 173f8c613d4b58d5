#include "catena/papers/reproduce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace catena::papers {
namespace {

// The runs of all readings; the first that succeeds is kept whole.
void run_readings(const Paper& paper, ExhibitResult& result) {
  bool have_run = false;
  for (const Exhibit::Variant& variant : result.exhibit.readings) {
    Reading reading{variant.name, "", {}};
    try {
      Run run = result.exhibit.kind->run(
          Settings(*result.exhibit.keys, variant.keys.get(), paper.folder));
      reading.measures = run.measures;
      if (!have_run) result.run = std::move(run);
      have_run = true;
    } catch (const NumericalError& error) {
      reading.failure = error.what();
      if (result.failure.empty()) result.failure = error.what();
    }
    result.readings.push_back(reading);
  }
  if (have_run) result.failure.clear();
}

plot::Series series_of(const Table& table, const CurveSource& source, const Exhibit& exhibit,
                       bool decades) {
  const int column = table.find(source.column);
  if (column < 0)
    throw InputError(exhibit.keys->where(),
                     fmt::format("panels: there is no column '{}'{}", source.column,
                                 did_you_mean(source.column, table.columns)),
                     fmt::format("the columns are: {}", fmt::join(table.columns, ", ")));
  plot::Series series;
  series.name = source.name;
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    const double y = table.at(r, static_cast<std::size_t>(column));
    series.x.push_back(table.at(r, 0));
    series.y.push_back(!decades ? y : y > 0 ? std::log10(y) : std::nan(""));
  }
  return series;
}

}  // namespace

int PaperResult::count(Verdict verdict) const {
  int n = 0;
  for (const ExhibitResult& e : exhibits) {
    for (const JudgedClaim& c : e.claims) n += c.judgement.verdict == verdict;
  }
  return n;
}

PaperResult reproduce(const Paper& paper, const std::function<void(const std::string&)>& progress) {
  PaperResult result{paper, {}};
  std::set<std::string> ids;
  for (const Exhibit& exhibit : paper.exhibits) {
    if (progress) progress(exhibit.title);
    ExhibitResult e{exhibit, {}, {}, "", {}};
    run_readings(paper, e);
    std::vector<Claim> claims = exhibit.claims;
    claims.insert(claims.end(), e.run.claims.begin(), e.run.claims.end());
    for (const Claim& claim : claims) {
      if (!ids.insert(exhibit.id + "." + claim.id).second)
        throw InputError(claim.where, "the claim '" + claim.id + "' is there twice", "rename one");
      e.claims.push_back({claim, judge(claim, e.readings)});
    }
    result.exhibits.push_back(std::move(e));
  }
  return result;
}

plot::Figure figure_of(const ExhibitResult& e) {
  plot::Figure figure;
  if (!e.failure.empty()) return figure;
  figure.x_label = e.exhibit.x_label;
  figure.columns = e.exhibit.columns;
  for (const PanelSource& source : e.exhibit.panels) {
    plot::Panel panel{source.title, source.y_label, {}, {}};
    for (const CurveSource& curve : source.curves)
      panel.series.push_back(series_of(e.run.table, curve, e.exhibit, source.decades));
    if (source.has_range) panel.y_shown = {source.from, source.to};
    figure.panels.push_back(panel);
  }
  return figure;
}

std::string claims_csv(std::span<const PaperResult> results) {
  std::string text = "paper,exhibit,claim,verdict,says,found,reason\n";
  for (const PaperResult& paper : results) {
    for (const ExhibitResult& e : paper.exhibits) {
      for (const JudgedClaim& c : e.claims) {
        text += fmt::format("{},{},{},{},{},{},{}\n", csv_text(paper.paper.name),
                            csv_text(e.exhibit.id), csv_text(c.claim.id),
                            to_string(c.judgement.verdict), csv_text(c.claim.says),
                            csv_text(fmt::format("{}", fmt::join(c.judgement.found, "; "))),
                            csv_text(c.judgement.reason));
      }
    }
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> output_files(
    std::span<const PaperResult> results) {
  std::vector<std::pair<std::string, std::string>> files = {{"report.html", report_html(results)},
                                                            {"claims.csv", claims_csv(results)}};
  for (const PaperResult& paper : results) {
    for (const ExhibitResult& e : paper.exhibits) {
      const std::string name = paper.paper.name + "/" + e.exhibit.id;
      if (e.run.table.num_rows() > 0) files.emplace_back(name + ".csv", to_csv(e.run.table));
      plot::Figure figure = figure_of(e);
      if (figure.panels.empty()) continue;
      figure.title = e.exhibit.title;
      files.emplace_back(name + ".svg", plot::to_svg(figure));
    }
  }
  return files;
}

}  // namespace catena::papers
