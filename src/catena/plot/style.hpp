// How series are told apart: eight colours that colour-blind readers can separate, then dashes.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "catena/plot/canvas.hpp"

namespace catena::plot {

struct SeriesStyle {
  Color color;       // on white
  Color dark_color;  // on black
  std::span<const double> dashes;
};

// After Okabe & Ito (2008); their yellow is too pale for a line on white, brown takes its place.
inline constexpr std::array<Color, 8> kColors = {{{0x00, 0x72, 0xB2},
                                                  {0xD5, 0x5E, 0x00},
                                                  {0x00, 0x9E, 0x73},
                                                  {0xCC, 0x79, 0xA7},
                                                  {0xE6, 0x9F, 0x00},
                                                  {0x56, 0xB4, 0xE9},
                                                  {0x33, 0x33, 0x33},
                                                  {0x8C, 0x5A, 0x2B}}};

inline constexpr std::array<Color, 8> kDarkColors = {{{0x4A, 0x9F, 0xE0},
                                                      {0xFF, 0x85, 0x33},
                                                      {0x2F, 0xC4, 0x98},
                                                      {0xE0, 0x98, 0xC3},
                                                      {0xF2, 0xB7, 0x33},
                                                      {0x8F, 0xD3, 0xFA},
                                                      {0xE6, 0xE6, 0xE6},
                                                      {0xC4, 0x8F, 0x5C}}};

inline constexpr std::array<double, 2> kDashed = {7, 3};
inline constexpr std::array<double, 2> kDotted = {2, 2.5};
inline constexpr std::array<double, 4> kDashDotted = {9, 3, 2, 3};
inline constexpr std::array<double, 6> kDashDotDotted = {9, 3, 2, 2.5, 2, 3};

inline SeriesStyle series_style(std::size_t index) {
  static constexpr std::array<std::span<const double>, 5> kDashes = {
      std::span<const double>{}, kDashed, kDotted, kDashDotted, kDashDotDotted};
  const std::size_t hue = index % kColors.size();
  return {kColors[hue], kDarkColors[hue], kDashes[(index / kColors.size()) % kDashes.size()]};
}

}  // namespace catena::plot
