#include "catena/papers/expression.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace catena::papers {
namespace {

// One function per rule: sum, product, power, and what stands alone.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Variables& variables)
      : text_(text), variables_(variables) {}

  double whole() {
    const double value = sum();
    if (peek() != '\0') fail("'" + std::string(text_.substr(at_)) + "' is left over");
    return value;
  }

 private:
  static constexpr int max_depth = 100;

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("'" + std::string(text_) + "' is no expression: " + what);
  }
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  double sum() {
    if (++depth_ > max_depth) fail("it is nested too deep");
    double value = product();
    while (true) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        break;
    }
    --depth_;
    return value;
  }
  double product() {
    double value = signed_power();
    while (true) {
      if (take('*'))
        value *= signed_power();
      else if (take('/'))
        value /= signed_power();
      else
        return value;
    }
  }
  double signed_power() {
    double sign = 1;
    while (peek() == '-' || peek() == '+') sign = take('-') ? -sign : (take('+'), sign);
    const double base = single();
    return sign * (take('^') ? std::pow(base, single()) : base);
  }
  double single() {
    const char c = peek();
    if (take('(')) {
      const double value = sum();
      if (!take(')')) fail("a ')' is missing");
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(c))) return name();
    fail(c == '\0' ? "it ends too early" : std::string("'") + c + "' does not belong here");
  }
  double number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto r = std::from_chars(begin, text_.data() + text_.size(), value);
    if (r.ec != std::errc()) fail("a number is wrong");
    at_ += static_cast<std::size_t>(r.ptr - begin);
    return value;
  }
  double name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (take('(')) {
      const double x = sum();
      if (!take(')')) fail("a ')' is missing");
      if (word == "sin") return std::sin(x);
      if (word == "cos") return std::cos(x);
      if (word == "sqrt") return std::sqrt(x);
      if (word == "abs") return std::abs(x);
      fail("there is no function '" + std::string(word) + "'");
    }
    if (const auto it = variables_.find(word); it != variables_.end()) return it->second;
    if (word == "pi") return 3.14159265358979323846;
    fail("'" + std::string(word) + "' is not known here");
  }

  std::string_view text_;
  const Variables& variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double evaluate_expression(std::string_view text, const Variables& variables) {
  return ExpressionParser(text, variables).whole();
}

}  // namespace catena::papers
