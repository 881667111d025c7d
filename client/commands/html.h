#pragma once
// Texts of others in the pages that commands write.

#include <string>
#include <string_view>

namespace tickbox::commands {

/// Returns text as HTML shows it, in an element or in the quotes of an attribute.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace tickbox::commands
