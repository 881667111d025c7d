#pragma once
// Parses numbers and quantities from the command line and from files: 250ms, 64KiB, HOST:PORT.

#include "core/clock.h"

#include <charconv>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tickbox {

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
