// Every view that a client makes of the server's snapshots is the truth to the bit. Snapshots may
// be lost, late or acknowledged out of order. A client may see little, and the budget may be small.
//
// Rooms are drawn from seeds, with some watchers each: the planner on one side, a snapshot world on
// the other, and a random link between them.

#include "games/arena/arena.h"
#include "tests/property/any_stepper.h"
#include "tests/property/random_match.h"
#include "tests/property/watcher.h"
#include "tests/support/arena_wrappers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace tickbox::test {
namespace {

constexpr std::uint16_t kWatchers = 4;
constexpr std::uint32_t kTicks = 600;
constexpr std::uint64_t kSeeds = 400;

template <class Rules>
void watch_room(std::uint64_t seed, Watched& watched) {
  Rng rng{seed};
  const game::SharedMap map = random_ground(rng);
  const std::uint32_t rate = random_tick_rate(rng);
  server::Room room{map, std::make_shared<const Rules>(rate), seed, rate};
  RandomPlayers players{seed + 1, *map, kWatchers};
  room.tick(players.next(room.world()));
  std::vector<Watcher> watchers;
  watchers.reserve(kWatchers);
  for (std::uint16_t seat = 0; seat < kWatchers; ++seat) {
    watchers.emplace_back(room, PlayerId{seat}, server::base_age_max(rate), seed << 8 | seat);
  }
  for (std::uint32_t tick = 0; tick < kTicks; ++tick) {
    room.tick(players.next(room.world()));
    for (Watcher& watcher : watchers) {
      watcher.tick(room, watched);
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Views, AreTheTruthHoweverTheyAreTold) {
  Watched watched;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    watch_room<game::Arena>(seed, watched);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  if (seeds(kSeeds).size() < kSeeds) return;
  EXPECT_GT(watched.views, 200'000U);
  EXPECT_GT(watched.causes, watched.views) << "nothing happens: nothing is proven";
  EXPECT_GT(watched.sets, 50'000U) << "nobody meets who is out of sight: nothing is proven";
  EXPECT_GT(watched.leaves, 50'000U);
  EXPECT_GT(watched.enters, 50'000U);
  EXPECT_GT(watched.waiting, 50'000U) << "there is room for everybody: nothing is proven";
  EXPECT_GT(watched.full, 10'000U);
  EXPECT_LT(watched.full, watched.views / 2);
  EXPECT_EQ(watched.oldest_base, protocol::kBaseAgeMax);
  EXPECT_GT(watched.from_base, 2'000U) << "the newest view always has everybody";
}

TEST(Views, AreTheTruthByRulesThatAreToldWhole) {
  Watched watched;
  for (const std::uint64_t seed : seeds(kSeeds / 10)) {
    watch_room<tests::ToldWhole>(seed, watched);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_EQ(watched.causes, 0U);
  EXPECT_GT(watched.sets, 0U);
}

}  // namespace
}  // namespace tickbox::test
