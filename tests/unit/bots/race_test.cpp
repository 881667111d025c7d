// The bot of the platformer: it plays each map to its goal.

#include "games/platformer/platformer.h"
#include "tests/support/declared_values.h"
#include "tests/unit/bots/bot_match.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace tickbox::bots {
namespace {

std::int64_t finished_in(const tests::BotMatch& match, std::uint16_t seat) {
  return tests::field_value(games::platformer().seat, match.world().seat_state({seat}), "finished");
}

TEST(Race, ReachesTheGoalOfEachMapWithinAMinute) {
  for (const std::string_view map : games::platformer().maps) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      tests::BotMatch match{games::platformer(),
                            {.style = tests::style_named(games::platformer(), "race"),
                             .seed = seed,
                             .players = 1,
                             .map = map}};
      match.run(60 * 60);
      EXPECT_GE(finished_in(match, 0), 1) << map << " seed " << seed;
    }
  }
}

TEST(Race, ReachesThemAmongOthersAtOtherTickRates) {
  for (const std::string_view map : games::platformer().maps) {
    for (const std::uint32_t rate : {20U, 30U, 60U, 128U}) {
      tests::BotMatch match{games::platformer(),
                            {.style = tests::style_named(games::platformer(), "race"),
                             .tick_rate = rate,
                             .players = 6,
                             .map = map}};
      match.run(120 * rate);
      for (std::uint16_t seat = 0; seat < 6; ++seat) {
        EXPECT_GE(finished_in(match, seat), 1)
            << map << " seat " << seat << " at " << rate << " Hz";
      }
    }
  }
}

}  // namespace
}  // namespace tickbox::bots
