#include "tests/golden/match_players.h"

#include "tests/golden/scene.h"

#include <utility>

namespace tickbox::golden {
namespace {

/// A player is away for this long once in a while, one after the other.
constexpr std::uint32_t kTicksAway = 40;
static_assert(kTicksAway * kMatchPlayers < kTicks / 2);

game::Input decide(Rng& rng, game::Input before) {
  game::Input input = before;
  if (rng.chance(1, 20)) {
    input.move = static_cast<std::uint8_t>(rng.below(game::kMoveDirections + 1));
  }
  input.buttons = rng.chance(1, 6) ? game::kButtonShoot : std::uint8_t{0};
  input.aim = static_cast<std::uint16_t>(rng.below(game::kAimDirections));
  return input;
}

}  // namespace

void MatchPlayers::draw(std::uint32_t tick) {
  joins.clear();
  leaves.clear();
  inputs.clear();
  for (std::uint16_t i = 0; i < kMatchPlayers; ++i) {
    const bool is_here = tick / kTicksAway % (kMatchPlayers + 1) != i + 1U;
    const bool was_here = std::exchange(is_here_[i], is_here);
    if (is_here && !was_here) joins.push_back({i});
    if (was_here && !is_here) leaves.push_back({i});
    if (!is_here) continue;
    held_[i] = decide(dice_, held_[i]);
    inputs.push_back({{i}, held_[i]});
  }
}

}  // namespace tickbox::golden
