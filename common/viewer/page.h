#pragma once
// The page of Tickbox's own games, as the programs carry it.

#include <string_view>

namespace tickbox {

/// Returns the page that shows recordings and rooms, as HTML. Empty if this build has no module for
/// browsers.
[[nodiscard]] std::string_view viewer_page();

}  // namespace tickbox
