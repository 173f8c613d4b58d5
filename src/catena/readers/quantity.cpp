#include "catena/readers/quantity.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

#include "catena/support/error.hpp"

namespace catena {
namespace {

constexpr double pi = 3.14159265358979323846;

// The value is over/under: "30 mm" is 30/1000, which rounds once, where 30 * 0.001 rounds twice.
struct Quantity {
  double over = 0;
  double under = 1;
  Dimension dimension{};

  double value() const { return over / under; }
};

struct Unit {
  const char* name;
  Quantity quantity;
};

const std::vector<Unit>& units() {
  static const std::vector<Unit> list{
      {"pi", {pi, 1, {}}},
      {"π", {pi, 1, {}}},
      {"rad", {1, 1, dimension::angle}},
      {"deg", {pi, 180, dimension::angle}},
      {"°", {pi, 180, dimension::angle}},
      {"turn", {2 * pi, 1, dimension::angle}},
      {"rpm", {2 * pi, 60, dimension::angle * per_second}},
      {"m", {1, 1, dimension::length}},
      {"cm", {1, 100, dimension::length}},
      {"mm", {1, 1000, dimension::length}},
      {"kg", {1, 1, dimension::mass}},
      {"g", {1, 1000, dimension::mass}},
      {"s", {1, 1, {0, 0, 1, 0}}},
      {"ms", {1, 1000, {0, 0, 1, 0}}},
      {"N", {1, 1, dimension::force}},
      {"Nm", {1, 1, dimension::torque}},
  };
  return list;
}

// "kg*m^2*s^-2", for a dimension that has no name of its own.
std::string unit_text(Dimension d) {
  std::string text;
  const auto append = [&text](const char* unit, int exponent) {
    if (exponent == 0) return;
    if (!text.empty()) text += '*';
    text += unit;
    if (exponent != 1) text += fmt::format("^{}", exponent);
  };
  append("kg", d.kg), append("m", d.m), append("s", d.s), append("rad", d.rad);
  return text;
}

// What a dimension is called, and how it may be written.
struct Wording {
  Dimension dimension;
  std::string what;
  std::string example;
};

Wording wording(Dimension d) {
  using namespace dimension;
  static const Wording list[] = {
      {number, "a plain number", "0.5"},
      {angle, "an angle", "90 deg, pi/2, or a number in rad"},
      {length, "a length", "0.1 m, 100 mm, or a number in m"},
      {mass, "a mass", "2 kg, 200 g, or a number in kg"},
      {inertia, "a moment of inertia", "0.1 kg*m^2, or a number in kg m^2"},
      {acceleration, "an acceleration", "9.81 m/s^2, or a number in m/s^2"},
      {length_per_angle, "a length per angle", "10 mm/turn, or a number in m/rad"},
      {force, "a force", "10 N, or a number in N"},
      {torque, "a torque", "10 Nm, or a number in N m"},
      {angle * per_second, "an angular velocity", "90 deg/s, or a number in rad/s"},
      {length * per_second, "a velocity", "0.5 m/s, or a number in m/s"},
      {torque / angle, "an angular stiffness", "10 Nm/rad, or a number in N m/rad"},
      {force / length, "a linear stiffness", "10 N/m, or a number in N/m"},
      {torque / angle / per_second, "an angular damping", "0.1 Nm*s/rad, or a number in N m s/rad"},
      {force / length / per_second, "a linear damping", "10 N*s/m, or a number in N s/m"},
  };
  for (const Wording& w : list) {
    if (w.dimension == d) return w;
  }
  return {d, "a quantity in " + unit_text(d), "a number in " + unit_text(d)};
}

// The same but for radians that one of both leaves out.
bool equal_but_for_radians(Dimension a, Dimension b) {
  return a.kg == b.kg && a.m == b.m && a.s == b.s && (a.rad == b.rad || a.rad == 0 || b.rad == 0);
}

// sum = product {(+|-) product};  product = power {(*|/| ) power};  power = atom [^ integer]
// atom = number | unit | pi | (sum) | -atom
class Expression {
 public:
  explicit Expression(std::string_view text) : text_(text) {}

  Quantity whole() {
    const Quantity result = sum();
    skip_blanks();
    if (at_ < text_.size()) fail_at_character();
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw QuantityError{problem, remedy};
  }
  [[noreturn]] void fail_at_character() const {
    if (at_ >= text_.size()) fail("is not complete", "write e.g. 0.5, -90 deg, pi/2 or 30 mm");
    if (text_[at_] == ',') fail("has a comma", "write a decimal point: 0.5");
    fail("is not a number", "write e.g. 0.5, -90 deg, pi/2 or 30 mm");
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
      ++at_;
    }
  }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  }
  static bool begins_atom(char c) { return is_digit(c) || is_letter(c) || c == '.' || c == '('; }

