#include "catena/support/error.hpp"

#include <algorithm>

namespace catena {
namespace {

std::string compose(const Where& where, const std::string& problem, const std::string& remedy) {
  std::string text = to_string(where);
  if (!text.empty()) text += ": ";
  text += problem;
  if (!remedy.empty()) text += "\n    " + remedy;
  return text;
}

// Levenshtein distance with transpositions of neighbours counted as one.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string to_string(const Where& where) {
  std::string text = where.file;
  if (where.line > 0) text.append(":").append(std::to_string(where.line));
  if (where.line > 0 && where.column > 0) text.append(":").append(std::to_string(where.column));
  return text;
}

InputError::InputError(Where where, const std::string& problem, const std::string& remedy)
    : Error(compose(where, problem, remedy)),
      where_(std::move(where)),
      problem_(problem),
      remedy_(remedy) {}

void throw_size_error(const char* name, std::size_t actual, std::size_t expected) {
  throw SizeError(std::string(name) + " has " + std::to_string(actual) +
                  " entries, but the mechanism needs " + std::to_string(expected));
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 200;  // names beyond this are not typing mistakes
  if (name.size() > longest) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string best = nearest_name(name, candidates);
  return best.empty() ? "" : " (did you mean '" + best + "'?)";
}

}  // namespace catena
