#include "catena/codegen/simplify.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "catena/codegen/sums_of_angles.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Kind = ProgramValue::Kind;
using Terms = std::vector<ProgramTerm>;

// What two sums or products are compared by.
using Key = std::vector<std::int64_t>;
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = key.size();
    for (const std::int64_t part : key) {
      h = (h ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
    return static_cast<std::size_t>(h);
  }
};
std::int64_t bits_of(double x) {
  std::int64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
void append(Key& key, const ProgramTerm& term, double scale) {
  key.push_back(bits_of(scale * term.coefficient));
  key.push_back(static_cast<std::int64_t>(term.factors.size()));
  key.insert(key.end(), term.factors.begin(), term.factors.end());
}

// Sorted, with a plus in front of the first term: sums that differ in sign only become the same.
// Returns the sign that was taken out.
double make_canonical(Terms& terms) {
  std::sort(terms.begin(), terms.end(), [](const ProgramTerm& x, const ProgramTerm& y) {
    return std::tie(x.factors, x.coefficient) < std::tie(y.factors, y.coefficient);
  });
  const double sign = terms.front().coefficient < 0 ? -1 : 1;
  for (ProgramTerm& term : terms) term.coefficient *= sign;
  return sign;
}
Key key_of(const Terms& terms) {
  Key key;
  for (const ProgramTerm& term : terms) append(key, term, 1);
  return key;
}

void remove_factor(ProgramTerm& term, int factor) {
  term.factors.erase(std::find(term.factors.begin(), term.factors.end(), factor));
}
void add_factor(ProgramTerm& term, int factor) {
  term.factors.insert(std::upper_bound(term.factors.begin(), term.factors.end(), factor), factor);
}

class Simplifier {
 public:
  explicit Simplifier(Program& program) : p_(program) {}

  void flatten();
  bool share_sums();
  bool share_products();
  bool take_out_factors();

 private:
  // A common factor of several terms of a sum: a value, or a number.
  struct Candidate {
    int factor = -1;
    double number = 1;
    std::vector<std::size_t> terms{};
  };

  std::vector<int> use_counts() const;
  void flatten_terms(ProgramValue& value, const std::vector<int>& uses);
  static void combine_like_terms(Terms& terms);
  // The value of these terms, an old one if there is one: sign * value.
  std::pair<double, int> value_of(Terms terms);
  void index_values();
  std::vector<Candidate> candidates_in(const Terms& terms) const;
  static Terms quotient(const Terms& terms, const Candidate& candidate);

  Program& p_;
  std::unordered_map<Key, int, KeyHash> known_;
};

std::vector<int> Simplifier::use_counts() const {
  std::vector<int> uses(p_.values.size(), 0);
  for (const int v : evaluation_order(p_)) {
    for_each_operand(p_.values[index(v)], [&](int operand) { ++uses[index(operand)]; });
  }
  for (const ProgramTerm& result : p_.results) {
    for (const int factor : result.factors) ++uses[index(factor)];
  }
  return uses;
}

void Simplifier::combine_like_terms(Terms& terms) {
  for (ProgramTerm& term : terms) std::sort(term.factors.begin(), term.factors.end());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    double size = std::abs(terms[i].coefficient);
    for (std::size_t j = i + 1; j < terms.size();) {
      if (terms[i].factors != terms[j].factors) {
        ++j;
        continue;
      }
      size += std::abs(terms[j].coefficient);
      terms[i].coefficient += terms[j].coefficient;
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
    }
    if (std::abs(terms[i].coefficient) <= 1e-15 * size) terms[i].coefficient = 0;
  }
  std::erase_if(terms, [](const ProgramTerm& term) { return term.coefficient == 0; });
}

