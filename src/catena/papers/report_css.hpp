// The style sheet of the report (report.css).
#pragma once

#include <string_view>

namespace catena::papers {

extern const std::string_view kReportCss;

}  // namespace catena::papers
