#pragma once
// Keys from the bytes of a terminal.
//
// kBegin requests that the terminal reports releases, as the keyboard protocol of kitty has them.
// What holds for a terminal that does not is in client/keys.h.
//
// Source: https://sw.kovidgoyal.net/kitty/keyboard-protocol/

#include "client/keys.h"
#include "core/clock.h"

#include <string>
#include <string_view>
#include <vector>

namespace tickbox::terminal {

using client::KeyCode;
using client::KeyEvent;

/// The time after which an ESC is a key of its own, and not the beginning of a longer sequence.
inline constexpr Duration kEscapeFor = std::chrono::milliseconds{50};

/// The bytes that prepare a terminal: the other screen, no cursor, no wrapping, key releases, and
/// reports of the loss of focus; and the bytes that undo it. kEnd begins with what also ends a
/// sequence that was cut.
inline constexpr std::string_view kBegin =
    "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[>11u\x1b[?u\x1b[?1004h\x1b[0m\x1b[H\x1b[2J";
inline constexpr std::string_view kEnd =
    "\x1b[0m\x1b[?1004l\x1b[<u\x1b[2J\x1b[?7h\x1b[?25h\x1b[?1049l";

/// Finds keys in bytes. A sequence may arrive in pieces.
class KeyDecoder {
 public:
  /// Returns the events of bytes that arrived at `now`. Unknown bytes are ignored.
  [[nodiscard]] std::vector<KeyEvent> decode(std::string_view bytes, Instant now);

 private:
  std::string rest_;  ///< the beginning of a sequence
  Instant since_;     ///< when it arrived
};

}  // namespace tickbox::terminal
