// The style sheet and the script of the interactive page (page.css, page_*.js).
#pragma once

#include <string_view>

namespace catena::plot {

extern const std::string_view kPageCss;
extern const std::string_view kPageJs;

}  // namespace catena::plot
