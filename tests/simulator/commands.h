#pragma once
// The commands of clients: those of bots, and others that are drawn by the descriptor of the game.
// They are compared with those that the room gets.

#include "client/client.h"
#include "core/ids.h"
#include "core/rng.h"
#include "engine/tick_record.h"
#include "engine/world.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::simulator {

class Commands {
 public:
  /// `game` must live longer.
  Commands(const GameTable& game, std::uint64_t seed) : game_(&game), rng_(seed) {}

  /// Lets a client say a command now and then. Call it after each of its turns.
  void turn(client::Client& client, const engine::World& world);

  /// Notes a command that a client has given.
  void note(Player player, std::uint8_t type, ConstBytes value);

  /// Compares the commands of a tick with those that were said. Some of these may be lost with
  /// their session; the others come in their order.
  void hear(const engine::TickRecord& record);

  /// Returns what was wrong since the last call, a line each.
  [[nodiscard]] std::vector<std::string> take_wrong() { return std::exchange(wrong_, {}); }

  /// Returns the number of commands that the room got.
  [[nodiscard]] std::uint64_t heard() const { return heard_; }

 private:
  struct Said {
    Player player;
    std::uint8_t type = 0;
    std::vector<std::byte> value;
  };

  const GameTable* game_;
  Rng rng_;
  std::deque<Said> said_;  ///< that the room did not get yet, in the order in which they were said
  std::uint64_t heard_ = 0;
  std::vector<std::string> wrong_;
};

}  // namespace tickbox::simulator