// Takes in the terms of sums and the factors of products that are used here alone.
void Simplifier::flatten_terms(ProgramValue& value, const std::vector<int>& uses) {
  Terms terms;
  for (ProgramTerm term : value.terms) {
    const ProgramValue* sum = nullptr;
    std::vector<int> factors;
    bool zero = false;
    for (const int factor : term.factors) {
      const ProgramValue& f = p_.values[index(factor)];
      const bool single = uses[index(factor)] == 1;
      if (f.kind != Kind::polynomial) {
        factors.push_back(factor);
      } else if (f.terms.empty()) {
        zero = true;
      } else if (f.terms.size() == 1 &&
                 (single || f.terms[0].factors.empty() ||
                  (f.terms[0].factors.size() == 1 && std::abs(f.terms[0].coefficient) == 1))) {
        term.coefficient *= f.terms[0].coefficient;
        factors.insert(factors.end(), f.terms[0].factors.begin(), f.terms[0].factors.end());
      } else if (single && f.terms.size() > 1 && term.factors.size() == 1 &&
                 std::abs(term.coefficient) == 1) {
        sum = &f;
      } else {
        factors.push_back(factor);
      }
    }
    if (zero) continue;
    if (sum != nullptr) {
      for (ProgramTerm inner : sum->terms) {
        inner.coefficient *= term.coefficient;
        terms.push_back(std::move(inner));
      }
      continue;
    }
    term.factors = std::move(factors);
    terms.push_back(std::move(term));
  }
  combine_like_terms(terms);
  value.terms = std::move(terms);
}

void Simplifier::flatten() {
  const std::vector<int> uses = use_counts();
  for (const int v : evaluation_order(p_)) {
    if (p_.values[index(v)].kind == Kind::polynomial) flatten_terms(p_.values[index(v)], uses);
  }
  // Results and operands of functions pass over values that are another one.
  const auto alias = [&](int v) {
    const ProgramValue& f = p_.values[index(v)];
    return f.kind == Kind::polynomial && f.terms.size() == 1 && f.terms[0].coefficient == 1 &&
           f.terms[0].factors.size() == 1;
  };
  for (ProgramValue& value : p_.values) {
    if (value.kind == Kind::polynomial || value.kind == Kind::input) continue;
    while (value.a >= 0 && alias(value.a)) value.a = p_.values[index(value.a)].terms[0].factors[0];
    while (value.b >= 0 && alias(value.b)) value.b = p_.values[index(value.b)].terms[0].factors[0];
  }
  for (ProgramTerm& result : p_.results) {
    while (!result.factors.empty()) {
      const ProgramValue& f = p_.values[index(result.factors[0])];
      if (f.kind != Kind::polynomial) break;
      if (f.terms.empty()) {
        result = {0, {}};
      } else if (f.terms.size() == 1 && f.terms[0].factors.size() <= 1 &&
                 (f.terms[0].factors.empty() || std::abs(f.terms[0].coefficient) == 1)) {
        const ProgramTerm inner = f.terms[0];
        result = {result.coefficient * inner.coefficient, inner.factors};
      } else {
        break;
      }
    }
  }
}

void Simplifier::index_values() {
  known_.clear();
  for (const int v : evaluation_order(p_)) {
    const ProgramValue& value = p_.values[index(v)];
    if (value.kind != Kind::polynomial || value.terms.empty()) continue;
    Terms terms = value.terms;
    if (make_canonical(terms) > 0) known_.try_emplace(key_of(terms), v);
  }
}

std::pair<double, int> Simplifier::value_of(Terms terms) {
  const double sign = make_canonical(terms);
  const auto [place, is_new] =
      known_.try_emplace(key_of(terms), static_cast<int>(p_.values.size()));
  if (is_new) {
    p_.values.emplace_back();
    p_.values.back().terms = std::move(terms);
  }
  return {sign, place->second};
}

