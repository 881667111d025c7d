#pragma once
// Players of the arena who decide by dice, leave and join again.

#include "core/rng.h"
#include "engine/tick_record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::golden {

inline constexpr std::uint16_t kMatchPlayers = 16;
/// The seed of the rooms in which they play.
inline constexpr std::uint64_t kMatchSeed = 5'000'013;

class MatchPlayers {
 public:
  MatchPlayers();

  /// Draws what they do in a tick. The request is valid until the next call.
  engine::TickRequest draw(std::uint32_t tick);

 private:
  void decide(std::uint16_t player);

  std::array<bool, kMatchPlayers> is_here_{};
  Rng dice_{kMatchSeed + 1};
  std::array<std::vector<std::byte>, kMatchPlayers> held_;  ///< the input of each
  std::vector<Player> leaves_;
  std::vector<engine::Join> joins_;
  std::vector<engine::PlayerInput> inputs_;
};

}  // namespace tickbox::golden
