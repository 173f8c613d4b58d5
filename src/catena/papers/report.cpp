// The report: one page with all papers, their figures, tables and claims.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "catena/papers/report_css.hpp"
#include "catena/papers/reproduce.hpp"

namespace catena::papers {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

const char* class_of(Verdict verdict) {
  return verdict == Verdict::confirmed ? "confirmed"
         : verdict == Verdict::differs ? "differs"
                                       : "undecided";
}
const char* sign_of(Verdict verdict) {
  return verdict == Verdict::confirmed ? "✓" : verdict == Verdict::differs ? "≠" : "?";
}
std::string badge(Verdict verdict, const std::string& text) {
  return fmt::format("<span class=\"verdict {}\">{} {}</span>", class_of(verdict), sign_of(verdict),
                     text);
}

std::string anchor(const Paper& paper, const Exhibit& exhibit) {
  return paper.name + "-" + exhibit.id;
}
std::string anchor(const Paper& paper, const Exhibit& exhibit, const Claim& claim) {
  return anchor(paper, exhibit) + "." + claim.id;
}

// ---- figures and tables ----

// A figure of its own for every panel, so that a narrow page can stack them.
std::string panels_html(const ExhibitResult& e) {
  const plot::Figure whole = figure_of(e);
  if (whole.panels.empty()) return "";
  std::string html;
  for (const plot::Panel& panel : whole.panels) {
    plot::Figure figure;
    figure.x_label = whole.x_label;
    figure.panels = {panel};
    const bool alone = whole.columns == 1;
    figure.panel_width = alone ? 740 : 500;
    figure.panel_height = alone ? 270 : 200;
    const std::string svg = plot::to_svg(figure);
    html += svg.substr(svg.find("<svg"));
  }
  const char* columns = whole.columns >= 3 ? " three" : whole.columns == 2 ? " two" : "";
  return fmt::format("<figure><div class=\"panels{}\">\n{}</div></figure>\n", columns, html);
}

std::string cell_html(const char* tag, bool name, const std::string& text) {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, name ? " class=\"name\"" : "", escaped(text));
}

