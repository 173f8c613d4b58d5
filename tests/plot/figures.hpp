// Curves and figures that the tests of the plots share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catena/plot/figure.hpp"

namespace catena::plot {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline Series wave(const std::string& name, int points, double amplitude = 1, double offset = 0) {
  Series s{name, {}, {}};
  for (int i = 0; i < points; ++i) {
    const double t = 10.0 * i / std::max(1, points - 1);
    s.x.push_back(t);
    s.y.push_back(offset + amplitude * std::sin(3 * t));
  }
  return s;
}

// A fixed, rough sequence within [-1, 1].
inline Series noise(const std::string& name, int points) {
  Series s{name, {}, {}};
  std::uint32_t state = 1;
  for (int i = 0; i < points; ++i) {
    state = state * 1664525u + 1013904223u;
    s.x.push_back(1e-5 * i);
    s.y.push_back((state >> 8) / 8388608.0 - 1);
  }
  return s;
}

inline Figure one_panel(std::vector<Series> series) {
  return {"Title", "time [s]", {{"", "torque [N·m]", std::move(series)}}};
}

// Figures that have broken other plotters.
inline std::map<std::string, Figure> awkward_figures() {
  std::map<std::string, Figure> f;
  f["nothing"] = {};
  f["no panel"] = {"Title", "x", {}};
  f["no series"] = one_panel({});
  f["empty series"] = one_panel({{"empty", {}, {}}});
  f["all NaN"] = one_panel({{"gaps", {0, 1, kNan}, {kNan, kInf, 1}}});
  f["one point"] = one_panel({{"point", {3}, {2}}});
  f["zero"] = one_panel({{"zero", {0, 1}, {0, 0}}});
  f["constant"] = one_panel({{"constant", {0, 1}, {-7.5, -7.5}}});
  f["rounding noise"] = one_panel({{"noise", {0, 1, 2}, {5, 5 + 1e-15, 5 - 1e-15}}});
  f["huge"] = one_panel({{"huge", {-1e300, 1e300}, {-1e300, 1e300}}, {"more", {0}, {1e308}}});
  f["tiny"] = one_panel({{"tiny", {0, 1e-310}, {0, 5e-324}}, {"small", {0, 0}, {1e-200, 3e-200}}});
  f["far from zero"] = one_panel({wave("energy", 100, 1e-6, 123456.789)});
  f["wide range"] = one_panel({{"growth", {1e-9, 1, 1e9}, {1e-16, 1, 1e12}}});
  f["text"] = {
      "<&\"'> τ θ₁ ü 関節 \xff\xc3(\x01 end", "a]]>b", {{"<p>", "--&", {wave("<s>&", 9)}}}};
  f["long text"] = {std::string(500, 'W'),
                    std::string(500, 'x'),
                    {{std::string(300, 't'),
                      std::string(300, 'y'),
                      {wave(std::string(300, 'n'), 9), wave("b", 9)}}}};
  Figure grid{"Six", "time [s]", {}};
  for (int i = 0; i < 5; ++i) {
    const std::string name = fmt::format("joint {}", i);
    grid.panels.push_back(
        {name, "torque [N·m]", {wave("a", 50, std::pow(10, 3 * i - 6)), wave("b", 50)}});
  }
  f["shared legend"] = grid;
  grid.panels[1].series.push_back(wave("a third one", 50, 2e7));
  for (int i = 0; i < 20; ++i) grid.panels[2].series.push_back(wave(fmt::format("more {}", i), 5));
  f["own legends"] = grid;
  grid.columns = 99;
  f["many columns"] = grid;
  grid.columns = -1;
  f["negative columns"] = grid;
  return f;
}

}  // namespace catena::plot
