// `replay play` without its terminal: which tick the keys show, and the world at any tick.

#include "client/commands/replay/replay_controls.h"
#include "client/commands/replay/replay_cursor.h"
#include "engine/state_hasher.h"
#include "games/catalog.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace tickbox::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kStart{std::chrono::hours{1}};

/// A recording of 100 seconds at 60 Hz, from tick 100 on.
constexpr ReplayRange kRange{.first = {100}, .last = {6'100}, .tick_rate = 60};

class ReplayControlsTest : public ::testing::Test {
 protected:
  void press(std::string_view name) {
    controls_.handle({.type = terminal::KeyEvent::Type::Down, .key = *terminal::key_named(name)},
                     now_);
  }

  void pass(Duration time) { now_ += time; }

  [[nodiscard]] std::uint32_t tick() { return controls_.tick(now_).value; }

  Instant now_ = kStart;
  ReplayControls controls_{kRange, kRange.first, kStart};
};

TEST_F(ReplayControlsTest, PlaysAtTheRateOfTheMatch) {
  EXPECT_EQ(tick(), 100U);
  pass(seconds{2});
  EXPECT_EQ(tick(), 220U);
  EXPECT_TRUE(controls_.is_playing());
}

TEST_F(ReplayControlsTest, SpacePausesAndPlaysOn) {
  pass(seconds{1});
  press("space");
  pass(seconds{5});
  EXPECT_EQ(tick(), 160U);
  EXPECT_FALSE(controls_.is_playing());
  press("space");
  pass(seconds{1});
  EXPECT_EQ(tick(), 220U);
}

TEST_F(ReplayControlsTest, PointAndCommaStepATickAndPause) {
  pass(seconds{1});
  press(".");
  EXPECT_EQ(tick(), 161U);
  pass(seconds{1});
  EXPECT_EQ(tick(), 161U);
  press(",");
  press(",");
  EXPECT_EQ(tick(), 159U);
}

TEST_F(ReplayControlsTest, ArrowsAndBracketsMoveByTimeWhileItPlays) {
  press("]");
  EXPECT_EQ(tick(), 700U);
  press("right");
  EXPECT_EQ(tick(), 760U);
  pass(seconds{1});
  EXPECT_EQ(tick(), 820U);
  press("left");
  press("left");
  EXPECT_EQ(tick(), 700U);
  press("[");
  press("[");
  EXPECT_EQ(tick(), 100U) << "the first tick";
}

TEST_F(ReplayControlsTest, PausesAtTheEndAndBeginsAgain) {
  pass(seconds{101});
  EXPECT_EQ(tick(), 6'100U);
  EXPECT_FALSE(controls_.is_playing());
  press("]");
  EXPECT_EQ(tick(), 6'100U);
  press("space");
  EXPECT_EQ(tick(), 100U);
  EXPECT_TRUE(controls_.is_playing());
}

TEST_F(ReplayControlsTest, GoesToATick) {
  press("space");
  press("g");
  for (const std::string_view digit : {"4", "2", "0"}) {
    press(digit);
  }
  EXPECT_EQ(controls_.typed(), "420");
  EXPECT_EQ(tick(), 100U);
  press("enter");
  EXPECT_EQ(tick(), 420U);
  EXPECT_FALSE(controls_.typed());
}

TEST_F(ReplayControlsTest, ATickOutsideOfTheRecordingIsItsNearest) {
  for (const auto& [digits, expected] :
       std::map<std::string_view, std::uint32_t>{{"7", 100}, {"9999999999", 6'100}, {"", 100}}) {
    press("space");
    press("g");
    for (const char digit : digits) {
      press(std::string_view{&digit, 1});
    }
    press("enter");
    EXPECT_EQ(tick(), expected) << digits;
  }
}

TEST_F(ReplayControlsTest, AnotherKeyEndsTheNumberAndCounts) {
  press("space");
  press("g");
  press("5");
  press(".");
  EXPECT_EQ(tick(), 101U);
  EXPECT_FALSE(controls_.typed());
}

TEST_F(ReplayControlsTest, LeavesByQAndCtrlC) {
  EXPECT_FALSE(controls_.has_left());
  press("q");
  EXPECT_TRUE(controls_.has_left());
  ReplayControls others{kRange, kRange.first, kStart};
  others.handle({.type = terminal::KeyEvent::Type::Interrupt}, kStart);
  EXPECT_TRUE(others.has_left());
}

TEST_F(ReplayControlsTest, TabRequestsTheNextPlayerOnce) {
  press("tab");
  EXPECT_TRUE(controls_.consume_next_player());
  EXPECT_FALSE(controls_.consume_next_player());
}

/// A recording of three segments in a file, and its worlds by tick.
class ReplayCursorTest : public os::FolderTest {
 protected:
  /// The hash of the world after each tick, stepped once from start to end.
  [[nodiscard]] std::map<Tick, std::uint64_t> hashes() const {
    std::map<Tick, std::uint64_t> all;
    record::Replayer replayer{match_.reader(), *match_.setting.game, match_.setting.map};
    while (replayer.next()) {
      all[replayer.world().tick] = replayer.hash();
    }
    return all;
  }

  Output output_{.name = "test", .common = {.quiet = true}, .games = games::all_games()};
  std::vector<std::byte> bytes_ = tests::small_recording(3, 20);
  std::string path_ =
      folder_.write("match", {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
  RecordedMatch match_ = *open_match(path_, output_);
};

TEST_F(ReplayCursorTest, HasTheWorldOfEachTickInAnyOrder) {
  const std::map<Tick, std::uint64_t> all = hashes();
  ReplayCursor cursor{match_, record::segments_of(match_.reader())};
  EXPECT_EQ(cursor.first(), all.begin()->first);
  EXPECT_EQ(cursor.last(), all.rbegin()->first);
  std::vector<Tick> ticks;
  for (const auto& [tick, hash] : all) {
    ticks.push_back(tick);
    ticks.push_back(Tick{cursor.last().value - tick.value});
    ticks.push_back(Tick{tick.value * 37 % (cursor.last().value + 1)});
  }
  engine::StateHasher hasher;
  for (const Tick tick : ticks) {
    if (!all.contains(tick)) continue;
    cursor.seek(tick);
    ASSERT_NE(cursor.world(), nullptr);
    EXPECT_EQ(cursor.world()->tick, tick);
    EXPECT_EQ(hasher.hash(*cursor.world()), all.at(tick)) << tick.value;
  }
  EXPECT_EQ(cursor.mismatched(), 0U);
}

// Before the fix, a jump over a keyframe began at the keyframe, and the ticks before the keyframe
// were not stepped. And each step back counted the same ticks again.
TEST_F(ReplayCursorTest, CountsEachTickThatDiffersOnce) {
  const auto bytes =
      tests::small_recording(3, 12, {.seed = 4, .forge = [](Tick tick, tests::Told& told) {
                                       if (tick == Tick{17}) tests::turn_round(told);
                                     }});
  const std::string path =
      folder_.write("forged", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const RecordedMatch forged = *open_match(path, output_);
  ReplayCursor cursor{forged, record::segments_of(forged.reader())};
  cursor.seek({14});
  cursor.seek({23});
  EXPECT_EQ(cursor.mismatched(), 7U);
  cursor.seek({26});
  EXPECT_EQ(cursor.mismatched(), 8U) << "from tick 17 to the keyframe of tick 24";
  cursor.seek({20});
  cursor.seek({36});
  EXPECT_EQ(cursor.mismatched(), 8U);
}

TEST_F(ReplayCursorTest, AMissingTickIsTheNearestOne) {
  ReplayCursor cursor{match_, record::segments_of(match_.reader())};
  const Tick last = cursor.last();
  cursor.seek(Tick{last.value + 1'000});
  EXPECT_EQ(cursor.world()->tick, last);
}

}  // namespace
}  // namespace tickbox::commands
