#pragma once
// The commands of one session that the server has not taken. Each message repeats the first of
// them, as many as fit.

#include "core/bytes.h"
#include "protocol/messages.h"
#include "tickbox/game_table.h"
#include "views/inputs.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace tickbox::client {

class SentCommands {
 public:
  /// `game` must live longer.
  explicit SentCommands(const GameTable& game) : game_(&game) {}

  /// Adds a command: a value of the type in memory, each field within its range. Fails: false, if
  /// views::kCommandsMax commands wait.
  [[nodiscard]] bool add(std::uint8_t type, ConstBytes value);

  /// Writes to `message` the first commands that wait, as many as fit.
  void write(protocol::InputMessage& message) const;

  /// Receives the server's answer: the number of the newest command that it has taken.
  void receive_ack(std::uint16_t newest);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Command {
    std::uint8_t type = 0;
    std::vector<std::byte> value;
  };

  const GameTable* game_;
  std::uint16_t first_ = 1;  ///< number of the first that waits
  std::deque<Command> waiting_;
};

}  // namespace tickbox::client
