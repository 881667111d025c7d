// The bot of the platformer: it plays each course to its goal.

#include "games/platformer/platformer.h"
#include "tests/support/declared_values.h"
#include "tests/unit/bots/bot_match.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tickbox::bots {
namespace {

struct Finished {
  std::int64_t meadow = 0;
  std::int64_t tower = 0;
};

Finished finished_in(const tests::BotMatch& match, std::uint16_t seat) {
  const TypeInfo& type = games::platformer().seat;
  const FieldInfo& field = tests::field_of(type, "finished");
  const ConstBytes state = match.world().seat_state({seat});
  return {.meadow = engine::value_of(field, 0, state), .tower = engine::value_of(field, 1, state)};
}

TEST(Race, ReachesTheGoalOfBothCoursesWithinTwoMinutes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    tests::BotMatch match{
        games::platformer(),
        {.style = tests::style_named(games::platformer(), "race"), .seed = seed, .players = 1}};
    match.run(120 * 60);
    const Finished finished = finished_in(match, 0);
    EXPECT_GE(finished.meadow, 1) << "seed " << seed;
    EXPECT_GE(finished.tower, 1) << "seed " << seed;
  }
}

TEST(Race, ReachesThemAmongOthersAtOtherTickRates) {
  for (const std::uint32_t rate : {20U, 30U, 60U, 128U}) {
    tests::BotMatch match{games::platformer(),
                          {.style = tests::style_named(games::platformer(), "race"),
                           .tick_rate = rate,
                           .players = 6}};
    match.run(240 * rate);
    for (std::uint16_t seat = 0; seat < 6; ++seat) {
      const Finished finished = finished_in(match, seat);
      EXPECT_GE(finished.meadow, 1) << "seat " << seat << " at " << rate << " Hz";
      EXPECT_GE(finished.tower, 1) << "seat " << seat << " at " << rate << " Hz";
    }
  }
}

}  // namespace
}  // namespace tickbox::bots
