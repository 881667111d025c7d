#pragma once
// What people read: moments of the calendar in words, and which bytes of strangers a terminal
// prints.

#include "core/clock.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace tickbox::commands {

// Which bytes of strangers a terminal prints as text.

/// How many bytes the printable character takes that `text` begins with, in UTF-8; 0 where it
/// begins with none: no UTF-8, a control, or a character that is not seen and changes how others
/// are.
[[nodiscard]] std::size_t printable_length(std::string_view text);

// Moments of the calendar in words.

/// "2026-11-20T14:58:00Z". One that no calendar has, as in a forged token, is "after the year
/// 9999".
[[nodiscard]] std::string utc_text(WallTime time);

/// How far `time` is from `now`: "in 29 s", "12 s ago", "in 4 h 59 min".
[[nodiscard]] std::string distance_text(WallTime time, WallTime now);

/// The same in whole seconds; negative when it has passed.
[[nodiscard]] std::int64_t seconds_until(WallTime time, WallTime now);

}  // namespace tickbox::commands
