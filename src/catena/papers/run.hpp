// Runs: the kinds of things that the papers compute, each a function from settings to results.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "catena/data/table.hpp"
#include "catena/model/mechanism.hpp"
#include "catena/model/model.hpp"
#include "catena/papers/claim.hpp"
#include "catena/readers/yaml_table.hpp"

namespace catena::papers {

// The keys of one exhibit of a paper.yaml, under one reading of what the text leaves open: a key of
// the reading stands in place of the exhibit's.
class Settings {
 public:
  Settings(const yaml::Table& exhibit, const yaml::Table* reading, std::string folder)
      : exhibit_(exhibit), reading_(reading), folder_(std::move(folder)) {}

  bool has(const std::string& key) const { return part(key).has(key); }
  // Throws InputError unless the key is there.
  const yaml::Value& need(const std::string& key) const;
  std::string text(const std::string& key) const;
  std::string text(const std::string& key, const std::string& fallback) const;
  double number(const std::string& key, Dimension dimension = dimension::number) const;
  double number(const std::string& key, Dimension dimension, double fallback) const;
  int whole(const std::string& key, int fallback) const;
  // A list of numbers or of words.
  std::vector<double> numbers(const std::string& key) const;
  std::vector<std::string> words(const std::string& key) const;
  Vec3<double> vector(const std::string& key, Dimension dimension) const;
  // {name: text, ...} in the order of the file.
  std::vector<std::pair<std::string, std::string>> pairs(const std::string& key) const;

  // The model of a key, from a path beside paper.yaml, with `gravity` and `place` (the origins of
  // joints in their parents) of the settings.
  Model model(const std::string& key = "model") const { return model_at(text(key)); }
  Model model_at(const std::string& path) const;
  // q with the values of {joint: value, ...} put in; a missing key leaves all as it is.
  void set_positions(const std::string& key, const Mechanism<double>& m, Eigen::VectorXd& q) const;

  // Throws InputError at the value of the key.
  [[noreturn]] void fail(const std::string& key, const std::string& problem,
                         const std::string& remedy) const;
  const yaml::Table& part(const std::string& key) const;

 private:
  const yaml::Table& exhibit_;
  const yaml::Table* reading_;
  std::string folder_;
};

// A table of words for the report.
struct Grid {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  int names = 1;  // columns at the left that are words
};

// What a run has found.
struct Run {
  Measures measures;
  Table table;                                // its first column is what figures are drawn over
  std::map<std::string, std::string> labels;  // of columns: what they measure, e.g. "torque, N m"
  std::vector<Grid> grids;
  std::vector<Claim> claims;  // that follow from data of the run itself, e.g. rows of a table

  void set(const std::string& name, double value, const std::string& unit = "",
           const std::string& label = "") {
    measures[name] = {value, unit, label};
  }
};

// A kind of exhibit.
struct Kind {
  std::string name;
  yaml::Keys keys;  // besides those of every exhibit
  std::function<Run(const Settings&)> run;
};
const std::vector<Kind>& kinds();

// One function per file.
Run run_torques(const Settings& settings);     // inverse dynamics along a trajectory
Run run_fall(const Settings& settings);        // motion under gravity alone
Run run_drive(const Settings& settings);       // a closed chain, driven by one joint
Run run_counts(const Settings& settings);      // a table of operation counts
Run run_growth(const Settings& settings);      // operation counts over the length of a chain
Run run_stability(const Settings& settings);   // single against double precision
Run run_line(const Settings& settings);        // a frame on a line, simulated
Run run_matrices(const Settings& settings);    // 4x4 matrices, entry by entry
Run run_subsystems(const Settings& settings);  // in which order the parts of a chain are solved
Run run_agreement(const Settings& settings);   // the same answer from all methods

// Least, greatest, first and last of every column from `first` on whose name begins with `prefix`:
// "joint1.min", ...
void measure_columns(Run& run, const std::string& prefix, const std::string& as = "");
// "torque, N m" of a velocity, "angle, rad" of a position.
std::string force_label(const Dimension& dimension);
std::string motion_label(const Dimension& dimension, int derivative);
std::string force_unit(const Dimension& dimension);

}  // namespace catena::papers
