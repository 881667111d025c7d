#pragma once
// Text as people write it: what is meant, and what someone may have meant; hashes as text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox {

// What someone may have meant who wrote a name that does not exist.

/// Levenshtein's distance: the fewest letters to put in, leave out or exchange. For messages only:
/// it allocates.
[[nodiscard]] std::size_t edits_between(std::string_view a, std::string_view b);

/// Letters of a name up to which it is compared: nobody mistypes a longer one.
inline constexpr std::size_t kNameCompared = 64;

/// The one of `known` (texts) that is fewest edits away from `name`, the first of equals, if any is
/// near enough to have been meant: a third of the letters may be wrong, two in a short name. Valid
/// as long as `known`.
template <class Names>
[[nodiscard]] std::optional<std::string_view> nearest_name(std::string_view name,
                                                           const Names& known) {
  std::optional<std::string_view> nearest;
  if (name.size() > kNameCompared) {
    return nearest;
  }
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view each : known) {
    const std::size_t edits = edits_between(name, each);
    if (edits < fewest) {
      fewest = edits;
      nearest = each;
    }
  }
  return nearest;
}

// Text as people and editors leave it: blanks and line ends around what is meant.

/// `text` without the blanks and line ends around it.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// A hash as documents show it: 16 hex digits.
[[nodiscard]] std::string hash_text(std::uint64_t hash);

}  // namespace tickbox
