// Figures: properties of the ticks, the thinning and the layout.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/plot/axis.hpp"
#include "catena/plot/layout.hpp"
#include "catena/plot/style.hpp"
#include "catena/plot/text.hpp"
#include "catena/plot/thin.hpp"
#include "figures.hpp"

namespace catena::plot {
namespace {

struct Text {
  std::string utf8;
  Rect box;
};

// Remembers what the layout draws.
class RecordingCanvas : public Canvas {
 public:
  void line(Point from, Point to, const Pen&) override { points.insert(points.end(), {from, to}); }
  void polyline(std::span<const Point> list, const Pen&) override {
    for (const Point& p : list) {
      if (std::isfinite(p.x)) curve_points.push_back(p);
    }
  }
  void fill(const Rect&, Color) override {}
  void frame(const Rect& rect, const Pen&) override { frames.push_back(rect); }
  void text(Point at, std::string_view utf8, const TextStyle& style) override {
    if (utf8.empty()) return;
    const double w = text_width(utf8, style.size, style.bold), ascent = 0.75 * style.size;
    const double before = style.align == Align::kLeft     ? 0
                          : style.align == Align::kCenter ? w / 2
                                                          : w;
    const Rect flat{at.x - before, at.y - ascent, w, style.size};
    const Rect turned{at.x - ascent, at.y - w + before, style.size, w};
    texts.push_back({std::string(utf8), style.upwards ? turned : flat});
  }

  std::vector<Point> points, curve_points;
  std::vector<Rect> frames;
  std::vector<Text> texts;
};

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

bool inside(const Rect& r, const Rect& outer, double slack = 0) {
  return r.x >= outer.x - slack && r.y >= outer.y - slack && r.right() <= outer.right() + slack &&
         r.bottom() <= outer.bottom() + slack;
}

const std::vector<Range> kRanges = {{0, 10, false},           {-0.3, 0.7, false},
                                    {0, 1e-12, false},        {-1e300, 1e300, false},
                                    {3, 1e7, false},          {99.5, 100.5, false},
                                    {1e9, 1e9 + 1e-3, false}, {-5000.002, -5000.001, false},
                                    {1e-280, 3e-280, false},  {0.123456, 0.123457, false},
                                    {-7e5, 2e4, false},       {1.1e5, 9.8e5, false}};

TEST(Axis, TicksAreRoundNumbers) {
  for (const Range& range : kRanges) {
    for (const double wanted : {3.0, 5.0, 9.0}) {
      const Ticks ticks = nice_ticks(range, wanted);
      ASSERT_GE(ticks.values.size(), 2u) << range.lo;
      EXPECT_LE(static_cast<double>(ticks.values.size()), 1.75 * wanted + 1) << range.lo;
      const double step = ticks.values[1] - ticks.values[0];
      const double digits = step / std::pow(10.0, std::floor(std::log10(step * 1.001)));
      EXPECT_LT(std::min({std::abs(digits - 1), std::abs(digits - 2), std::abs(digits - 5)}), 1e-3)
          << range.lo;
      for (const double v : ticks.values) {
        EXPECT_GE(v, range.lo - 1e-5 * step);
        EXPECT_LE(v, range.hi + 1e-5 * step);
      }
    }
  }
  EXPECT_EQ(nice_ticks({0, 1, false}, 10).values[3], 0.3);  // not 0.30000000000000004
}

double to_number(const std::string& text) {
  const std::string_view minus = "−";
  return text.starts_with(minus) ? -std::stod(text.substr(minus.size())) : std::stod(text);
}

// label * 10^exponent + offset, as the note says
double read_back(const std::string& label, const std::string& note) {
  static const std::map<std::string, char> kRaised = {
      {"⁻", '-'}, {"⁰", '0'}, {"¹", '1'}, {"²", '2'}, {"³", '3'}, {"⁴", '4'},
      {"⁵", '5'}, {"⁶", '6'}, {"⁷", '7'}, {"⁸", '8'}, {"⁹", '9'}};
  std::string plain = note;
  for (const auto& [raised, digit] : kRaised) {
    for (auto at = plain.find(raised); at != std::string::npos; at = plain.find(raised))
      plain.replace(at, raised.size(), 1, digit);
  }
  std::smatch m;
  static const std::regex kNote(R"(^(?:×10(-?\d+))?\s*(?:(\+|−)([\d.]+)(?:×10(-?\d+))?)?$)");
  if (!std::regex_match(plain, m, kNote)) throw std::runtime_error("note '" + note + "'");
  double value = to_number(label);
  if (m[1].matched) value *= std::pow(10.0, std::stoi(m[1]));
  if (!m[3].matched) return value;
  const double offset = std::stod(m[3]) * (m[4].matched ? std::pow(10.0, std::stoi(m[4])) : 1);
  return value + (m[2] == "+" ? offset : -offset);
}

TEST(Axis, LabelsReadBackAsTheirTicks) {
  for (const Range& range : kRanges) {
    const Ticks ticks = nice_ticks(range, 6);
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
      EXPECT_NEAR(read_back(ticks.labels[i], ticks.note), ticks.values[i], 1e-6 * range.width())
          << ticks.note;
    }
  }
}

TEST(Axis, LabelsAreShortAndDistinct) {
  for (const Range& range : kRanges) {
    const Ticks ticks = nice_ticks(range, 6);
    for (const std::string& label : ticks.labels)
      EXPECT_LE(text_width(label, 1), text_width("−0.0005", 1)) << label;
    EXPECT_EQ(std::set<std::string>(ticks.labels.begin(), ticks.labels.end()).size(),
              ticks.labels.size());
    EXPECT_EQ(std::count(ticks.labels.begin(), ticks.labels.end(), "−0.0"), 0);
  }
}

TEST(Layout, TextsStayInThePictureAndApart) {
  for (const auto& [name, figure] : awkward_figures()) {
    const Layout layout = lay_out(figure);
    RecordingCanvas canvas;
    draw(figure, layout, canvas);
    for (std::size_t i = 0; i < canvas.texts.size(); ++i) {
      const Text& a = canvas.texts[i];
      EXPECT_TRUE(inside(a.box, {0, 0, layout.width, layout.height})) << name << ": " << a.utf8;
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(overlap(a.box, canvas.texts[j].box))
            << name << ": " << a.utf8 << " | " << canvas.texts[j].utf8;
      }
      for (const Rect& frame : canvas.frames) {
        EXPECT_TRUE(a.utf8 == "no data" || !overlap(a.box, frame)) << name << ": " << a.utf8;
      }
    }
  }
}

