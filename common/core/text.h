#pragma once
// Helpers for text: names of enumerators, the known name nearest to a wrong one, text without
// surrounding blanks, lines of a text that people write, text of strangers, hashes as text, and
// numbers and quantities as people write them.

#include "core/clock.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tickbox {

/// Returns the name of an enumerator; "unknown" for a value beyond `kLast`. `names`: of 0 to
/// `kLast`, in this order.
template <auto kLast, std::size_t kNames>
[[nodiscard]] constexpr std::string_view name_among(const std::string_view (&names)[kNames],
                                                    decltype(kLast) value) {
  static_assert(kNames == static_cast<std::size_t>(kLast) + 1);
  const auto at = static_cast<std::size_t>(value);
  return at < kNames ? names[at] : "unknown";
}

/// Returns the Levenshtein distance: the fewest letters to insert, remove or replace. For messages
/// only, because it allocates.
[[nodiscard]] std::size_t edits_between(std::string_view a, std::string_view b);

/// The longest name, in letters, that nearest_name() compares: a longer one is no typing error.
inline constexpr std::size_t kNameCompared = 64;

/// Returns the text of `known` with the fewest edits from `name` (the first of equals), or nothing
/// if none is near enough. A near name has at most a third of its letters wrong, or two in a short
/// name. The result is valid as long as `known`.
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

/// Returns `text` without the blanks and line ends around it.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// Reads a text that people write, line by line. Skips blank lines, the rest of a line after a #,
/// and blanks around a line.
class LineReader {
 public:
  /// Borrows the text.
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// Returns the next line, or nothing at the end.
  [[nodiscard]] std::optional<std::string_view> next();

  /// Returns the number of the line that next() returned last; the first line has number 1.
  [[nodiscard]] int number() const { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

/// Returns text of strangers, such as the name of a file, host, player or game, as a terminal may
/// print it, in one line. Each byte of what it must not print is \xNN: of invalid UTF-8, controls
/// and line ends, private use, and characters that are invisible or change the direction. Bytes
/// that are `kept` stay, such as the line ends of a text.
[[nodiscard]] std::string printable(std::string_view text, std::string_view kept = {});

/// Formats a hash as documents show it: 16 hex digits.
[[nodiscard]] std::string hash_text(std::uint64_t hash);

// Parsing numbers and quantities from the command line and from files: 250ms, 64KiB, HOST:PORT.

/// Parses all of `text` as a number that fits a T. Blanks and a plus are no part of one.
template <class T>
[[nodiscard]] std::optional<T> parse_as(std::string_view text) {
  T number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_all = error == std::errc{} && stop == text.data() + text.size();
  return is_all ? std::optional{number} : std::nullopt;
}

// Each other parser fails with one line that quotes the text and shows a valid example or the
// limit. None accepts blanks, or a number with a sign.

/// Parses "10" (seconds), "250ms", "5m", "24h"; units ns us ms s m h, decimals allowed. At most 10
/// years.
[[nodiscard]] std::expected<Duration, std::string> parse_duration(std::string_view text);

/// Parses a duration from `least` to `most`.
[[nodiscard]] std::expected<Duration, std::string> parse_duration_between(std::string_view text,
                                                                          Duration least,
                                                                          Duration most);

/// Parses "512", "512B", "64KiB", "4MiB", "1GiB"; returns bytes.
[[nodiscard]] std::expected<std::uint64_t, std::string> parse_size(std::string_view text);

/// A name or address and a port, "localhost:7777" or "[::1]:7777".
struct HostPort {
  std::string host{};  ///< without brackets
  std::uint16_t port = 0;
};

[[nodiscard]] std::expected<HostPort, std::string> parse_host_port(std::string_view text);

}  // namespace tickbox
