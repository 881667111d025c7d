#pragma once
// What a client's message has as bits: the inputs of consecutive ticks, each as a change of the one
// before, and the commands of a player, which ask the game for more. FORMAT.md is the standard.

#include "core/bytes.h"
#include "engine/bits.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::views {

/// An input, and what its player saw when it was decided.
struct GivenInput {
  ConstBytes input;  ///< of the game's Input, each value within its range
  /// The age of the others' state that the player saw, in ticks before the input's own; 255: 255 or
  /// more. Only the code that judges a ray reads it.
  std::uint8_t look_back = 0;
};

void write_inputs(const GameTable& game, std::span<const GivenInput> inputs,
                  engine::BitWriter& out);

/// The inputs of a message that was received; keeps its memory.
class ReceivedInputs {
 public:
  /// Reads at most `most` inputs; no bytes are no inputs. Fails: false, for bits that no client
  /// sends.
  [[nodiscard]] bool read(const GameTable& game, ConstBytes bits, std::size_t most);

  [[nodiscard]] std::size_t size() const { return look_backs_.size(); }

  /// Valid until the next read().
  [[nodiscard]] GivenInput operator[](std::size_t i) const {
    return {.input = ConstBytes{values_}.subspan(i * stride_, bytes_), .look_back = look_backs_[i]};
  }

 private:
  std::size_t bytes_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::byte> values_;
  std::vector<std::uint8_t> look_backs_;
};

/// The most commands of a player that wait to be taken. A message has no more.
inline constexpr std::size_t kCommandsMax = 10;

/// A command of a player.
struct GivenCommand {
  std::uint8_t type = 0;  ///< its number in the game's list
  ConstBytes bytes;       ///< its value in memory, aligned, each field within its range
};

/// Writes the command with the next number behind those before it.
void write_command(const GameTable& game, const GivenCommand& command, engine::BitWriter& out);

/// Returns the bits that write_command() writes.
[[nodiscard]] std::size_t command_bits(const GameTable& game, const GivenCommand& command);

/// Writes the head of a list whose first command has this number. The list ends with one bit, 0.
void write_command_head(std::uint16_t first, engine::BitWriter& out);

/// The commands of a message that was received; keeps its memory.
class ReceivedCommands {
 public:
  /// No bytes are no commands. Fails: false, for bits that no client sends.
  [[nodiscard]] bool read(const GameTable& game, ConstBytes bits);

  /// Returns the number of the first command; the others follow one by one.
  [[nodiscard]] std::uint16_t first() const { return first_; }

  [[nodiscard]] std::size_t size() const { return commands_.size(); }

  /// Valid until the next read().
  [[nodiscard]] GivenCommand operator[](std::size_t i) const {
    const Received& command = commands_[i];
    return {.type = command.type,
            .bytes = ConstBytes{values_}.subspan(command.first, command.bytes)};
  }

 private:
  struct Received {
    std::uint8_t type = 0;
    std::size_t first = 0;  ///< of its value in values_
    std::size_t bytes = 0;
  };

  std::uint16_t first_ = 0;
  std::vector<Received> commands_;
  std::vector<std::byte> values_;
};

}  // namespace tickbox::views
