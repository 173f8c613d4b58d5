#include "catena/codegen/emit_c.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "catena/codegen/schedule.hpp"
#include "catena/codegen/sincos_c.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Kind = ProgramValue::Kind;

// The number with the fewest digits that reads back the same.
std::string number(double x, bool single) {
  if (x == 0) return single ? "0.0f" : "0.0";  // without a sign
  char text[40];
  const auto end = single ? std::to_chars(text, text + sizeof text, static_cast<float>(x)).ptr
                          : std::to_chars(text, text + sizeof text, x).ptr;
  std::string s(text, end);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return single ? s + "f" : s;
}

// One lane or many: how numbers are read, written and called.
struct Style {
  const Program& program;
  const EmitOptions& options;
  bool lanes;

  std::string type() const {
    if (lanes) return "vec";
    return options.single_precision ? "float" : "double";
  }
  std::string input(int number) const {
    for (const ProgramArray& array : program.inputs) {
      if (number < array.size) {
        if (lanes) return "load(" + array.name + " + " + std::to_string(number) + " * stride)";
        return array.name + "[" + std::to_string(number) + "]";
      }
      number -= array.size;
    }
    return "";
  }
  std::string constant(double x) const { return number(x, options.single_precision); }
  std::string store(std::size_t k, const std::string& value) const {
    const std::string place = program.output.name;
    if (lanes) return "store(" + place + " + " + std::to_string(k) + " * stride, " + value + ");";
    return place + "[" + std::to_string(k) + "] = " + value + ";";
  }
};

// The statements of a function, each value once, in an order that keeps numbers near their use.
class FunctionBody {
 public:
  explicit FunctionBody(const Style& style)
      : style_(style), name_(style.program.values.size()), ready_(style.program.values.size(), 0) {}

  std::string text() {
    const Program& p = style_.program;
    const std::vector<int> order = evaluation_order(p);
    mark_unused(order);
    write_angles(order);
    const std::vector<char> needed = needed_besides_angles(order);
    std::vector<int> rest;
    for (const int v : order) {
      if (name_[index(v)].empty() && needed[index(v)]) rest.push_back(v);
    }
    // One state waits for its own numbers; lanes have enough to do, but few registers.
    if (!style_.lanes) rest = scheduled(p, rest);
    for (const int v : rest) define(v);
    for (std::size_t k = 0; k < p.results.size(); ++k) {
      const ProgramTerm& result = p.results[k];
      std::string value;
      if (result.factors.empty())
        value = style_.lanes ? "splat(" + style_.constant(result.coefficient) + ")"
                             : style_.constant(result.coefficient);
      else
        value = (result.coefficient < 0 ? "-" : "") + product(result);
      line(style_.store(k, value));
    }
    return text_;
  }

 private:
  void line(const std::string& statement) {
    // Long statements are broken at blanks.
    std::string rest = "  " + statement;
    while (rest.size() > 100) {
      std::size_t blank = rest.rfind(' ', 100);
      if (blank == std::string::npos || blank < 8) break;
      text_ += rest.substr(0, blank) + "\n";
      rest = "      " + rest.substr(blank + 1);
    }
    text_ += rest + "\n";
  }

  // Arrays that the results do not depend on, so that no compiler warns of them.
  void mark_unused(const std::vector<int>& order) {
    int first = 0;
    for (const ProgramArray& array : style_.program.inputs) {
      const bool used = std::any_of(order.begin(), order.end(), [&](int v) {
        const ProgramValue& value = style_.program.values[index(v)];
        return value.kind == Kind::input && value.a >= first && value.a < first + array.size;
      });
      if (!used) line("(void)" + array.name + ";");
      first += array.size;
    }
  }

  // An angle whose sine and cosine are all that is wanted needs no name.
  std::vector<char> needed_besides_angles(const std::vector<int>& order) const {
    const Program& p = style_.program;
    std::vector<char> needed(p.values.size(), 0);
    for (const ProgramTerm& result : p.results) {
      for (const int factor : result.factors) needed[index(factor)] = 1;
    }
    for (std::size_t k = order.size(); k-- > 0;) {
      const ProgramValue& value = p.values[index(order[k])];
      if (!needed[index(order[k])] || value.kind == Kind::sine || value.kind == Kind::cosine)
        continue;
      for_each_operand(value, [&](int operand) { needed[index(operand)] = 1; });
    }
    return needed;
  }

