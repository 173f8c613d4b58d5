// Claims of a paper, and what becomes of them: confirmed, different, or not to be decided.
//
// A claim is data (papers/NAME/paper.yaml): what the paper says, as conditions on numbers that the
// program computes. What the text leaves open is data, too, as several readings of it: a claim that
// holds for one reading and not for another cannot be decided from the text.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "catena/support/error.hpp"

namespace catena::papers {

// A computed result: a number with its unit, or a word.
struct Measure {
  std::variant<double, std::string> value;
  std::string unit{};
  std::string label{};  // for people; "": its name
};
using Measures = std::map<std::string, Measure>;

// "12.3 N m": five digits, or the word itself.
std::string text_of(const Measure& measure);
std::string text_of_number(double value);

// A condition on one measure; what is not given does not count.
struct Check {
  enum class Kind {
    is,         // equals `number` within `within`, or is `word`
    near,       // equals `number` within a factor `within`, either way
    at_least,   // number <= measure
    at_most,    // measure <= number
    less_than,  // measure times `within` < the measure called `word`
    shown,      // no condition: the number is of interest
  };
  std::string measure;
  Kind kind = Kind::shown;
  double number = 0, within = 0;  // within: absolute, or a factor
  std::string word;
  Where where{};
};

struct Claim {
  std::string id;
  std::string says;                // in our words
  std::vector<Check> checks;       // all must hold
  std::vector<std::string> needs;  // what the text does not tell, in our words
  Where where{};
};

// The results of one reading of what the text leaves open.
struct Reading {
  std::string name;
  std::string failure;  // why there are no results; empty if there are
  Measures measures;
};

enum class Verdict { confirmed, differs, open };
// "confirmed", "differs", "cannot be decided"
const char* to_string(Verdict verdict);

struct Judgement {
  Verdict verdict = Verdict::open;
  std::vector<std::string> found;  // what was computed, one line for each reading
  std::string reason;              // by what it differs, or why it cannot be decided
};

// Whether the claim holds in all readings (confirmed), in none (differs), or in some (open). A
// claim that needs what the text does not tell is open.
//   throws  InputError at the check whose measure no reading has
Judgement judge(const Claim& claim, const std::vector<Reading>& readings);

}  // namespace catena::papers
