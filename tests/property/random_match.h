#pragma once
// Arena matches drawn from a seed, on maps so small that players meet all the time. They run, push
// crates, shoot with gun and ray, join and leave.

#include "core/rng.h"
#include "game/map.h"
#include "game/step.h"
#include "game/world.h"

#include <cstdint>
#include <vector>

namespace tickbox::test {

/// A walled field with crates, blocks and thin walls between its spawn points.
[[nodiscard]] game::SharedMap random_ground(Rng& rng);

/// A tick rate of real matches. At 15 Hz a player runs half its width in a tick, at 60 Hz an
/// eighth.
[[nodiscard]] std::uint32_t random_tick_rate(Rng& rng);

/// Draws the commands of each tick of a match.
class RandomPlayers {
 public:
  /// Players with seats below `residents` join in the first tick and never leave.
  RandomPlayers(std::uint64_t seed, const game::Map& map, std::uint16_t residents);

  /// Returns the commands of the next tick of `world`; a ray may strike any player. Valid until the
  /// next call.
  game::TickCommands next(const game::World& world);

 private:
  struct Player {
    bool plays = false;
    bool is_calm = false;  ///< never shoots, so that crowds last
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