  // Sines and cosines of all angles at once.
  void write_angles(const std::vector<int>& order) {
    const Program& p = style_.program;
    std::map<int, int> angles;  // by value: which of the angles it is
    std::vector<int> list;
    for (const int v : order) {
      const ProgramValue& value = p.values[index(v)];
      if (value.kind != Kind::sine && value.kind != Kind::cosine) continue;
      if (angles.try_emplace(value.a, static_cast<int>(list.size())).second)
        list.push_back(value.a);
    }
    if (list.empty()) return;
    // An angle that other sums need as well gets a name.
    std::vector<char> shared(p.values.size(), 0);
    for (const int v : order) {
      const Kind kind = p.values[index(v)].kind;
      if (kind == Kind::sine || kind == Kind::cosine) continue;
      for_each_operand(p.values[index(v)], [&](int operand) { shared[index(operand)] = 1; });
    }
    for (const ProgramTerm& result : p.results) {
      for (const int factor : result.factors) shared[index(factor)] = 1;
    }
    std::vector<std::string> x;
    for (const int angle : list) {
      define_operands(angle);
      const bool named = shared[index(angle)] && p.values[index(angle)].kind == Kind::polynomial;
      if (named && name_[index(angle)].empty()) define(angle);
      x.push_back(name_[index(angle)].empty() ? expression(angle) : name_[index(angle)]);
    }
    if (style_.lanes)
      call_lanes(x);
    else
      call_fours(x);
    for (const int v : order) {
      const ProgramValue& value = p.values[index(v)];
      if (value.kind != Kind::sine && value.kind != Kind::cosine) continue;
      const std::string k = std::to_string(angles.at(value.a));
      name_[index(v)] = (value.kind == Kind::sine ? "s[" : "c[") + k + "]";
      ready_[index(v)] = 30;
    }
  }

  void call_lanes(const std::vector<std::string>& x) {
    const std::string n = std::to_string(x.size());
    line("vec x[" + n + "], s[" + n + "], c[" + n + "];");
    for (std::size_t k = 0; k < x.size(); ++k) line("x[" + std::to_string(k) + "] = " + x[k] + ";");
    line("sincos_lanes(x, s, c, " + n + ");");
  }
  void call_fours(const std::vector<std::string>& x) {
    const std::string n = std::to_string((x.size() + 3) / 4 * 4);
    line(style_.type() + " s[" + n + "], c[" + n + "];");
    for (std::size_t k = 0; k < x.size(); k += 4) {
      std::string call = style_.options.name + "_sincos4(";
      for (std::size_t j = k; j < k + 4; ++j) call += (j < x.size() ? x[j] : "0") + ", ";
      const std::string first = std::to_string(k);
      line(call + "&s[" + first + "], &c[" + first + "]);");
    }
  }

  // Everything below a value, if it is not there yet.
  void define_operands(int v) {
    for_each_operand(style_.program.values[index(v)], [&](int operand) {
      if (!name_[index(operand)].empty()) return;
      define_operands(operand);
      define(operand);
    });
  }

  void define(int v) {
    const ProgramValue& value = style_.program.values[index(v)];
    if (value.kind == Kind::input && !style_.lanes) {
      name_[index(v)] = style_.input(value.a);
      return;
    }
    const std::string text = expression(v);
    name_[index(v)] = "v" + std::to_string(++count_);
    line("const " + style_.type() + " " + name_[index(v)] + " = " + text + ";");
  }

  std::string expression(int v) {
    const ProgramValue& value = style_.program.values[index(v)];
    const auto operand = [&](int o) { return o < 0 ? style_.constant(1) : name_[index(o)]; };
    int& ready = ready_[index(v)];
    switch (value.kind) {
      case Kind::input:
        return style_.input(value.a);
      case Kind::quotient:
        ready = std::max(value.a < 0 ? 0 : ready_[index(value.a)], ready_[index(value.b)]) + 13;
        return operand(value.a) + " / " + operand(value.b);
      case Kind::square_root:
        ready = ready_[index(value.a)] + 18;
        return style_.lanes                      ? "root(" + operand(value.a) + ")"
               : style_.options.single_precision ? "sqrtf(" + operand(value.a) + ")"
                                                 : "sqrt(" + operand(value.a) + ")";
      case Kind::sign:
        ready = ready_[index(value.a)] + 6;
        return "sign(" + operand(value.a) + ")";
      case Kind::polynomial:
        return sum(value, ready);
      default:
        return "";  // sines and cosines have their names
    }
  }

