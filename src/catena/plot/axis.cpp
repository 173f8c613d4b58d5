#include "catena/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace catena::plot {
namespace {

constexpr double kHuge = 1e300;
constexpr double kTiny = 1e-290;

// mantissa * 10^exponent, rounded once: 3 * 10^-1 is the double nearest to 0.3.
double decimal(double mantissa, int exponent) {
  return exponent < 0 ? mantissa / std::pow(10.0, -exponent) : mantissa * std::pow(10.0, exponent);
}

std::string with_minus_sign(std::string text) {
  const auto at = text.find('-');
  return at == std::string::npos ? text : text.replace(at, 1, "−");
}

std::string power_of_ten(int exponent) {
  static constexpr std::array<std::string_view, 10> kRaised = {"⁰", "¹", "²", "³", "⁴",
                                                               "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : fmt::format("{}", std::abs(exponent)))
    text += kRaised[static_cast<std::size_t>(digit - '0')];
  return text;
}

// "+120000", "−3.5×10⁹"
std::string signed_offset(double offset) {
  std::string text = fmt::format("{}", std::abs(offset));
  const auto e = text.find('e');
  if (e != std::string::npos)
    text = text.substr(0, e) + "×" + power_of_ten(std::stoi(text.substr(e + 1)));
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return (offset < 0 ? "−" : "+") + text;
}

struct Step {
  double mantissa;  // 1, 2 or 5
  int exponent;
  double value() const { return decimal(mantissa, exponent); }
};

Step nice_step(double raw) {
  const int exponent = static_cast<int>(std::floor(std::log10(raw)));
  const double m = raw / std::pow(10.0, exponent);
  if (m < 1.5) return {1, exponent};
  if (m < 3.5) return {2, exponent};
  if (m < 7.5) return {5, exponent};
  return {1, exponent + 1};
}

// Thousands, millions, thousandths: the power that leaves labels of at most five digits.
int common_exponent(double largest) {
  if (largest >= 1e-2 && largest < 1e5) return 0;
  return 3 * static_cast<int>(std::floor(std::log10(largest) / 3 + 1e-9));
}

// The integer between lo and hi (integers) with the most zeros at its end.
double roundest_between(double lo, double hi) {
  double unit = 1;
  while (std::floor(hi / (10 * unit)) * 10 * unit >= lo) unit *= 10;
  return std::ceil(lo / unit) * unit;
}

}  // namespace

bool is_drawable(double value) { return std::abs(value) <= kHuge; }

void Range::include(double value) {
  lo = empty ? value : std::min(lo, value);
  hi = empty ? value : std::max(hi, value);
  empty = false;
}

Range axis_range(const Range& data, double margin) {
  if (data.empty) return {0, 1, false};
  const double largest = std::max(std::abs(data.lo), std::abs(data.hi));
  if (largest < kTiny) return {-1, 1, false};
  if (data.width() <= 64 * std::numeric_limits<double>::epsilon() * largest) {
    return {data.lo - 0.1 * largest, data.hi + 0.1 * largest, false};
  }
  return {data.lo - margin * data.width(), data.hi + margin * data.width(), false};
}

Ticks nice_ticks(const Range& range, double count) {
  const Step step = nice_step(range.width() / count);
  const double first = std::ceil(range.lo / step.value() - 1e-6);
  const double last = std::floor(range.hi / step.value() + 1e-6);

  // Far from zero the leading digits of all labels agree: they move to the note.
  const bool far = std::max(std::abs(first), std::abs(last)) > 2e4 && first * last > 0;
  const double lo = first * step.mantissa, hi = last * step.mantissa;  // in units of 10^e
  const double origin = far ? roundest_between(lo, hi) : 0;
  const double largest =
      decimal(std::max(std::abs(lo - origin), std::abs(hi - origin)), step.exponent);
  const int exponent = largest > 0 ? common_exponent(largest) : 0;
  const int decimals = std::max(0, exponent - step.exponent);

  Ticks ticks;
  for (double k = first; k <= last; ++k) {
    ticks.values.push_back(decimal(k * step.mantissa, step.exponent));
    const double shown = decimal(k * step.mantissa - origin, step.exponent - exponent);
    ticks.labels.push_back(with_minus_sign(fmt::format("{:.{}f}", shown + 0.0, decimals)));
  }
  if (exponent != 0) ticks.note = "×" + power_of_ten(exponent);
  if (origin != 0) {
    if (!ticks.note.empty()) ticks.note += "  ";
    ticks.note += signed_offset(decimal(origin, step.exponent));
  }
  return ticks;
}

}  // namespace catena::plot
