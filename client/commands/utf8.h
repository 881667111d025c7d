#pragma once
// Which bytes of strangers a terminal prints as text.

#include <cstddef>
#include <string_view>

namespace tickbox::commands {

/// How many bytes the printable character takes that `text` begins with, in UTF-8; 0 where it
/// begins with none: no UTF-8, a control, or a character that is not seen and changes how others
/// are.
[[nodiscard]] std::size_t printable_length(std::string_view text);

}  // namespace tickbox::commands