  std::string product(const ProgramTerm& term) const {
    std::string text;
    if (std::abs(term.coefficient) != 1) text = style_.constant(std::abs(term.coefficient));
    for (const int factor : term.factors)
      text += (text.empty() ? "" : " * ") + name_[index(factor)];
    return text.empty() ? style_.constant(1) : text;
  }

  // What is ready first is added first, so that the last number to come is waited for alone.
  std::string sum(const ProgramValue& value, int& ready) {
    if (is_doubling(value)) {
      const int x = value.terms[0].factors[0];
      ready = ready_[index(x)] + 4;
      return name_[index(x)] + " + " + name_[index(x)];
    }
    if (value.terms.size() == 1 && value.terms[0].factors.empty()) {
      const std::string constant = style_.constant(value.terms[0].coefficient);
      return style_.lanes ? "splat(" + constant + ")" : constant;
    }
    struct Item {
      int ready;
      const ProgramTerm* term;
    };
    std::vector<Item> items;
    for (const ProgramTerm& term : value.terms) {
      int when = 0;
      for (const int factor : term.factors) when = std::max(when, ready_[index(factor)]);
      const int depth = std::max(0, static_cast<int>(term.factors.size()) - 2) +
                        (std::abs(term.coefficient) != 1 && term.factors.size() > 1 ? 1 : 0);
      items.push_back({when + 4 * depth, &term});
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& x, const Item& y) { return x.ready < y.ready; });
    // A minus cannot be hidden in front of the first term: begin with a plus where there is one.
    const auto plus = std::find_if(items.begin(), items.end(),
                                   [](const Item& x) { return x.term->coefficient > 0; });
    if (plus != items.end()) std::rotate(items.begin(), plus, plus + 1);
    std::string text;
    ready = 0;
    for (const Item& item : items) {
      const bool minus = item.term->coefficient < 0;
      if (text.empty())
        text = (minus ? "-" : "") + product(*item.term);
      else
        text += (minus ? " - " : " + ") + product(*item.term);
      ready = std::max(ready, item.ready) + 4;
    }
    return text;
  }

  const Style& style_;
  std::vector<std::string> name_;  // by value: how it is read
  std::vector<int> ready_;         // by value: cycles until it is known, about
  std::string text_;
  int count_ = 0;
};

std::string real_of(const EmitOptions& o) { return o.single_precision ? "float" : "double"; }

std::string prototype(const Program& p, const EmitOptions& o, bool simd) {
  std::string text = "void " + o.name + (simd ? "_simd(size_t n" : "(");
  for (const ProgramArray& array : p.inputs) {
    if (text.back() != '(') text += ", ";
    text += "const " + real_of(o) + " *restrict " + array.name;
  }
  text += ", " + real_of(o) + " *restrict " + p.output.name + ")";
  return text;
}

// C++ does not know `restrict`.
std::string plain_prototype(const Program& p, const EmitOptions& o, bool simd) {
  std::string text = prototype(p, o, simd);
  for (std::size_t i; (i = text.find("restrict ")) != std::string::npos;) text.erase(i, 9);
  return text;
}

