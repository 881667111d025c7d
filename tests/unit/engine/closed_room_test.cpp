// A game that closes its room, and the match that opens after it.

#include "engine/declared.h"
#include "engine/log/tick_log.h"
#include "engine/map.h"
#include "package/laws/random_match.h"
#include "tests/support/short_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::engine {
namespace {

constexpr std::uint32_t kRate = 60;

/// A random match, and a replay of its log.
class ClosedRoomTest : public ::testing::Test {
 protected:
  ClosedRoomTest() { reader_.begin(world()); }

  void step() {
    match_.draw();
    match_.step();
    std::vector<std::uint64_t> clients(count(OutcomeKind::Joined));
    ASSERT_TRUE(is_valid(replayed_, match_.record()));
    DecodedTick tick;
    ASSERT_TRUE(
        reader_.read(log_.tick(match_.record(), {.sources = {}, .clients = clients}), tick));
    stepper_.replay(replayed_, tick.record);
    ASSERT_EQ(state_hash(replayed_), state_hash(world()));
  }

  /// Steps until the game closes the room.
  void play_match() {
    do {
      step();
    } while (!match_.record().closes_match());
  }

  [[nodiscard]] const World& world() const { return std::as_const(match_).world(); }

  [[nodiscard]] std::size_t count(OutcomeKind kind) const {
    return static_cast<std::size_t>(
        std::ranges::count(match_.record().outcomes, kind, &Outcome::kind));
  }

  [[nodiscard]] std::int64_t room_value(std::size_t field) const {
    return value_of(world().game().room.fields()[field], 0, world().room());
  }

  laws::RandomMatch match_{tests::short_match(),
                           make_map(tests::short_match(), {.seats = 6}, kRate),
                           {.seed = 3, .tick_rate = kRate, .seats = 6}};
  World replayed_{match_.world()};
  TickLog log_{match_.world()};
  TickLogReader reader_{tests::short_match()};
  Stepper stepper_;
};

TEST_F(ClosedRoomTest, TheNextMatchOpensInTheNextTick) {
  for (std::uint32_t match = 1; match <= 20; ++match) {
    play_match();
    const Tick closed = world().tick;
    EXPECT_EQ(closed.value, match * kRate + match - 1) << "a second each, from when they open";
    const std::size_t gems = world().rows_of_kind(tests::kShortMatchGem);
    step();
    EXPECT_EQ(world().tick, closed + 1);
    EXPECT_EQ(count(OutcomeKind::Removed), gems);
    EXPECT_EQ(count(OutcomeKind::Spawned), tests::kShortMatchGems + count(OutcomeKind::Joined));
    EXPECT_EQ(world().rows_of_kind(tests::kShortMatchPawn), count(OutcomeKind::Joined));
    EXPECT_EQ(room_value(0), closed.value + 1 + kRate);
  }
}

TEST_F(ClosedRoomTest, NobodyStaysAndNoHookRunsForThoseWhoGo) {
  play_match();
  const auto players =
      static_cast<std::size_t>(std::ranges::count_if(world().seats(), &SeatInfo::taken));
  ASSERT_GT(players, 0U);
  step();
  EXPECT_EQ(count(OutcomeKind::Left), players);
  EXPECT_EQ(room_value(1), 0) << "departures";
  const auto stayed =
      static_cast<std::size_t>(std::ranges::count_if(world().seats(), &SeatInfo::taken));
  EXPECT_EQ(stayed, count(OutcomeKind::Joined));
}

}  // namespace
}  // namespace tickbox::engine
