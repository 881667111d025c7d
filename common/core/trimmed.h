#pragma once
// Text as people and editors leave it: blanks and line ends around what is meant.

#include <algorithm>
#include <string_view>

namespace tickbox {

/// `text` without the blanks and line ends around it.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace tickbox