// Two terms that stand together in several sums become a value of their own.
bool Simplifier::share_sums() {
  index_values();
  struct Place {
    int value;
    std::size_t i, j;
  };
  std::unordered_map<Key, std::vector<Place>, KeyHash> places;
  for (const int v : evaluation_order(p_)) {
    Terms& terms = p_.values[index(v)].terms;
    if (terms.size() < 2 || terms.size() > 60) continue;
    std::sort(terms.begin(), terms.end(), [](const ProgramTerm& x, const ProgramTerm& y) {
      return std::tie(x.factors, x.coefficient) < std::tie(y.factors, y.coefficient);
    });
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (std::size_t j = i + 1; j < terms.size(); ++j) {
        Key key;
        const double scale = terms[i].coefficient < 0 ? -1 : 1;
        append(key, terms[i], scale), append(key, terms[j], scale);
        places[key].push_back({v, i, j});
      }
    }
  }
  std::vector<std::pair<int, const std::vector<Place>*>> best;  // what sharing saves
  for (const auto& [key, list] : places) {
    if (list.size() < 2) continue;
    const Terms& terms = p_.values[index(list[0].value)].terms;
    const int each =
        1 + multiplications_in(terms[list[0].i]) + multiplications_in(terms[list[0].j]);
    best.push_back({each * (static_cast<int>(list.size()) - 1), &list});
  }
  std::sort(best.begin(), best.end(), [](const auto& x, const auto& y) {
    if (x.first != y.first) return x.first > y.first;
    const Place &a = x.second->front(), &b = y.second->front();
    return std::tie(a.value, a.i, a.j) < std::tie(b.value, b.i, b.j);
  });
  // Of each sum one pair at a time; the rest next time.
  std::vector<char> touched(p_.values.size(), 0);
  bool changed = false;
  for (const auto& [gain, list] : best) {
    std::vector<Place> free;
    for (const Place& place : *list) {
      if (!touched[index(place.value)]) free.push_back(place);
    }
    if (free.size() < 2) continue;
    for (const Place& place : free) {
      touched[index(place.value)] = 1;
      Terms terms = p_.values[index(place.value)].terms;
      // The sum that is nothing but this pair stays; the others refer to it.
      const auto [sign, shared] = value_of({terms[place.i], terms[place.j]});
      if (shared == place.value) continue;
      if (index(shared) >= touched.size()) touched.resize(p_.values.size(), 1);
      touched[index(shared)] = 1;
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(place.j));
      terms[place.i] = {sign, {shared}};
      p_.values[index(place.value)].terms = std::move(terms);
    }
    changed = true;
  }
  return changed;
}

// Two factors that stand together in several terms become a value of their own.
bool Simplifier::share_products() {
  index_values();
  struct Place {
    int value;
    std::size_t term;
  };
  // (number or -1, factor, factor or -1)
  std::map<std::tuple<double, int, int>, std::vector<Place>> places;
  const std::vector<int> order = evaluation_order(p_);
  for (const int v : order) {
    const Terms& terms = p_.values[index(v)].terms;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const std::vector<int>& f = terms[t].factors;
      for (std::size_t i = 0; i < f.size(); ++i) {
        if (std::abs(terms[t].coefficient) != 1)
          places[{std::abs(terms[t].coefficient), f[i], -1}].push_back({v, t});
        for (std::size_t j = i + 1; j < f.size(); ++j) places[{-1, f[i], f[j]}].push_back({v, t});
      }
    }
  }
  std::vector<std::pair<std::size_t, const std::tuple<double, int, int>*>> best;
  for (const auto& [key, list] : places) {
    if (list.size() > 1) best.push_back({list.size(), &key});
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  std::map<std::pair<int, std::size_t>, bool> touched;
  bool changed = false;
  for (const auto& [count, key] : best) {
    std::vector<Place> free;
    for (const Place& place : places[*key]) {
      if (touched.contains({place.value, place.term})) continue;
      if (!free.empty() && free.back().value == place.value && free.back().term == place.term)
        continue;
      free.push_back(place);
    }
    if (free.size() < 2) continue;
    const auto [number, f, g] = *key;
    Terms product{{number < 0 ? 1 : number, {f}}};
    if (g >= 0) add_factor(product[0], g);
    const int shared = value_of(product).second;
    for (const Place& place : free) {
      if (place.value == shared) continue;
      touched[{place.value, place.term}] = true;
      ProgramTerm& term = p_.values[index(place.value)].terms[place.term];
      if (number > 0) term.coefficient = term.coefficient < 0 ? -1 : 1;
      remove_factor(term, f);
      if (g >= 0) remove_factor(term, g);
      add_factor(term, shared);
    }
    changed = true;
  }
  return changed;
}

std::vector<Simplifier::Candidate> Simplifier::candidates_in(const Terms& terms) const {
  std::vector<Candidate> list;
  const auto add = [&](int factor, double number, std::size_t term) {
    for (Candidate& c : list) {
      if (c.factor != factor || c.number != number) continue;
      if (c.terms.back() != term) c.terms.push_back(term);
      return;
    }
    list.push_back({factor, number, {term}});
  };
  for (std::size_t t = 0; t < terms.size(); ++t) {
    for (const int factor : terms[t].factors) add(factor, 1, t);
    if (std::abs(terms[t].coefficient) != 1 && !terms[t].factors.empty())
      add(-1, std::abs(terms[t].coefficient), t);
  }
  std::erase_if(list, [](const Candidate& c) { return c.terms.size() < 2; });
  return list;
}

