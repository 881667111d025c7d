// What the log of a match has of its last ticks. A cause that it lacks or has wrong makes a view
// wrong: tests/property/any_game/views_test.cpp.

#include "server/match/match_history.h"

#include "core/rng.h"
#include "engine/map.h"
#include "games/arena/arena.h"
#include "server/match/sent_views.h"
#include "tests/support/allocations.h"
#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::server::match_history_test {
namespace {

constexpr std::size_t kValues = 3;
constexpr std::uint32_t kTicks = protocol::kTicksRemembered;

/// A change log against the list of all changes.
class ChangeLogTest : public ::testing::Test {
 protected:
  struct Noted {
    Tick tick;
    Payload payload;
  };

  void begin() { log_.begin(tick_ = tick_ + 1); }

  void note(std::size_t value, std::uint32_t bits) {
    const Payload payload{.value = ++number_, .bits = bits, .number = number_};
    log_.add(value, payload);
    all_[value].push_back({.tick = tick_, .payload = payload});
  }

  /// Compares what the log has of a value since `base` with the list.
  void check(std::size_t value, Tick base) const {
    std::uint64_t ticks = 0;
    PayloadSum sum;
    for (const Noted& noted : all_[value]) {
      if (noted.tick <= base) continue;
      const auto ago = static_cast<std::uint32_t>(tick_ - noted.tick);
      ticks |= std::uint64_t{1} << ago;
      ++sum.count;
      sum.bits += noted.payload.bits;
      ASSERT_EQ(log_.change(value, ago).value, noted.payload.value);
    }
    ASSERT_EQ(log_.ticks_since(value, base), ticks) << tick_.value << " since " << base.value;
    const PayloadSum said = log_.sum_since(value, base);
    ASSERT_EQ(said.count, sum.count) << tick_.value << " since " << base.value;
    ASSERT_EQ(said.bits, sum.bits) << tick_.value << " since " << base.value;
  }

