#pragma once
// What someone may have meant who wrote a name that does not exist.

#include <span>
#include <string>
#include <string_view>

namespace tickbox::map {

/// `; did you mean "friction"?` for the known name fewest edits away, or nothing where none is
/// near.
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string_view> known);

}  // namespace tickbox::map
