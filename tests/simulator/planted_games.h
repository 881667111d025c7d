#pragma once
// The games of a match: the plan's, with its sight, and with the bugs that are planted in it. A
// server and each client may have a game of its own.

#include "engine/world.h"
#include "tests/simulator/plan.h"
#include "tests/support/changed_game.h"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace tickbox::simulator {

class PlantedGames {
 public:
  explicit PlantedGames(const Plan& plan);
  PlantedGames(const PlantedGames&) = delete;
  PlantedGames& operator=(const PlantedGames&) = delete;

  /// The game without a bug.
  [[nodiscard]] const GameTable& sound_game() const { return game_; }

  [[nodiscard]] const GameTable& of_room() const { return room_ ? *room_ : game_; }

  [[nodiscard]] const GameTable& of_client(std::size_t client) const;

 private:
  using Bytes = std::vector<std::byte>;

  void step_twice(const tests::MidTick& tick);
  void keep(const tests::MidTick& tick);

  const Plan& plan_;
  GameTable game_;
  std::optional<tests::ChangedGame> room_;
  std::optional<tests::ChangedGame> client_;
  std::map<std::uint16_t, Bytes> before_;  ///< by seat: the input of the tick before
  std::deque<std::vector<Bytes>> kept_;    ///< inputs that are never freed
};

}  // namespace tickbox::simulator
