#pragma once
// A game's keys: the input that they give, the commands that they send, and their names on the
// screen.

#include "client/terminal/keyboard.h"
#include "core/bytes.h"
#include "core/clock.h"
#include "tickbox/game_table.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tickbox::terminal {

/// Makes inputs from keys. If several bindings give one value, the one with the most keys applies,
/// then the one pressed last. So a key cancels the opposite one at once. A Press is down in the
/// first input after its key was pressed, and in no other.
class KeyBindings {
 public:
  /// `game` must live longer.
  explicit KeyBindings(const GameTable& game);

  /// Returns the input for the next tick, valid until the next call, and forgets the presses.
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
  Input input_{};
};

/// Returns the names of a game's keys, each group with the first field that it sets or the command
/// that it sends, as in "a d walk  space jump  r restart". Combinations of keys are left out.
[[nodiscard]] std::u32string key_hints(const GameTable& game);

}  // namespace tickbox::terminal
