// One stepper for the worlds of several games, by turns.

#include "engine/stepper.h"
#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "games/platformer/platformer.h"
#include "package/laws/random_match.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace tickbox::engine::shared_stepper_test {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 6;

/// A random match, and the world that another stepper replays beside it.
struct Pair {
  explicit Pair(const GameTable& game)
      : match(game, make_map(game, {.seats = kSeats}, kRate),
              {.seed = 5, .tick_rate = kRate, .seats = kSeats}),
        replayed(match.world()) {}

  laws::RandomMatch match;
  World replayed;
};

// Before the fix, a stepper had too little memory for the larger entities of the next game.
TEST(SharedStepper, StepsTheWorldsOfSeveralGames) {
  std::vector<const GameTable*> games{&games::arena(), &games::bomber(), &games::platformer(),
                                      &tests::menagerie()};
  std::ranges::sort(games, {}, &GameTable::state_bytes);
  ASSERT_LT(games.front()->state_bytes, games.back()->state_bytes);
  std::deque<Pair> pairs;
  for (const GameTable* game : games) {
    pairs.emplace_back(*game);
  }
  Stepper stepper;
  for (int tick = 0; tick < 200; ++tick) {
    for (Pair& pair : pairs) {
      pair.match.draw();
      pair.match.step();
      stepper.replay(pair.replayed, pair.match.record());
      ASSERT_EQ(state_hash(pair.replayed), state_hash(pair.match.world()))
          << pair.replayed.game().name << ", tick " << tick;
    }
  }
}

}  // namespace
}  // namespace tickbox::engine::shared_stepper_test