  ChangeHistory log_{kValues};
  Tick tick_;
  std::uint32_t number_ = 0;
  std::array<std::vector<Noted>, kValues> all_;
};

TEST_F(ChangeLogTest, SumsUpWhatAWalkOverAllChangesSumsUp) {
  Rng rng{5};
  const std::array<std::uint64_t, kValues> chances = {1, 8, 60};  // of 64, each tick
  for (std::uint32_t i = 0; i < 10 * kTicks; ++i) {
    begin();
    for (std::size_t value = 0; value < kValues; ++value) {
      if (rng.chance(chances[value], 64))
        note(value, 1 + static_cast<std::uint32_t>(rng.below(200)));
      for (std::uint32_t age = 0; age < kTicks && age <= tick_.value; ++age) {
        ASSERT_NO_FATAL_FAILURE(check(value, {tick_.value - age}));
      }
    }
  }
  EXPECT_GT(number_, 100U);
}

// The running number of bits is modulo 2^32.
TEST_F(ChangeLogTest, SumsUpOverTheEndOfItsNumbers) {
  for (std::uint32_t i = 0; i < 2 * kTicks; ++i) {
    begin();
    note(0, 0x1000'0000);
    if (i < 14) continue;
    EXPECT_EQ(log_.sum_since(0, {tick_.value - 15}).bits, 15U * 0x1000'0000U);
  }
}

// A room of a thousand seats, most of them empty, takes little memory.
TEST_F(ChangeLogTest, TakesMemoryByTheValuesThatHaveChanged) {
  const std::uint64_t before = tests::live_bytes();
  ChangeHistory log{1'000};
  log.begin({1});
  EXPECT_LT(tests::live_bytes() - before, 40'000U);
  log.add(7, {.bits = 3});
  EXPECT_LT(tests::live_bytes() - before, 50'000U);
  EXPECT_EQ(log.sum_since(7, {0}).bits, 3U);
  EXPECT_EQ(log.sum_since(900, {0}).bits, 0U);
}

// Links, causes and payloads of 64 ticks: what the seats of a room may need, once they are taken.
TEST(MatchHistory, SeatsThatNobodyTakesHaveNoMemoryForLists) {
  constexpr std::uint32_t kSeats = 500;
  const GameTable& game = games::arena();
  const engine::World world{game, engine::make_map(game, {.seats = kSeats}, kPlannedRate),
                            kPlannedRate, 1};
  const std::uint64_t before = tests::live_bytes();
  const MatchHistory history{world, base_age_max(kPlannedRate)};
  EXPECT_LT(tests::live_bytes() - before, kSeats * 2'000U);
}

/// Seats 0 and 1 are two units apart, seat 2 is far away.
class MatchLogTest : public ::testing::Test {
 protected:
  MatchLogTest() { match_.tick(); }

  [[nodiscard]] MatchHistory& history() { return match_.match().history(); }

  [[nodiscard]] bool are_joined(SlotId a, SlotId b, Tick base) {
    Islands& islands = history().islands_since(base);
    return islands.root_of(a) == islands.root_of(b);
  }

  FieldMatch match_{{units(0, 0), units(2, 0), units(0, 300)}, 8};
};

// Contacts from before a view are no news to a client that holds it.
TEST_F(MatchLogTest, KnowsIslandsSinceEachBaseAlone) {
  match_.put({units(0, 0), {kUnit + kUnit / 16, 0}});
  const Tick before = match_.now();
  match_.tick({{.seat = 0, .pad = kRight}});
  const Tick met = match_.now();
  ASSERT_TRUE(are_joined(match_.slot(0), match_.slot(1), before));
  match_.tick({{.seat = 0, .pad = kLeft}});
  match_.tick({{.seat = 0, .pad = kLeft}});
  const Tick apart = match_.now();
  const std::uint32_t age = history().base_age_max();
  while (match_.now() - before < age) {
    match_.tick();
    ASSERT_TRUE(are_joined(match_.slot(0), match_.slot(1), before));
    for (Tick base = apart; base < match_.now(); base = base + 1) {
      ASSERT_FALSE(are_joined(match_.slot(0), match_.slot(1), base)) << base.value;
    }
  }
  EXPECT_GE(apart, met);
}

TEST_F(MatchLogTest, ForgetsWhatHappenedLongAgo) {
  match_.command_paint(1, 40);
  match_.tick({{.seat = 1, .pad = kDown}, {.seat = 2, .pad = kShoot}});
  const Tick then = match_.now();
  for (std::uint32_t ago = 0; ago < kTicks - 1; ++ago) {
    EXPECT_EQ(history().inputs().ticks_since(1, {then.value - 1}), std::uint64_t{1} << ago);
    EXPECT_EQ(history().outcomes().causes_of(then).size(), 1U);
    EXPECT_EQ(history().spawns().causes_of(then).size(), 1U);
    match_.tick();
  }
  for (std::uint32_t i = 0; i < 2 * kTicks; ++i) {
    match_.tick();
    EXPECT_EQ(history().inputs().ticks_since(1, {match_.now().value - kTicks + 1}), 0U);
    EXPECT_TRUE(history().outcomes().causes_of(then).empty());
    EXPECT_TRUE(history().spawns().causes_of(then).empty());
  }
}

/// Idle ticks against the same number of ticks that were stepped, after the last player has left:
/// nothing moves in this match, so both must have the same history.
void expect_idle_as_stepped(std::uint32_t idle) {
  SCOPED_TRACE(idle);
  const std::vector<Vec2> places{units(0, 0), units(2, 0), units(0, 300)};
  FieldMatch rests{places, 8};
  FieldMatch steps{places, 8};
  for (FieldMatch* match : {&rests, &steps}) {
    match->command_paint(1, 40);
    match->tick({{.seat = 1, .pad = kDown}, {.seat = 2, .pad = kShoot}});
    match->command_rain(3);
    match->tick();
    match->leave({0, 1, 2});
  }
  const Tick left = rests.now();
  const std::vector<std::uint64_t> hashes = rests.match().state().hashes;
  ASSERT_FALSE(hashes.empty());
  for (std::uint32_t i = 0; i < idle; ++i) {
    rests.match().tick({.is_idle = true});
    EXPECT_EQ(&rests.match().state(), rests.match().state_after(rests.now()));
    steps.tick();
  }
  for (FieldMatch* match : {&rests, &steps}) {
    match->join({0, 2});
    match->tick({{.seat = 2, .pad = kRight}});
  }
  ASSERT_EQ(rests.now(), steps.now());
  MatchHistory& rested = rests.match().history();
  MatchHistory& stepped = steps.match().history();
  for (Tick base = rests.now(); base.value > 0; base = {base.value - 1}) {
    const std::int64_t age = rests.now() - base;
    if (age >= std::int64_t{kTicks}) break;
    for (std::size_t seat = 0; seat < 3; ++seat) {
      ASSERT_EQ(rested.inputs().ticks_since(seat, base), stepped.inputs().ticks_since(seat, base));
      ASSERT_EQ(rested.inputs().sum_since(seat, base).bits,
                stepped.inputs().sum_since(seat, base).bits);
    }
    ASSERT_EQ(rested.room().ticks_since(0, base), stepped.room().ticks_since(0, base));
    ASSERT_EQ(rested.outcomes().causes_of(base).size(), stepped.outcomes().causes_of(base).size());
    ASSERT_EQ(rested.spawns().causes_of(base).size(), stepped.spawns().causes_of(base).size());
    ASSERT_EQ(rested.payloads(base).size(), stepped.payloads(base).size());
    if (age <= std::int64_t{rested.base_age_max()}) {
      EXPECT_EQ(rested.islands_since(base).root_of(0), stepped.islands_since(base).root_of(0));
    }
    const StateAt* state = rests.match().state_after(base);
    ASSERT_NE(state, nullptr) << base.value;
    if (base >= left && base <= left + idle) {
      EXPECT_EQ(state->hashes, hashes) << base.value;
    }
  }
}

TEST(MatchLog, HasIdleTicksAsTicksInWhichNothingHappened) {
  for (const std::uint32_t idle : {1U, 2U, kTicks - 1, kTicks, kTicks + 1, 5 * kTicks + 3}) {
    expect_idle_as_stepped(idle);
  }
}

}  // namespace
}  // namespace tickbox::server::match_history_test
