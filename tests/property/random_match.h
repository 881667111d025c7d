#pragma once
// Arena matches drawn from a seed, on grounds so small that everybody keeps meeting everybody:
// players run, push crates, shoot with gun and ray, come and go.

#include "core/rng.h"
#include "game/map.h"
#include "game/step.h"
#include "game/world.h"

#include <cstdint>
#include <vector>

namespace tickbox::test {

/// A walled field with crates, blocks and thin walls between its places to appear at.
[[nodiscard]] game::SharedMap random_ground(Rng& rng);

/// One of the rates that matches are played at: from steps as wide as a body to small ones.
[[nodiscard]] std::uint32_t random_tick_rate(Rng& rng);

/// What enters each tick of a match from outside.
class RandomPlayers {
 public:
  /// Whoever has a seat below `residents` comes with the first tick and never leaves.
  RandomPlayers(std::uint64_t seed, const game::Map& map, std::uint16_t residents);

  /// Of the next tick of `world`; a ray strikes anybody. Valid until the next call.
  game::TickCommands next(const game::World& world);

 private:
  struct Player {
    bool plays = false;
    bool is_calm = false;  ///< never shoots: so that crowds last
    game::Input input;
  };

  void come_and_go();
  void draw_inputs();
  void draw_strikes(const game::World& world);

  Rng rng_;
  std::uint16_t residents_;
  std::vector<Player> players_;  ///< by seat
  std::vector<PlayerId> leaves_;
  std::vector<PlayerId> joins_;
  std::vector<game::PlayerInput> inputs_;
  std::vector<game::Strike> strikes_;
};

}  // namespace tickbox::test
