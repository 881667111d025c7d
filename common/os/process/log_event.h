#pragma once
// The form of a log line: an event and its fields, `session_closed room=3 text="two words"`.

#include <string>
#include <string_view>

namespace tickbox::os {

/// `text` as the value of a field: in double quotes, with \" and \\ inside, where it needs them.
[[nodiscard]] std::string log_value(std::string_view text);

/// `text` with every control byte as \xNN: a line stays a line, and a terminal is not steered by
/// what arrived.
[[nodiscard]] std::string escape_control_bytes(std::string_view text);

/// An event and its fields as one JSON object: {"time":…,"level":…,"event":…}, then each key in
/// order. A whole number or decimal of at most 15 digits, without a leading zero, becomes a number,
/// so that hashes stay text; true and false become booleans, all else text. Words without '='
/// belong to the event. A key met before gets a '_' more.
[[nodiscard]] std::string event_to_json(std::string_view time, std::string_view level,
                                        std::string_view event);

}  // namespace tickbox::os