std::string plural(int n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string comment(const Program& p, const EmitOptions& o) {
  std::string text = "/* " + o.title + "\n *\n";
  for (const std::string& note : o.notes) text += " * " + note + "\n";
  const auto array = [&](const ProgramArray& a) {
    return " *   " + a.name + " [" + std::to_string(a.size) + "]  " + a.meaning + "\n";
  };
  text += " *\n * reads\n";
  for (const ProgramArray& a : p.inputs) text += array(a);
  text += " * writes\n" + array(p.output) + " * Arrays must not overlap.\n *\n";
  const ProgramCost cost = cost_of(p);
  text += " * Cost: " + plural(cost.multiplications, "multiplication") + ", " +
          plural(cost.additions, "addition");
  if (cost.divisions > 0) text += ", " + plural(cost.divisions, "division");
  if (cost.square_roots > 0) text += ", " + plural(cost.square_roots, "square root");
  text += "; sine and cosine of " + plural(cost.angles, "angle") + ".\n";
  if (o.simd) {
    text += " *\n * " + o.name +
            "_simd does n states at once; number k of state i is at [k * n + i].\n";
    text += " * It uses the vector types of GCC and clang (-std=gnu99) in place of plain C99.\n";
  }
  return text + " */\n";
}

// All lanes of a vector at once; what is left over goes through padded copies.
std::string simd_function(const Program& p, const EmitOptions& o) {
  Style style{p, o, true};
  std::string text = "static void " + o.name + "_lanes(size_t stride";
  for (const ProgramArray& array : p.inputs)
    text += ", const " + real_of(o) + " *restrict " + array.name;
  text += ", " + real_of(o) + " *restrict " + p.output.name + ")\n{\n";
  text += FunctionBody(style).text() + "}\n\n" + prototype(p, o, true) + "\n{\n";
  text += "  size_t i;\n  for (i = 0; i + LANES <= n; i += LANES)\n    " + o.name + "_lanes(n";
  for (const ProgramArray& array : p.inputs) text += ", " + array.name + " + i";
  text += ", " + p.output.name + " + i);\n  if (i < n) {\n    size_t j, k;\n";
  const auto copy_name = [](const ProgramArray& a) { return "last_" + a.name; };
  const auto declare = [&](const ProgramArray& a) {
    text += "    " + real_of(o) + " " + copy_name(a) + "[" + std::to_string(std::max(a.size, 1)) +
            " * LANES];\n";
  };
  for (const ProgramArray& array : p.inputs) declare(array);
  declare(p.output);
  for (const ProgramArray& array : p.inputs) {
    text += "    for (k = 0; k < " + std::to_string(array.size) + "; ++k)\n";
    text += "      for (j = 0; j < LANES; ++j) " + copy_name(array) +
            "[k * LANES + j] = " + array.name + "[k * n + (i + j < n ? i + j : n - 1)];\n";
  }
  text += "    " + o.name + "_lanes(LANES";
  for (const ProgramArray& array : p.inputs) text += ", " + copy_name(array);
  text += ", " + copy_name(p.output) + ");\n";
  text += "    for (k = 0; k < " + std::to_string(p.output.size) + "; ++k)\n";
  text += "      for (j = 0; i + j < n; ++j) " + p.output.name +
          "[k * n + i + j] = " + copy_name(p.output) + "[k * LANES + j];\n  }\n}\n";
  return text;
}

bool uses(const Program& p, Kind kind) {
  return std::any_of(p.values.begin(), p.values.end(),
                     [kind](const ProgramValue& v) { return v.kind == kind; });
}

}  // namespace

std::string c_source(const Program& p, const EmitOptions& o) {
  const bool angles = uses(p, Kind::sine) || uses(p, Kind::cosine);
  std::string text = comment(p, o);
  if (o.include.empty()) {
    text += "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n";
    text += plain_prototype(p, o, false) + ";\n";
    if (o.simd) text += plain_prototype(p, o, true) + ";\n";
  } else {
    text += "#include \"" + o.include + "\"\n\n";
    text += "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n";
  }
  text += "\n";
  if (angles) text += sincos_source(o) + "\n";
  const std::string real = real_of(o);
  if (uses(p, Kind::sign))
    text += "#define sign(x) ((" + real + ")((x) > 0) - (" + real + ")((x) < 0))\n\n";
  text += prototype(p, o, false) + "\n{\n" + FunctionBody(Style{p, o, false}).text() + "}\n";
  if (o.simd) {
    if (uses(p, Kind::sign)) text += "#undef sign\n";
    text += "\n" + lanes_source(o, angles, uses(p, Kind::sign), uses(p, Kind::square_root)) + "\n" +
            simd_function(p, o);
  }
  return text;
}

std::string c_header(const Program& p, const EmitOptions& o) {
  std::string guard;
  for (const char c : o.name)
    guard += static_cast<char>(std::isalnum(static_cast<unsigned char>(c))
                                   ? std::toupper(static_cast<unsigned char>(c))
                                   : '_');
  guard += "_H";
  std::string text = comment(p, o) + "#ifndef " + guard + "\n#define " + guard + "\n\n";
  text += "#include <stddef.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  text += plain_prototype(p, o, false) + ";\n";
  if (o.simd) text += plain_prototype(p, o, true) + ";\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace catena