  Quantity sum() {
    if (++depth_ > 50) fail("has too many brackets", "write the number out");
    Quantity left = product();
    for (char c = peek(); c == '+' || c == '-'; c = peek()) {
      ++at_;
      const Quantity right = product();
      if (!equal_but_for_radians(left.dimension, right.dimension)) {
        fail(fmt::format("adds {} and {}", wording(left.dimension).what,
                         wording(right.dimension).what),
             "give both the same unit");
      }
      left.over = c == '+' ? left.value() + right.value() : left.value() - right.value();
      left.under = 1;
      if (left.dimension.rad == 0) left.dimension = right.dimension;
    }
    --depth_;
    return left;
  }

  Quantity product() {
    Quantity left = power();
    for (char c = peek(); c == '*' || c == '/' || begins_atom(c); c = peek()) {
      if (c == '*' || c == '/') ++at_;
      const Quantity right = power();
      left = c == '/' ? divide(left, right) : multiply(left, right);
    }
    return left;
  }

  static Quantity multiply(const Quantity& a, const Quantity& b) {
    return {a.over * b.over, a.under * b.under, a.dimension * b.dimension};
  }
  Quantity divide(const Quantity& a, const Quantity& b) const {
    if (b.over == 0) fail("divides by zero", "write the number out");
    return {a.over * b.under, a.under * b.over, a.dimension / b.dimension};
  }

  Quantity power() {
    bool negative = false;
    for (char c = peek(); c == '-' || c == '+'; c = peek()) {
      negative ^= c == '-';
      ++at_;
    }
    Quantity result = atom();
    if (peek() == '^') {
      ++at_;
      const bool inverse = peek() == '-';
      if (inverse) ++at_;
      if (!is_digit(peek())) fail("has a power that is no integer", "write e.g. mm^2");
      int exponent = text_[at_++] - '0';
      if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) {
        fail("has a power that is no integer from 0 to 9", "write e.g. mm^2");
      }
      const Quantity base = result;
      result = {1, 1, {}};
      for (; exponent > 0; --exponent) {
        result = inverse ? divide(result, base) : multiply(result, base);
      }
    }
    if (negative) result.over = -result.over;
    return result;
  }

  Quantity atom() {
    const char c = peek();
    if (c == '(') {
      ++at_;
      const Quantity inside = sum();
      if (peek() != ')') fail("has a bracket that is not closed", "write ')'");
      ++at_;
      return inside;
    }
    if (is_letter(c)) return unit();
    if (!is_digit(c) && c != '.') fail_at_character();
    return number();
  }

  Quantity number() {
    double value = 0;
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error == std::errc::result_out_of_range) {
      fail("is outside the range of numbers", "write a number between 1e-308 and 1e308");
    }
    if (error != std::errc()) fail_word();
    at_ = static_cast<std::size_t>(stop - text_.data());
    if (at_ < text_.size() && text_[at_] == '.') fail_at_character();
    return {value, 1, {}};
  }

  // ".inf" and ".nan" of YAML
  [[noreturn]] void fail_word() {
    ++at_;
    if (at_ < text_.size() && is_letter(text_[at_])) unit();
    --at_;
    fail_at_character();
  }

  Quantity unit() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    std::vector<std::string> names;
    for (const Unit& u : units()) {
      if (name == u.name) return u.quantity;
      names.push_back(u.name);
    }
    std::string small = name;
    for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (small == "inf" || small == "infinity" || small == "nan") {
      fail("is not a finite number", "write a finite number, or leave the key out for its default");
    }
    if (name == text_) {
      fail("is not a number" + did_you_mean(name, names), "write e.g. 0.5, -90 deg, pi/2 or 30 mm");
    }
    fail("has the unknown unit '" + name.substr(0, 20) + "'" + did_you_mean(name, names),
         "known are rad, deg, turn, rpm, m, cm, mm, kg, g, s, ms, N, Nm and the constant pi");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double evaluate(std::string_view text, Dimension expected) {
  const Quantity q = Expression(text).whole();
  const Dimension d = q.dimension;
  const Wording wanted = wording(expected);
  const bool radians_left_out = equal_but_for_radians(d, expected) && d.rad == 0;
  if (d != dimension::number && d != expected && !radians_left_out) {
    throw QuantityError{fmt::format("is {}, but {} belongs here", wording(d).what, wanted.what),
                        "write e.g. " + wanted.example};
  }
  const double value = q.value();
  if (!std::isfinite(value)) {
    throw QuantityError{"is not a finite number", "write e.g. " + wanted.example};
  }
  return value;
}

}  // namespace catena