Terms Simplifier::quotient(const Terms& terms, const Candidate& candidate) {
  Terms inner;
  for (const std::size_t t : candidate.terms) {
    inner.push_back(terms[t]);
    if (candidate.factor >= 0)
      remove_factor(inner.back(), candidate.factor);
    else
      inner.back().coefficient = terms[t].coefficient < 0 ? -1 : 1;
  }
  combine_like_terms(inner);
  return inner;
}

// a b + a c = a (b + c), the factor first that saves most; a sum (b + c) that could stand in
// several places counts for more.
bool Simplifier::take_out_factors() {
  index_values();
  const std::vector<int> order = evaluation_order(p_);
  std::unordered_map<Key, int, KeyHash> wanted;  // how often a sum could stand somewhere
  for (const int v : order) {
    const Terms& terms = p_.values[index(v)].terms;
    for (const Candidate& candidate : candidates_in(terms)) {
      Terms inner = quotient(terms, candidate);
      if (inner.empty()) continue;
      make_canonical(inner);
      ++wanted[key_of(inner)];
    }
  }
  bool changed = false;
  for (const int v : order) {
    while (true) {
      Terms terms = p_.values[index(v)].terms;
      double most = 0;
      Candidate best;
      for (const Candidate& candidate : candidates_in(terms)) {
        Terms inner = quotient(terms, candidate);
        if (inner.empty()) continue;
        double whole = static_cast<double>(inner.size()) - 1;
        for (const ProgramTerm& term : inner) whole += multiplications_in(term);
        make_canonical(inner);
        const Key key = key_of(inner);
        const auto often = wanted.find(key);
        double gain = static_cast<double>(candidate.terms.size()) - 1;
        if (known_.contains(key))
          gain += whole;
        else if (often != wanted.end() && often->second > 1)
          gain += whole * (1 - 1.0 / often->second);
        if (gain > most) most = gain, best = candidate;
      }
      if (most == 0) break;
      const auto [sign, inner] = value_of(quotient(terms, best));
      ProgramTerm product{sign * best.number, {inner}};
      if (best.factor >= 0) add_factor(product, best.factor);
      for (std::size_t k = best.terms.size(); k-- > 0;)
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(best.terms[k]));
      terms.push_back(product);
      p_.values[index(v)].terms = std::move(terms);
      changed = true;
    }
  }
  return changed;
}

// Only the values that results need, in the order of evaluation.
void remove_unused(Program& program) {
  std::vector<int> number(program.values.size(), -1);
  std::vector<ProgramValue> values;
  for (const int v : evaluation_order(program)) {
    number[index(v)] = static_cast<int>(values.size());
    values.push_back(std::move(program.values[index(v)]));
  }
  const auto renumber = [&](std::vector<int>& factors) {
    for (int& f : factors) f = number[index(f)];
    std::sort(factors.begin(), factors.end());
  };
  for (ProgramValue& value : values) {
    if (value.kind != Kind::input) {
      if (value.a >= 0) value.a = number[index(value.a)];
      if (value.b >= 0) value.b = number[index(value.b)];
    }
    for (ProgramTerm& term : value.terms) renumber(term.factors);
  }
  for (ProgramTerm& result : program.results) renumber(result.factors);
  program.values = std::move(values);
}

