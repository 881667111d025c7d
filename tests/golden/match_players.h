#pragma once
// Players of the arena who decide by dice, and leave and join as they go.

#include "core/rng.h"
#include "game/input.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tickbox::golden {

inline constexpr std::uint16_t kMatchPlayers = 16;
/// The seed of the rooms in which they play.
inline constexpr std::uint64_t kMatchSeed = 5'000'013;

class MatchPlayers {
 public:
  std::vector<PlayerId> leaves;
  std::vector<PlayerId> joins;
  std::vector<game::PlayerInput> inputs;

  /// Draws what they do in a tick.
  void draw(std::uint32_t tick);

 private:
  std::array<bool, kMatchPlayers> is_here_{};
  Rng dice_{kMatchSeed + 1};
  std::array<game::Input, kMatchPlayers> held_{};
};

}  // namespace tickbox::golden
