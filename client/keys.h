#pragma once
// The keys of a game: which of them are down, and the input and the commands that they give.

#include "core/bytes.h"
#include "tickbox/game_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tickbox::client {

/// A key that a game can name (tickbox/keys.h), or one of four marks, as a number.
struct KeyCode {
  std::uint8_t number = 0;

  friend bool operator==(KeyCode, KeyCode) = default;
};

/// The letters, the digits, the marks, and those with longer names.
inline constexpr std::size_t kKeys = 26 + 10 + 4 + 7;

/// Returns the key with this name, such as "w", "[" or "space".
[[nodiscard]] std::optional<KeyCode> key_named(std::string_view name);

/// Which keys are down.
class HeldKeys {
 public:
  /// A key that is down already is not pressed again: keyboards repeat a held key.
  void press(KeyCode key);

  void release(KeyCode key) { keys_[key.number].is_held = false; }

  /// Where the window or page loses the keyboard, releases no longer arrive.
  void release_all();

  /// Returns whether a key is down, or has been pressed since the last clear_presses().
  [[nodiscard]] bool is_down(KeyCode key) const;

  /// Returns whether a key has been pressed since the last clear_presses().
  [[nodiscard]] bool is_pressed(KeyCode key) const { return keys_[key.number].is_pressed; }

  /// Returns a number that is higher for a key that was pressed later.
  [[nodiscard]] std::uint64_t order(KeyCode key) const { return keys_[key.number].order; }

  void clear_presses();

 private:
  struct State {
    bool is_held = false;
    bool is_pressed = false;
    std::uint64_t order = 0;  ///< 0: never pressed
  };

  std::array<State, kKeys> keys_{};
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
  [[nodiscard]] ConstBytes input(HeldKeys& keys);

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

  void find_commands(const HeldKeys& keys);

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