TEST(Layout, CurvesStayInTheirFrames) {
  for (const auto& [name, figure] : awkward_figures()) {
    RecordingCanvas canvas;
    draw(figure, lay_out(figure), canvas);
    for (const Point& p : canvas.curve_points) {
      EXPECT_TRUE(std::any_of(canvas.frames.begin(), canvas.frames.end(),
                              [&](const Rect& frame) {
                                return inside({p.x, p.y, 0, 0}, frame, 1e-6);
                              }))
          << name << ": " << p.x << ' ' << p.y;
    }
  }
}

TEST(Layout, EqualSeriesShareOneLegend) {
  const auto figures = awkward_figures();
  const auto legend_entries = [&](const Figure& figure) {
    RecordingCanvas canvas;
    draw(figure, lay_out(figure), canvas);
    return std::count_if(canvas.texts.begin(), canvas.texts.end(),
                         [](const Text& t) { return t.utf8 == "b"; });
  };
  EXPECT_EQ(legend_entries(figures.at("shared legend")), 1);
  EXPECT_EQ(legend_entries(figures.at("own legends")), 5);
}

TEST(Style, FortySeriesDiffer) {
  std::set<std::vector<double>> styles;
  for (std::size_t i = 0; i < 40; ++i) {
    const SeriesStyle s = series_style(i);
    std::vector<double> key = {double(s.color.r), double(s.color.g), double(s.color.b)};
    key.insert(key.end(), s.dashes.begin(), s.dashes.end());
    styles.insert(key);
  }
  EXPECT_EQ(styles.size(), 40u);
}

TEST(Thin, KeepsTheExtremesAndTheEnds) {
  Series s = noise("noise", 100000);
  s.y[54321] = 17;
  s.y[12345] = -19;
  const Series thinned = thin(s, {s.x.front(), s.x.back(), false}, 300, 900);
  EXPECT_LE(thinned.x.size(), 900u);
  EXPECT_GE(thinned.x.size(), 500u);
  EXPECT_EQ(*std::max_element(thinned.y.begin(), thinned.y.end()), 17);
  EXPECT_EQ(*std::min_element(thinned.y.begin(), thinned.y.end()), -19);
  EXPECT_TRUE(std::is_sorted(thinned.x.begin(), thinned.x.end()));
}

TEST(Thin, KeepsWhereACurveTurnsBack) {
  Series circle{"circle", {}, {}};
  for (int i = 0; i < 10000; ++i) {
    circle.x.push_back(std::cos(6.283 * i / 10000 + 1));
    circle.y.push_back(std::sin(6.283 * i / 10000 + 1));
  }
  const Series thinned = thin(circle, {-1, 1, false}, 100, 600);
  EXPECT_LE(thinned.x.size(), 600u);
  EXPECT_NEAR(*std::max_element(thinned.x.begin(), thinned.x.end()), 1, 1e-6);
  EXPECT_NEAR(*std::min_element(thinned.x.begin(), thinned.x.end()), -1, 1e-6);
}

TEST(Thin, LeavesShortSeriesAlone) {
  const Series s = {"s", {1, 1, 1, 0}, {1, kNan, 3, 4}};
  const Series same = thin(s, {0, 1, false}, 1, 4);
  EXPECT_EQ(same.x.size(), 4u);
  EXPECT_TRUE(std::isnan(same.x[1]));
  EXPECT_EQ(same.y[3], 4);
}

TEST(Layout, AnAxisIsThatOfAPaperIfTheDataFit) {
  Panel panel{"p", "y", {{"s", {0, 1, 2}, {-1, 4, 2}}}};
  const auto shown = [&](double from, double to) {
    panel.y_shown = {from, to};
    return lay_out({"", "x", {panel}}).panels.front().y;
  };
  EXPECT_EQ(shown(-2, 5).lo, -2);
  EXPECT_EQ(shown(-2, 5).hi, 5);
  EXPECT_LT(shown(-0.5, 5).lo, -1);  // a curve is never cut
  EXPECT_LT(shown(5, -2).lo, -1);
}

TEST(Layout, PanelsHaveTheSizeThatIsAskedFor) {
  Figure figure{"", "x", {Panel{"p", "y", {{"s", {0, 1}, {0, 1}}}}}};
  figure.panel_width = 500, figure.panel_height = 200;
  const Layout layout = lay_out(figure);
  EXPECT_EQ(layout.panels.front().plot.h, 200);
  EXPECT_NEAR(layout.width, 500, 40);
}

}  // namespace
}  // namespace catena::plot
