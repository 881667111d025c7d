#pragma once
// Moments of the calendar in words.

#include "core/clock.h"

#include <string>

namespace tickbox::commands {

/// "2026-11-20T14:58:00Z". One that no calendar has, as in a forged token, is "after the year
/// 9999".
[[nodiscard]] std::string utc_text(WallTime time);

/// How far `time` is from `now`: "in 29 s", "12 s ago", "in 4 h 59 min".
[[nodiscard]] std::string distance_text(WallTime time, WallTime now);

/// The same in whole seconds; negative when it has passed.
[[nodiscard]] std::int64_t seconds_until(WallTime time, WallTime now);

}  // namespace tickbox::commands
