// Reproduction: every exhibit of a paper computed, every claim judged, and the report.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catena/papers/paper.hpp"
#include "catena/plot/figure.hpp"

namespace catena::papers {

struct JudgedClaim {
  Claim claim;
  Judgement judgement;
};

struct ExhibitResult {
  Exhibit exhibit;
  std::vector<Reading> readings;
  Run run;              // of the first reading that has one
  std::string failure;  // why there is none
  std::vector<JudgedClaim> claims;
};

struct PaperResult {
  Paper paper;
  std::vector<ExhibitResult> exhibits;

  int count(Verdict verdict) const;
};

// Runs everything. `progress` is told the exhibit that begins; it may be empty.
//   throws  InputError if paper.yaml or a model of it is wrong
PaperResult reproduce(const Paper& paper, const std::function<void(const std::string&)>& progress);

// The whole figure of an exhibit; without panels if it has none.
plot::Figure figure_of(const ExhibitResult& result);

// "paper,exhibit,claim,verdict,says,found,reason" with a line for every claim.
std::string claims_csv(std::span<const PaperResult> results);
// One page that needs nothing else.
std::string report_html(std::span<const PaperResult> results);
// report.html, claims.csv, and PAPER/EXHIBIT.csv and .svg: paths below a folder and contents.
std::vector<std::pair<std::string, std::string>> output_files(std::span<const PaperResult> results);

}  // namespace catena::papers