// A sum of negative terms alone would begin with a minus; its users take the sign instead.
void make_leading_terms_positive(Program& program) {
  std::vector<char> fixed(program.values.size(), 0);  // whose sign is not free
  for (const ProgramValue& value : program.values) {
    if (value.kind == Kind::polynomial || value.kind == Kind::input) continue;
    if (value.a >= 0) fixed[index(value.a)] = 1;
    if (value.b >= 0) fixed[index(value.b)] = 1;
  }
  for (const ProgramTerm& result : program.results) {
    for (const int factor : result.factors) fixed[index(factor)] = 1;
  }
  std::vector<char> flipped(program.values.size(), 0);
  for (std::size_t v = 0; v < program.values.size(); ++v) {  // operands come first
    Terms& terms = program.values[v].terms;
    for (ProgramTerm& term : terms) {
      for (const int factor : term.factors) {
        if (flipped[index(factor)]) term.coefficient = -term.coefficient;
      }
    }
    if (fixed[v] || terms.empty()) continue;
    flipped[v] = std::all_of(terms.begin(), terms.end(),
                             [](const ProgramTerm& term) { return term.coefficient < 0; });
    if (!flipped[v]) continue;
    for (ProgramTerm& term : terms) term.coefficient = -term.coefficient;
  }
}

void keep_if_better(const Program& candidate, Program& best) {
  if (cost_of(candidate).operations() < cost_of(best).operations()) best = candidate;
}

// One strategy until it saves nothing more.
void improve(Program program, bool factors_first, Program& best) {
  for (int round = 0; round < 40; ++round) {
    Simplifier s(program);
    bool changed = false;
    if (factors_first && round == 0) changed |= s.take_out_factors(), s.flatten();
    changed |= s.share_products(), s.flatten();
    changed |= s.share_sums(), s.flatten();
    if (!changed || round % 4 == 3) changed |= s.take_out_factors(), s.flatten();
    remove_unused(program);
    keep_if_better(program, best);
    if (!changed) return;
  }
}

}  // namespace

void add_expressions(Program& program, const ExpressionGraph& graph,
                     std::span<const ExpressionRef> results) {
  std::vector<int> value(graph.nodes().size(), -1);
  const auto term_of = [&](ExpressionRef e) -> ProgramTerm {
    if (graph.is_constant(e)) return {graph.value_of(e), {}};
    return {e.negative() ? -1.0 : 1.0, {value[index(e.node())]}};
  };
  const auto add = [&](ProgramValue v) {
    program.values.push_back(std::move(v));
    return static_cast<int>(program.values.size()) - 1;
  };
  // A value for an operand that must not have a sign or be a number.
  const auto plain = [&](ExpressionRef e) {
    const ProgramTerm term = term_of(e);
    if (term.coefficient == 1 && !term.factors.empty()) return term.factors[0];
    return add({Kind::polynomial, -1, -1, {term}});
  };
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Expression& e = graph.nodes()[n];
    switch (e.operation) {
      case Operation::constant:
        break;
      case Operation::input:
        value[n] = add({Kind::input, static_cast<int>(e.value), -1, {}});
        break;
      case Operation::sum:
        value[n] = add({Kind::polynomial, -1, -1, {term_of(e.a), term_of(e.b)}});
        break;
      case Operation::product: {
        const ProgramTerm a = term_of(e.a), b = term_of(e.b);
        ProgramTerm product{a.coefficient * b.coefficient, a.factors};
        for (const int f : b.factors) add_factor(product, f);
        value[n] = add({Kind::polynomial, -1, -1, {product}});
        break;
      }
      case Operation::quotient:
        value[n] = e.a == ExpressionRef{2} ? add({Kind::quotient, -1, plain(e.b), {}})
                                           : add({Kind::quotient, plain(e.a), plain(e.b), {}});
        break;
      case Operation::square_root:
        value[n] = add({Kind::square_root, plain(e.a), -1, {}});
        break;
      case Operation::sign:
        value[n] = add({Kind::sign, plain(e.a), -1, {}});
        break;
      case Operation::sine:
        value[n] = add({Kind::sine, plain(e.a), -1, {}});
        break;
      case Operation::cosine:
        value[n] = add({Kind::cosine, plain(e.a), -1, {}});
        break;
    }
  }
  for (const ExpressionRef e : results) program.results.push_back(term_of(e));
}

void simplify(Program& program) {
  remove_unused(program);
  Program flat = program;
  Simplifier(flat).flatten();
  remove_unused(flat);
  Program best = flat;
  improve(flat, false, best);
  improve(flat, true, best);
  if (use_sums_of_angles(flat)) {
    Simplifier(flat).flatten();
    remove_unused(flat);
    keep_if_better(flat, best);
    improve(flat, false, best);
    improve(flat, true, best);
  }
  make_leading_terms_positive(best);
  program = std::move(best);
}

}  // namespace catena
