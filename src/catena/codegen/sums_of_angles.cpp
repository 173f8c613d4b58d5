#include "catena/codegen/sums_of_angles.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

namespace catena {
namespace {

using Kind = ProgramValue::Kind;
using Terms = std::vector<ProgramTerm>;

class AngleSums {
 public:
  explicit AngleSums(Program& program) : p_(program) {
    for (const int v : evaluation_order(p_)) {
      const ProgramValue& value = p_.values[at(v)];
      if (is_turn(v)) turns_.try_emplace({value.kind, key_of(angle_terms(value.a))}, v);
    }
  }

  bool run() {
    bool changed = false;
    for (const int v : evaluation_order(p_)) {
      while (p_.values[at(v)].terms.size() > 1 && replace_a_pair(v)) changed = true;
    }
    return changed;
  }

 private:
  using AngleKey = std::vector<std::pair<std::vector<int>, double>>;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_turn(int v) const {
    const Kind kind = p_.values[at(v)].kind;
    return kind == Kind::sine || kind == Kind::cosine;
  }

  // The term with products written out: factors that are no products themselves.
  ProgramTerm expanded(const ProgramTerm& term) const {
    ProgramTerm result{term.coefficient, {}};
    for (const int factor : term.factors) {
      const ProgramValue& f = p_.values[at(factor)];
      if (f.kind != Kind::polynomial || f.terms.size() != 1) {
        result.factors.push_back(factor);
        continue;
      }
      const ProgramTerm inner = expanded(f.terms[0]);
      result.coefficient *= inner.coefficient;
      result.factors.insert(result.factors.end(), inner.factors.begin(), inner.factors.end());
    }
    std::sort(result.factors.begin(), result.factors.end());
    return result;
  }

  Terms angle_terms(int angle) const {
    const ProgramValue& value = p_.values[at(angle)];
    if (value.kind == Kind::polynomial) return value.terms;
    return {{1, {angle}}};
  }
  static AngleKey key_of(Terms terms) {
    AngleKey key;
    for (ProgramTerm& term : terms) key.emplace_back(std::move(term.factors), term.coefficient);
    std::sort(key.begin(), key.end());
    return key;
  }

  // sin or cos of a + sign * b; -1 if that is no angle but a number.
  int turn_of(Kind kind, int a, int b, double sign) {
    Terms terms = angle_terms(a);
    for (ProgramTerm term : angle_terms(b)) {
      term.coefficient *= sign;
      const auto same = std::find_if(terms.begin(), terms.end(), [&](const ProgramTerm& t) {
        return t.factors == term.factors;
      });
      if (same == terms.end())
        terms.push_back(std::move(term));
      else
        same->coefficient += term.coefficient;
    }
    std::erase_if(terms, [](const ProgramTerm& term) { return term.coefficient == 0; });
    const auto is_number = [](const ProgramTerm& term) { return term.factors.empty(); };
    if (std::all_of(terms.begin(), terms.end(), is_number)) return -1;
    const AngleKey key = key_of(terms);
    const auto known = turns_.find({kind, key});
    if (known != turns_.end()) return known->second;
    // Both at once, of one angle.
    const int angle = static_cast<int>(p_.values.size());
    p_.values.push_back({Kind::polynomial, -1, -1, terms});
    p_.values.push_back({Kind::sine, angle, -1, {}});
    p_.values.push_back({Kind::cosine, angle, -1, {}});
    turns_[{Kind::sine, key}] = angle + 1;
    turns_[{Kind::cosine, key}] = angle + 2;
    return kind == Kind::sine ? angle + 1 : angle + 2;
  }

  // x = k F s(a) t(b) and y = ± k F s'(a) t'(b), where ' changes sine and cosine.
  bool replace_a_pair(int v) {
    const Terms terms = p_.values[at(v)].terms;
    std::vector<ProgramTerm> all;
    for (const ProgramTerm& term : terms) all.push_back(expanded(term));
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        ProgramTerm sum;
        if (!combined(all[i], all[j], sum)) continue;
        Terms& rest = p_.values[at(v)].terms;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(j));
        rest[i] = sum;
        return true;
      }
    }
    return false;
  }

  bool combined(const ProgramTerm& x, const ProgramTerm& y, ProgramTerm& sum) {
    if (x.factors.size() != y.factors.size() || x.factors.size() < 2) return false;
    if (std::abs(x.coefficient) != std::abs(y.coefficient)) return false;
    std::vector<int> dx, dy, common;
    std::set_difference(x.factors.begin(), x.factors.end(), y.factors.begin(), y.factors.end(),
                        std::back_inserter(dx));
    std::set_difference(y.factors.begin(), y.factors.end(), x.factors.begin(), x.factors.end(),
                        std::back_inserter(dy));
    if (dx.size() != 2 || dy.size() != 2) return false;
    std::set_intersection(x.factors.begin(), x.factors.end(), y.factors.begin(), y.factors.end(),
                          std::back_inserter(common));
    for (const int f : {dx[0], dx[1], dy[0], dy[1]}) {
      if (!is_turn(f)) return false;
    }
    const auto kind = [&](int f) { return p_.values[at(f)].kind; };
    const auto angle = [&](int f) { return p_.values[at(f)].a; };
    if (angle(dx[0]) != angle(dy[0])) std::swap(dy[0], dy[1]);
    if (angle(dx[0]) != angle(dy[0]) || angle(dx[1]) != angle(dy[1])) return false;
    if (kind(dx[0]) == kind(dy[0]) || kind(dx[1]) == kind(dy[1])) return false;
    const bool same_sign = (x.coefficient < 0) == (y.coefficient < 0);
    int turn = 0;
    double coefficient = x.coefficient;
    if (kind(dx[0]) == kind(dx[1])) {
      // cos cos - sin sin = cos (a + b), cos cos + sin sin = cos (a - b)
      turn = turn_of(Kind::cosine, angle(dx[0]), angle(dx[1]), same_sign ? -1 : 1);
      if (kind(dx[0]) == Kind::sine) coefficient = y.coefficient;
    } else {
      // sin a cos b + cos a sin b = sin (a + b), sin a cos b - cos a sin b = sin (a - b)
      if (kind(dx[0]) == Kind::cosine) std::swap(dx[0], dx[1]);
      turn = turn_of(Kind::sine, angle(dx[0]), angle(dx[1]), same_sign ? 1 : -1);
    }
    if (turn < 0) return false;
    sum = {coefficient, common};
    sum.factors.insert(std::upper_bound(sum.factors.begin(), sum.factors.end(), turn), turn);
    return true;
  }

  Program& p_;
  std::map<std::pair<Kind, AngleKey>, int> turns_;
};

}  // namespace

bool use_sums_of_angles(Program& program) { return AngleSums(program).run(); }

}  // namespace catena
