#pragma once
// Text for people: numbers and calendar times in words. Also client ids as people write them.

#include "core/clock.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tickbox::commands {

/// Parses a client id. Fails: with a message in one line.
[[nodiscard]] std::expected<std::uint64_t, std::string> parse_client(std::string_view text);

/// Returns a number with thousands separators: "12,345".
[[nodiscard]] std::string grouped(std::uint64_t number);

/// Returns "1 tick" or "1,204 ticks". `many`: the plural; empty: with an s.
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one,
                                  std::string_view many = {});

/// Returns a number with two significant digits, or all digits before the point: "0.48", "7.0",
/// "1,204". Requires: 0 <= number < 2^63.
[[nodiscard]] std::string short_number(double number);

// Calendar times in words.

/// Returns "2026-11-20T14:58:00Z". A time outside the years 1970 to 9999, as in a forged token or
/// recording, gives "before the year 1970" or "after the year 9999".
[[nodiscard]] std::string utc_text(WallTime time);

/// Returns the distance of `time` from `now`: "in 29 s", "12 s ago", "in 4 h 59 min".
[[nodiscard]] std::string distance_text(WallTime time, WallTime now);

/// Returns the same in whole seconds; negative if `time` has passed.
[[nodiscard]] std::int64_t seconds_until(WallTime time, WallTime now);

}  // namespace tickbox::commands