std::string grid_html(const Grid& grid) {
  std::string html = "<div class=\"scroll\"><table>\n";
  if (!grid.caption.empty()) html += "<caption>" + escaped(grid.caption) + "</caption>\n";
  const auto is_name = [&](std::size_t column) { return static_cast<int>(column) < grid.names; };
  if (grid.names > 0) {
    html += "<thead><tr>";
    for (std::size_t c = 0; c < grid.header.size(); ++c)
      html += cell_html("th", is_name(c), grid.header[c]);
    html += "</tr></thead>\n";
  }
  for (const auto& row : grid.rows) {
    html += row.front().starts_with("Catena") ? "<tr class=\"ours\">" : "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) html += cell_html("td", is_name(c), row[c]);
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string grids_html(const std::vector<Grid>& grids) {
  std::string html, matrices;
  for (const Grid& grid : grids) (grid.names == 0 ? matrices : html) += grid_html(grid);
  return html + (matrices.empty() ? "" : "<div class=\"matrices\">" + matrices + "</div>\n");
}

// About ten rows of what the panels draw.
std::string numbers_html(const Paper& paper, const ExhibitResult& e) {
  const Table& table = e.run.table;
  if (e.exhibit.panels.empty() || table.num_rows() == 0) return "";
  Grid grid{"", {table.columns[0]}, {}, 1};
  std::vector<std::size_t> columns = {0};
  for (const PanelSource& panel : e.exhibit.panels) {
    for (const CurveSource& curve : panel.curves) {
      const auto column = static_cast<std::size_t>(table.find(curve.column));
      if (std::find(columns.begin(), columns.end(), column) != columns.end()) continue;
      columns.push_back(column);
      grid.header.push_back(curve.column);
    }
  }
  const std::size_t n = table.num_rows(), shown = std::min<std::size_t>(n, 11);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t row = shown == 1 ? 0 : i * (n - 1) / (shown - 1);
    grid.rows.emplace_back();
    for (std::size_t column : columns) {
      const double value = table.at(row, column);
      grid.rows.back().push_back(std::abs(value) < 5e-10 ? "0" : fmt::format("{:.5g}", value));
    }
  }
  return fmt::format(
      "<details><summary>Numbers ({} of {} rows; all are in {}/{}.csv)</summary>\n{}</details>\n",
      shown, n, escaped(paper.name), escaped(e.exhibit.id), grid_html(grid));
}

// ---- claims ----

std::string claim_html(const Paper& paper, const ExhibitResult& e, const JudgedClaim& c) {
  const Judgement& j = c.judgement;
  std::string html = fmt::format("<li class=\"claim {}\" id=\"{}\">\n<p>{}{}</p>\n",
                                 class_of(j.verdict), escaped(anchor(paper, e.exhibit, c.claim)),
                                 badge(j.verdict, to_string(j.verdict)), escaped(c.claim.says));
  if (!j.reason.empty())
    html += fmt::format("<p>{}{}</p>\n",
                        j.verdict == Verdict::differs ? "By what: " : "Why: ", escaped(j.reason));
  for (const std::string& line : j.found)
    html += fmt::format("<p class=\"found\">{}</p>\n", escaped(line));
  return html + "</li>\n";
}

std::string exhibit_html(const Paper& paper, const ExhibitResult& e) {
  std::string html = fmt::format(
      "<section class=\"exhibit\" id=\"{}\">\n<a class=\"top\" "
      "href=\"#contents\">contents</a><h3>{}</h3>\n",
      escaped(anchor(paper, e.exhibit)), escaped(e.exhibit.title));
  if (!e.exhibit.note.empty()) html += "<p class=\"note\">" + escaped(e.exhibit.note) + "</p>\n";
  if (!e.failure.empty()) html += "<p>No result: " + escaped(e.failure) + "</p>\n";
  html += panels_html(e);
  if (e.readings.size() > 1 && !e.exhibit.panels.empty())
    html += fmt::format("<p class=\"note\">Drawn: {}.</p>\n", escaped(e.readings.front().name));
  html += grids_html(e.run.grids);
  html += numbers_html(paper, e);
  if (!e.claims.empty()) {
    html += "<ul class=\"claims\">\n";
    for (const JudgedClaim& c : e.claims) html += claim_html(paper, e, c);
    html += "</ul>\n";
  }
  return html + "</section>\n";
}

std::string counts_html(const PaperResult& r) {
  std::string html;
  for (const Verdict v : {Verdict::confirmed, Verdict::differs, Verdict::open}) {
    if (r.count(v) > 0) html += badge(v, fmt::format("{} {}", r.count(v), to_string(v)));
  }
  return html;
}

std::string paper_html(const PaperResult& r) {
  const Paper& p = r.paper;
  std::string html = fmt::format(
      "<section class=\"paper\" id=\"{}\">\n<h2>{}</h2>\n<p class=\"soft\">{}. "
      "{}</p>\n<p>{}</p>\n<p>{}</p>\n",
      escaped(p.name), escaped(p.title), escaped(p.authors), escaped(p.source), counts_html(r),
      escaped(p.about));
  if (!p.open.empty()) {
    html += "<div class=\"open\">What the text leaves open:<ul>\n";
    for (const auto& entry : p.open) html += "<li>" + escaped(entry.second) + "</li>\n";
    html += "</ul></div>\n";
  }
  for (const ExhibitResult& e : r.exhibits) html += exhibit_html(p, e);
  return html + "</section>\n";
}

// ---- the first page ----

std::string overview_html(std::span<const PaperResult> results) {
  std::string html =
      "<div class=\"scroll\"><table>\n<thead><tr><th "
      "class=\"name\">Paper</th><th>confirmed</th><th>differs</th>"
      "<th>cannot be decided</th></tr></thead>\n";
  int sums[3] = {0, 0, 0};
  for (const PaperResult& r : results) {
    html += fmt::format("<tr><td class=\"name\"><a href=\"#{}\">{}</a></td>", escaped(r.paper.name),
                        escaped(r.paper.authors));
    int i = 0;
    for (const Verdict v : {Verdict::confirmed, Verdict::differs, Verdict::open}) {
      html += fmt::format("<td>{}</td>", r.count(v));
      sums[i++] += r.count(v);
    }
    html += "</tr>\n";
  }
  return html + fmt::format(
                    "<tr><th class=\"name\">All "
                    "claims</th><th>{}</th><th>{}</th><th>{}</th></tr>\n</table></div>\n",
                    sums[0], sums[1], sums[2]);
}

std::string differences_html(std::span<const PaperResult> results) {
  std::string items;
  for (const PaperResult& r : results) {
    for (const ExhibitResult& e : r.exhibits) {
      for (const JudgedClaim& c : e.claims) {
        if (c.judgement.verdict != Verdict::differs) continue;
        items += fmt::format(
            "<li class=\"claim differs\"><p><a href=\"#{}\">{}, {}</a>: {}</p><p "
            "class=\"found\">{}</p></li>\n",
            escaped(anchor(r.paper, e.exhibit, c.claim)), escaped(r.paper.authors),
            escaped(e.exhibit.title), escaped(c.claim.says), escaped(c.judgement.reason));
      }
    }
  }
  return items.empty()
             ? ""
             : "<section class=\"exhibit\"><h2>What differs</h2>\n<ul class=\"claims\">\n" + items +
                   "</ul></section>\n";
}

std::string contents_html(std::span<const PaperResult> results) {
  std::string html =
      "<nav id=\"contents\" class=\"exhibit\" aria-label=\"Contents\">\n<h2>Contents</h2>\n";
  for (const PaperResult& r : results) {
    html += fmt::format("<h3><a href=\"#{}\">{}: {}</a></h3>\n<ul>\n", escaped(r.paper.name),
                        escaped(r.paper.authors), escaped(r.paper.title));
    for (const ExhibitResult& e : r.exhibits)
      html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escaped(anchor(r.paper, e.exhibit)),
                          escaped(e.exhibit.title));
    html += "</ul>\n";
  }
  return html + "</nav>\n";
}

}  // namespace

std::string report_html(std::span<const PaperResult> results) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>The "
      "papers, reproduced</title>\n<style>\n";
  html += kReportCss;
  html +=
      "</style>\n</head>\n<body>\n<h1>The papers, reproduced</h1>\n"
      "<p>Every numeric example, figure and table of the papers behind Catena, computed anew. Each "
      "claim of a paper is "
      "a condition on computed numbers; its verdict follows from them:</p>\n<p>";
  html += badge(Verdict::confirmed, "confirmed") + "it holds, however the text is read.<br>";
  html += badge(Verdict::differs, "differs") + "it does not hold; the line below says by what.<br>";
  html += badge(Verdict::open, "cannot be decided") +
          "it holds for one reading of the text and not for another, or it rests on something that "
          "is not in the text.</p>\n";
  html += overview_html(results) + contents_html(results) + differences_html(results);
  for (const PaperResult& r : results) html += paper_html(r);
  return html + "</body>\n</html>\n";
}

}  // namespace catena::papers
