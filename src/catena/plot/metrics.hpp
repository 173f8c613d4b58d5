// Sizes in pixels that layout and drawing share.
#pragma once

namespace catena::plot {

inline constexpr double kOuter = 14;  // around everything
inline constexpr double kTitleSize = 16, kPanelTitleSize = 13, kLabelSize = 12, kTickSize = 11;
inline constexpr double kTitleHeight = 28, kPanelTitleHeight = 21;
inline constexpr double kNoteHeight = 14;   // "×10³" above the y axis
inline constexpr double kTickHeight = 20;   // labels below the x axis
inline constexpr double kLabelHeight = 20;  // the label of x, or of y on its side
inline constexpr double kTickGap = 7;       // from the frame to a tick's label
inline constexpr double kSampleWidth = 26;  // the piece of line in a legend
inline constexpr double kSampleGap = 6, kEntryGap = 20;
inline constexpr double kLegendRow = 18;
inline constexpr double kRowGap = 12;  // between a frame and the header below it
inline constexpr double kColumnGap = 16;

}  // namespace catena::plot
