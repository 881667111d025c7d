#pragma once
// Keys from the bytes of a terminal, and which of them are down.
//
// A terminal sends bytes when a key goes down and, while it is held, when it repeats. It sends
// nothing when the key goes up. So a key counts as down until kHeldFor after its last bytes. This
// is longer than the time between two repeats, and short enough that a body stops soon after the
// release. It has a price: the first repeat comes only after a quarter to half a second, so a held
// key is up for a moment before it. Terminals also repeat only the key that was pressed last.
//
// Bytes after such a pause are the first repeat of a held key, or a second press. The next bytes
// decide: repeats come quickly. So the press counts only kRepeatMax later, and not at all if more
// bytes of the key have arrived by then. The pause before repeats is the same for all keys of a
// terminal. Once it is known from a held key, only bytes after just that pause are in doubt.
//
// Terminals with the keyboard protocol of kitty send the release too. kBegin requests it. Where the
// terminal confirms it, a key is down until its release, and none of this applies.
//
// Source: https://sw.kovidgoyal.net/kitty/keyboard-protocol/

#include "core/clock.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::terminal {

/// The time from the last bytes of a key until it counts as up. Terminals repeat 10 to 40 times a
/// second, so a held key stays down.
inline constexpr Duration kHeldFor = std::chrono::milliseconds{180};

/// The longest time between two repeats of a held key.
inline constexpr Duration kRepeatMax = std::chrono::milliseconds{100};
static_assert(kRepeatMax < kHeldFor);

/// The longest pause before the first repeat, and how much it may differ from one to the next.
inline constexpr Duration kRepeatPauseMax = std::chrono::milliseconds{1'000};
inline constexpr Duration kRepeatPauseJitter = std::chrono::milliseconds{25};

/// The time after which an ESC is a key of its own, and not the beginning of a longer sequence.
inline constexpr Duration kEscapeFor = std::chrono::milliseconds{50};

/// The bytes that prepare a terminal: the other screen, no cursor, no wrapping, key releases, and
/// reports of the loss of focus; and the bytes that undo it. kEnd begins with what also ends a
/// sequence that was cut.
inline constexpr std::string_view kBegin =
    "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[>11u\x1b[?u\x1b[?1004h\x1b[0m\x1b[H\x1b[2J";
inline constexpr std::string_view kEnd =
    "\x1b[0m\x1b[?1004l\x1b[<u\x1b[2J\x1b[?7h\x1b[?25h\x1b[?1049l";

/// A key that a game can name (tickbox/keys.h), or one of four marks, as a number.
struct KeyCode {
  std::uint8_t number = 0;

  friend bool operator==(KeyCode, KeyCode) = default;
};

/// The letters, the digits, the marks, and those with longer names.
inline constexpr std::size_t kKeys = 26 + 10 + 4 + 7;

/// Returns the key with this name, such as "w", "[" or "space".
[[nodiscard]] std::optional<KeyCode> key_named(std::string_view name);

struct KeyEvent {
  enum class Type : std::uint8_t {
    Down,       ///< pressed, or repeated
    Up,         ///< released; only from a terminal that reports it
    Interrupt,  ///< Ctrl-C
    Suspend,    ///< Ctrl-Z
    FocusLost,  ///< releases no longer arrive
    ReportsReleases,
  };

  Type type = Type::Down;
  KeyCode key{};  ///< of Down and Up

  friend bool operator==(const KeyEvent&, const KeyEvent&) = default;
};

/// Finds keys in bytes. A sequence may arrive in pieces.
class KeyDecoder {
 public:
  /// Returns the events of bytes that arrived at `now`. Unknown bytes are ignored.
  [[nodiscard]] std::vector<KeyEvent> decode(std::string_view bytes, Instant now);

 private:
  std::string rest_;  ///< the beginning of a sequence
  Instant since_;     ///< when it arrived
};

/// Which keys are down.
class HeldKeys {
 public:
  /// Handles a Down, Up, FocusLost or ReportsReleases.
  void handle(const KeyEvent& event, Instant now);

  /// Counts the presses that are no longer in doubt. Call it before the keys are read.
  void settle(Instant now);

  /// Returns whether a key is down, or has been pressed since the last clear_presses().
  [[nodiscard]] bool is_down(KeyCode key, Instant now) const;

  /// Returns whether a key has been pressed since the last clear_presses(). A repeat is no press.
  [[nodiscard]] bool is_pressed(KeyCode key) const { return keys_[key.number].is_pressed; }

  /// Returns a number that is higher for a key that was pressed later.
  [[nodiscard]] std::uint64_t order(KeyCode key) const { return keys_[key.number].order; }

  void clear_presses();

 private:
  struct State {
    bool is_held = false;
    bool is_pressed = false;
    bool is_in_doubt = false;       ///< a press, or the first repeat
    bool has_repeated = false;      ///< since `began`
    Instant last;                   ///< arrival of its newest bytes
    Instant began;                  ///< arrival of its first bytes after it was up
    std::optional<Duration> pause;  ///< before `began`, if that may be the first repeat
    std::uint64_t order = 0;        ///< 0: never pressed
  };

  [[nodiscard]] bool is_held(const State& state, Instant now) const;
  [[nodiscard]] std::optional<Duration> pause_before(const State& state, Instant now) const;
  void press(State& state);
  void handle_down(State& state, Instant now);

  std::array<State, kKeys> keys_{};
  bool reports_releases_ = false;
  std::optional<Duration> repeat_pause_;  ///< of this terminal; nothing before a key was held
  std::uint64_t presses_ = 0;
};

}  // namespace tickbox::terminal
