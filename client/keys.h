#pragma once
// The keys of a game: which of them are down, and the input and the commands that they give.
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
// Windows and pages report the release too, and so do terminals with the keyboard protocol of
// kitty. There a key is down until its release, and none of this applies.

#include "core/bytes.h"
#include "core/clock.h"
#include "tickbox/game_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tickbox::client {

/// The time from the last bytes of a key until it counts as up. Terminals repeat 10 to 40 times a
/// second, so a held key stays down.
inline constexpr Duration kHeldFor = std::chrono::milliseconds{180};

/// The longest time between two repeats of a held key.
inline constexpr Duration kRepeatMax = std::chrono::milliseconds{100};
static_assert(kRepeatMax < kHeldFor);

/// The longest pause before the first repeat, and how much it may differ from one to the next.
inline constexpr Duration kRepeatPauseMax = std::chrono::milliseconds{1'000};
inline constexpr Duration kRepeatPauseJitter = std::chrono::milliseconds{25};

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
    Up,         ///< released; only where it is reported
    Interrupt,  ///< Ctrl-C
    Suspend,    ///< Ctrl-Z
    FocusLost,  ///< releases no longer arrive
    ReportsReleases,
  };

  Type type = Type::Down;
  KeyCode key{};  ///< of Down and Up

  friend bool operator==(const KeyEvent&, const KeyEvent&) = default;
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

/// Makes inputs from keys. If several bindings give one value, the one with the most keys applies,
/// then the one pressed last. So a key cancels the opposite one at once. A Press is down in the
/// first input after its key was pressed, and in no other.
class KeyBindings {
 public:
  /// `game` must live longer.
  explicit KeyBindings(const GameTable& game);

  /// Returns the input for the next tick, valid until the next call, and forgets the presses.
  /// Cost: no allocation once warm.
  [[nodiscard]] ConstBytes input(HeldKeys& keys, Instant now);

  /// Returns the commands whose keys were pressed before the last input(), valid until the next
  /// input().
  [[nodiscard]] std::span<const CommandKeyTable* const> commands() const { return pressed_; }

  [[nodiscard]] bool empty() const { return bindings_.empty() && command_bindings_.empty(); }

  /// Returns whether the game uses a key.
  [[nodiscard]] bool has(KeyCode key) const;

 private:
  /// A value of the input, and what it becomes.
  struct Value {
    const FieldInfo* field = nullptr;
    std::size_t i = 0;
    std::int64_t value = 0;
  };

  struct Binding {
    std::vector<KeyCode> keys;
    std::vector<Value> values;
  };

  /// A binding whose keys are all down.
  struct Active {
    const Binding* binding = nullptr;
    std::uint64_t order = 0;  ///< of its key that was pressed last
    bool is_pressed = false;
  };

  struct CommandBinding {
    std::vector<KeyCode> keys;
    const CommandKeyTable* command = nullptr;
  };

  void find_commands(const HeldKeys& keys, Instant now);

  struct alignas(std::uint64_t) Input : std::array<std::byte, kTypeBytesMax> {};

  const GameTable* game_;
  std::vector<Binding> bindings_;
  std::vector<CommandBinding> command_bindings_;
  std::vector<const CommandKeyTable*> pressed_;
  std::vector<Active> active_;       ///< scratch memory of input()
  std::vector<const Value*> given_;  ///< scratch memory of input()
  Input input_{};
};

}  // namespace tickbox::client
