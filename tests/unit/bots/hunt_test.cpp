// The bot of the bomber: it plays so that rounds end.

#include "games/bomber/bomber.h"
#include "tests/support/declared_values.h"
#include "tests/unit/bots/bot_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tickbox::bots {
namespace {

struct Rounds {
  int ended = 0;
  int won = 0;
  std::int64_t longest = 0;  ///< ticks
};

/// Plays until `count` rounds have ended, for at most half an hour.
Rounds play_rounds(int count, const tests::BotMatchOptions& options) {
  tests::BotMatch match{games::bomber(), options};
  const auto room = [&](std::string_view field) {
    return tests::field_value(games::bomber().room, match.world().room(), field);
  };
  Rounds rounds;
  std::int64_t next_at = 0;
  for (std::uint32_t tick = 0; tick < 1'800 * options.tick_rate && rounds.ended < count; ++tick) {
    match.step();
    if (room("next_at") > next_at) {
      ++rounds.ended;
      rounds.won += room("winner") != Player::kNobody ? 1 : 0;
      rounds.longest =
          std::max(rounds.longest, std::int64_t{match.world().tick.value} - room("began_at"));
    }
    next_at = room("next_at");
  }
  return rounds;
}

TEST(Hunt, FinishesTenRounds) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Rounds rounds = play_rounds(
        10, {.style = tests::style_named(games::bomber(), "hunt"), .seed = seed, .players = 4});
    EXPECT_EQ(rounds.ended, 10) << "seed " << seed;
    EXPECT_GE(rounds.won, 5) << "seed " << seed;
    EXPECT_LE(rounds.longest, 120 * 60) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tickbox::bots
