#pragma once
// The page of --report, without what it shows.

#include <string_view>

namespace tickbox {

/// Returns the page that the build has joined from report/report.html. It has places, comments like
/// `<!-- fill NAME -->`.
[[nodiscard]] std::string_view report_template();

}  // namespace tickbox
