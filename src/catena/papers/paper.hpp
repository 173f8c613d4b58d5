// Papers as data: what each shows and claims, read from papers/NAME/paper.yaml.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/papers/run.hpp"

namespace catena::papers {

// A curve of a figure: a column of the run's table and its name in the legend.
struct CurveSource {
  std::string column, name;
};

struct PanelSource {
  std::string title, y_label;
  std::vector<CurveSource> curves;
  bool has_range = false;  // the paper's axis is known
  double from = 0, to = 0;
  bool decades = false;  // drawn as powers of ten
};

// One figure, table or example of a paper.
struct Exhibit {
  std::string id;     // "fig-5"
  std::string title;  // "Fig. 5: Torques of the planar arm"
  std::string note;   // how it was read, what was assumed
  const Kind* kind = nullptr;
  std::string x_label;
  int columns = 1;  // of panels
  std::vector<PanelSource> panels;
  std::vector<Claim> claims;
  struct Variant {
    std::string name;
    std::shared_ptr<yaml::Table> keys;  // null: the exhibit's own
  };
  std::vector<Variant> readings;  // at least one; the first is shown
  std::shared_ptr<yaml::Table> keys;
};

struct Paper {
  std::string name;    // of its folder
  std::string folder;  // its path
  int order = 0;
  std::string title, authors, source, about;
  std::vector<std::pair<std::string, std::string>> open;  // what the text does not tell, by name
  std::vector<Exhibit> exhibits;
  yaml::ValuePtr document;  // keeps what the exhibits refer to
};

// The names of the folders in `folder` with a paper.yaml, in the order of the papers.
//   throws  InputError if there is none
std::vector<std::string> paper_names(const std::string& folder);
// Throws InputError, naming the place, if the file says what it cannot.
Paper read_paper(const std::string& folder, const std::string& name);

}  // namespace catena::papers
