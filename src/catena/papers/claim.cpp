#include "catena/papers/claim.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace catena::papers {
namespace {

const Measure& measure_of(const Reading& reading, const std::string& name, const Check& check) {
  const auto it = reading.measures.find(name);
  if (it != reading.measures.end()) return it->second;
  std::vector<std::string> known;
  for (const auto& entry : reading.measures) known.push_back(entry.first);
  throw InputError(check.where,
                   fmt::format("there is no result '{}' here{}", name, did_you_mean(name, known)),
                   fmt::format("the results are: {}", fmt::join(known, ", ")));
}

const std::string& label_of(const std::string& name, const Measure& measure) {
  return measure.label.empty() ? name : measure.label;
}

double number_of(const Measure& measure, const Check& check) {
  if (const double* number = std::get_if<double>(&measure.value)) return *number;
  throw InputError(check.where, fmt::format("result '{}' is a word, not a number", check.measure),
                   "compare it with a word: {is: word}");
}

// Empty if the check holds, else by what it does not.
std::string deviation(const Check& check, const Reading& reading) {
  const Measure& measure = measure_of(reading, check.measure, check);
  if (check.kind == Check::Kind::shown) return "";
  const std::string found = label_of(check.measure, measure) + " is " + text_of(measure);
  if (std::holds_alternative<std::string>(measure.value) && check.kind == Check::Kind::is)
    return std::get<std::string>(measure.value) == check.word
               ? ""
               : fmt::format("{}, printed {}", found, check.word);
  const double value = number_of(measure, check);
  switch (check.kind) {
    case Check::Kind::is:
      if (std::abs(value - check.number) <= check.within) return "";
      return fmt::format("{}, printed {}: off by {}", found, text_of_number(check.number),
                         text_of_number(value - check.number));
    case Check::Kind::near: {
      const double factor = value > check.number ? value / check.number : check.number / value;
      if (factor <= check.within) return "";
      return fmt::format("{}, printed {}: {} by a factor of {}", found,
                         text_of_number(check.number), value > check.number ? "larger" : "smaller",
                         fmt::format("{:.3g}", factor));
    }
    case Check::Kind::at_least:
      return value >= check.number
                 ? ""
                 : fmt::format("{}, which is below {}", found, text_of_number(check.number));
    case Check::Kind::at_most:
      return value <= check.number
                 ? ""
                 : fmt::format("{}, which is above {}", found, text_of_number(check.number));
    default: {
      const Measure& other = measure_of(reading, check.word, check);
      if (value * check.within < number_of(other, check)) return "";
      return fmt::format("{}, but {} is {}", found, label_of(check.word, other), text_of(other));
    }
  }
}

std::string found_in(const Claim& claim, const Reading& reading) {
  std::vector<std::string> parts;
  const auto show = [&](const std::string& name, const Check& check) {
    const Measure& measure = measure_of(reading, name, check);
    const std::string part = label_of(name, measure) + " = " + text_of(measure);
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  };
  for (const Check& check : claim.checks) {
    show(check.measure, check);
    if (check.kind == Check::Kind::less_than) show(check.word, check);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string text_of_number(double value) {
  if (value == 0) return "0";
  if (value == std::round(value) && std::abs(value) < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.5g}", value);
}

std::string text_of(const Measure& measure) {
  if (const auto* word = std::get_if<std::string>(&measure.value)) return *word;
  return text_of_number(std::get<double>(measure.value)) +
         (measure.unit.empty() ? "" : " " + measure.unit);
}

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::differs:
      return "differs";
    default:
      return "cannot be decided";
  }
}

Judgement judge(const Claim& claim, const std::vector<Reading>& readings) {
  Judgement j;
  std::vector<std::string> good, bad, without;
  std::vector<std::pair<std::string, std::string>> found;  // by reading
  std::string first_deviation;
  for (const Reading& reading : readings) {
    if (!reading.failure.empty()) {
      without.push_back(fmt::format("{} ({})", reading.name, reading.failure));
      continue;
    }
    found.emplace_back(reading.name, found_in(claim, reading));
    std::vector<std::string> problems;
    for (const Check& check : claim.checks) {
      if (const auto problem = deviation(check, reading); !problem.empty())
        problems.push_back(problem);
    }
    (problems.empty() ? good : bad).push_back(reading.name);
    if (first_deviation.empty()) first_deviation = fmt::format("{}", fmt::join(problems, "; "));
  }
  const bool same = std::all_of(found.begin(), found.end(), [&](const auto& entry) {
    return entry.second == found.front().second;
  });
  for (const auto& [name, text] : found) {
    if (text.empty()) continue;
    if (readings.size() == 1 || same) {
      j.found = {readings.size() == 1 ? text : "every reading: " + text};
      break;
    }
    j.found.push_back(name + ": " + text);
  }
  if (!claim.needs.empty()) {
    j.reason = fmt::format("{}", fmt::join(claim.needs, " "));
  } else if (good.empty() && bad.empty()) {
    j.reason = fmt::format("no reading has a result: {}", fmt::join(without, "; "));
  } else if (bad.empty()) {
    j.verdict = Verdict::confirmed;
  } else if (good.empty()) {
    j.verdict = Verdict::differs;
    j.reason = first_deviation;
  } else {
    j.reason = fmt::format("holds for: {}; not for: {}. The text does not say which it is.",
                           fmt::join(good, ", "), fmt::join(bad, ", "));
  }
  if (!without.empty() && j.verdict != Verdict::open)
    j.found.push_back(fmt::format("no result for: {}", fmt::join(without, "; ")));
  return j;
}

}  // namespace catena::papers
