#include "game/tick_log.h"

#include "core/rng.h"
#include "tests/support/allocations.h"
#include "tests/support/altered.h"
#include "tests/support/bytes.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::game {
namespace {

using enum InputSource;
using tests::altered;
using tests::bytes;
using tests::Bytes;
using tests::RecordedMatch;

Bytes copy_of(ConstBytes bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Returns a world with `seats` seats and an empty map. No test steps it.
World room_of(std::uint32_t seats) {
  auto map = std::make_shared<Map>();
  map->statics = std::make_shared<const sim::Statics>(std::vector<sim::Body>{});
  map->seats = seats;
  return World{std::move(map), {}, 0};
}

/// The log of such a room from its first tick on, and what is read of it.
class Log {
 public:
  explicit Log(std::uint32_t seats) : world_(room_of(seats)), log_(world_) {
    Bytes keyframe;
    log_.keyframe(world_, 0, keyframe);
    LoggedWorld world;
    EXPECT_TRUE(decode_keyframe(keyframe, world));
    reader_.begin(world);
  }

  /// Writes a tick, and reads it again.
  Bytes tick(const LoggedTick& told) {
    const ConstBytes written =
        log_.tick(told.commands(), {.sources = told.sources, .clients = told.clients});
    EXPECT_TRUE(std::ranges::equal(written, log_.bytes()));
    EXPECT_TRUE(reader_.read(written, read_));
    return copy_of(written);
  }

  /// Of one player.
  Bytes tick(PlayerId player, const Input& input, InputSource source) {
    return tick({.inputs = {{.player = player, .input = input}}, .sources = {source}});
  }

  [[nodiscard]] const TickLog& log() const { return log_; }

  /// What was read last.
  [[nodiscard]] const LoggedTick& read() const { return read_; }

 private:
  World world_;
  TickLog log_;
  TickLogReader reader_;
  LoggedTick read_;
};

constexpr std::uint64_t kClient = 0x0102'0304'0506'0708;

// Exact bytes.

TEST(TickLog, OfATickThatNothingEnteredIsEmpty) {
  Log log{8};
  EXPECT_EQ(log.tick({}), bytes({}));
  EXPECT_TRUE(log.log().is_quiet());
  EXPECT_EQ(log.log().last(), Tick{1});
  EXPECT_EQ(log.read(), LoggedTick{});
}

TEST(TickLog, OfAJoinIsTheSeatAndTheClient) {
  Log log{8};
  EXPECT_EQ(log.tick({.joins = {{5}}, .clients = {kClient}}),
            bytes({2, 1,                       // joins: one
                   5, 8,                       // seat 5, of 8 bytes
                   8, 7, 6, 5, 4, 3, 2, 1}));  // the client's id
  EXPECT_FALSE(log.log().is_quiet());
  EXPECT_EQ(log.read(), (LoggedTick{.joins = {{5}},
                                    .clients = {kClient},
                                    .inputs = {{.player = {5}, .input = {}}},
                                    .sources = {Neutral}}));
}

TEST(TickLog, OfAnInputIsWhatItDoesOtherwiseThanTheTickBefore) {
  Log log{8};
  log.tick({.joins = {{5}}, .clients = {kClient}});
  EXPECT_EQ(log.tick({5}, {.move = 3}, Received), bytes({4, 1, 5, 4, 3}))
      << "one byte: the stick points elsewhere";
  EXPECT_EQ(log.tick({5}, {.move = 3}, Received), bytes({})) << "it stays there";
  EXPECT_FALSE(log.log().is_quiet()) << "somebody is in the room";
  EXPECT_EQ(log.read().inputs, (std::vector<PlayerInput>{{.player = {5}, .input = {.move = 3}}}));
  EXPECT_EQ(log.read().sources, std::vector{Received});

  EXPECT_EQ(log.tick({5}, {.move = 3}, Repeated), bytes({4, 1, 5, 1})) << "only from elsewhere";
  EXPECT_EQ(log.read().inputs, (std::vector<PlayerInput>{{.player = {5}, .input = {.move = 3}}}));
  EXPECT_EQ(log.read().sources, std::vector{Repeated});
  EXPECT_EQ(log.tick({5}, {.move = 3}, Neutral), bytes({4, 1, 5, 2}));
  EXPECT_EQ(log.tick({5}, {}, Neutral), bytes({4, 1, 5, 6, 0})) << "rests";

  EXPECT_EQ(log.tick({5}, {.move = 3, .buttons = kButtonShoot, .aim = 0x123}, Received),
            bytes({4, 1, 5, 12, 0x13, 0x23, 0x01}))
      << "three bytes: a button, and where it aims";
  EXPECT_EQ(log.tick({5}, {.move = 3, .buttons = kButtonShoot, .aim = 0x123}, Received),
            bytes({4, 1, 5, 12, 0x13, 0x23, 0x01}))
      << "a button is pressed in each tick again";
  EXPECT_EQ(
      log.tick({5}, {.move = 3, .buttons = kButtonRay, .aim = 1'023, .look_back = 9}, Repeated),
      bytes({4, 1, 5, 17, 0x23, 0xff, 0x03, 9}))
      << "four bytes: a ray looks back";
  EXPECT_EQ(log.tick({5}, {.move = 3}, Repeated), bytes({})) << "the button is let go";
  EXPECT_EQ(log.read().inputs, (std::vector<PlayerInput>{{.player = {5}, .input = {.move = 3}}}));
}

TEST(TickLog, LeavesOutWhatHasNoEffect) {
  Log log{8};
  log.tick({.joins = {{5}}, .clients = {kClient}});
  log.tick({5}, {.move = 3}, Received);
  EXPECT_EQ(log.tick({5}, {.move = 3, .aim = 77, .look_back = 7}, Received), bytes({}))
      << "an aim without a button";
  EXPECT_EQ(log.tick({5}, {.buttons = kButtonShoot, .aim = 1, .look_back = 7}, Received),
            bytes({4, 1, 5, 12, 0x10, 1, 0}))
      << "a look back without a ray";
  EXPECT_EQ(
      log.read().inputs,
      (std::vector<PlayerInput>{{.player = {5}, .input = {.buttons = kButtonShoot, .aim = 1}}}));
  EXPECT_EQ(log.tick({5}, {.move = 200, .buttons = 0xfc, .aim = 60'000}, Received), bytes({}))
      << "what a cheat sends is rest";
}

TEST(TickLog, OfWhoHasNoInputKeepsItsStickAndItsSource) {
  Log log{8};
  log.tick({.joins = {{2}, {5}}, .clients = {1, 2}});
  log.tick({5}, {.move = 3, .buttons = kButtonShoot}, Repeated);
  EXPECT_EQ(log.tick({2}, {.move = 1}, Received), bytes({4, 1, 2, 4, 1}));
  EXPECT_EQ(log.read().inputs, (std::vector<PlayerInput>{{.player = {2}, .input = {.move = 1}},
                                                         {.player = {5}, .input = {.move = 3}}}));
  EXPECT_EQ(log.read().sources, (std::vector{Received, Repeated}));
}

// A player who takes a seat that was left begins at rest, with the source neutral.
TEST(TickLog, OfASeatThatIsTakenAgainKnowsNothingOfBefore) {
  Log log{8};
  log.tick({.joins = {{5}}, .clients = {1}});
  log.tick({5}, {.move = 3}, Received);
  EXPECT_EQ(log.tick({.leaves = {{5}},
                      .joins = {{5}},
                      .clients = {2},
                      .inputs = {{.player = {5}, .input = {.move = 3}}},
                      .sources = {Received}}),
            bytes({7,                                // leaves, joins, inputs
                   1, 5,                             //
                   1, 5, 8, 2, 0, 0, 0, 0, 0, 0, 0,  //
                   1, 5, 4, 3}));
  EXPECT_EQ(log.tick({.leaves = {{5}}}), bytes({1, 1, 5}));
  EXPECT_FALSE(log.log().is_quiet()) << "somebody leaves";
  EXPECT_EQ(log.tick({}), bytes({}));
  EXPECT_TRUE(log.log().is_quiet());
  log.tick({.joins = {{5}}, .clients = {3}});
  EXPECT_EQ(log.read().inputs, (std::vector<PlayerInput>{{.player = {5}, .input = {}}}));
  EXPECT_EQ(log.read().sources, std::vector{Neutral});
}

TEST(TickLog, AsTheStandardSays) {
  Log log{kSeatsMax};
  log.tick({.joins = {{0}, {1}, {3}, {4}, {130}, {131}, {200}}, .clients = {1, 2, 3, 4, 5, 6, 7}});
  const LoggedTick told{
      .leaves = {{3}, {4}, {200}},
      .joins = {{4}, {4'095}},
      .clients = {kClient, 9},
      .inputs = {{.player = {0}, .input = {.move = 8}},
                 {.player = {1}, .input = {.buttons = kButtonRay, .aim = 3, .look_back = 200}},
                 {.player = {130}, .input = {}},
                 {.player = {4'095}, .input = {.move = 5, .buttons = kButtonShoot, .aim = 1'023}}},
      .sources = {Received, Received, Repeated, Received},
      .strikes = {{.shooter = {1}, .victim = player_body({131}, 7)}}};
  EXPECT_EQ(log.tick(told),
            bytes({0x0f,                                               // all four lists
                   3,    3,    0,    0xc3, 0x01,                       // leaves: gaps 3, 0, 195
                   2,                                                  // joins
                   4,    8,    8,    7,    6,    5,    4, 3, 2, 1,     // seat 4
                   0xfa, 0x1f, 8,    9,    0,    0,    0, 0, 0, 0, 0,  // 4,095: gap 4,090
                   4,                                                  // inputs
                   0,    4,    0x08,                                   // seat 0: north-east
                   0,    16,   0x20, 3,    0,    200,                  // seat 1: a ray
                   0x80, 0x01, 1,                                      // seat 130: repeated
                   0xfc, 0x1e, 12,   0x15, 0xff, 0x03,                 // seat 4,095: a shot
                   1,                                                  // outcomes
                   6,    1,    0,    0x83, 0x70, 0,    0}));           // strikes seat 131
  EXPECT_EQ(log.read(),
            (LoggedTick{.leaves = told.leaves,
                        .joins = told.joins,
                        .clients = told.clients,
                        .inputs = {told.inputs[0],
                                   told.inputs[1],
                                   {.player = {4}, .input = {}},
                                   {.player = {130}, .input = {}},
                                   {.player = {131}, .input = {}},
                                   told.inputs[3]},
                        .sources = {Received, Received, Neutral, Repeated, Neutral, Received},
                        .strikes = told.strikes}));
}

TEST(TickLog, OfATickInWhichAllDoAllTheyCanHasItsBytesAtTheMost) {
  for (const std::uint32_t seats : {1U, 8U, 128U, 1'000U, kSeatsMax}) {
    LoggedTick come;
    LoggedTick all;
    for (std::uint32_t number = 0; number < seats; ++number) {
      const auto seat = static_cast<std::uint16_t>(number);
      come.joins.push_back({seat});
      come.clients.push_back(seat);
      all.inputs.push_back(
          {.player = {seat}, .input = {.move = 8, .buttons = kButtonsKnown, .aim = 1'023}});
      all.sources.push_back(Repeated);
      all.strikes.push_back({.shooter = {seat}, .victim = player_body({seat}, 1)});
    }
    all.leaves = all.joins = come.joins;
    all.clients = come.clients;
    Log log{seats};
    log.tick(come);
    EXPECT_LE(log.tick(all).size(), tick_bytes_max(seats)) << seats;
    EXPECT_EQ(log.read(), all);
  }
}

// Matches.

TEST(TickLogReader, GivesBackEveryTickOfAMatch) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    RecordedMatch match{{.seats = 12, .seed = seed}};
    TickLogReader reader;
    Bytes keyframe;
    LoggedWorld world;
    match.room().log().keyframe(match.world(), match.room().hash(), keyframe);
    ASSERT_TRUE(decode_keyframe(keyframe, world));
    reader.begin(world);
    LoggedTick read;
    std::size_t bytes = 0;
    for (int i = 0; i < 600; ++i) {
      const record::RecordedTick& played = match.step();
      ASSERT_TRUE(reader.read(match.room().log().bytes(), read)) << "tick " << played.tick.value;
      ASSERT_EQ(read, played) << "tick " << played.tick.value;
      EXPECT_EQ(match.room().log().is_quiet(), played.is_quiet);
      bytes += match.room().log().bytes().size();
    }
    EXPECT_GT(bytes, 600U * 12);
    EXPECT_LT(bytes, 600U * 12 * 7) << "an input takes some four bytes";
  }
}

// A reader that begins in the midst of a match reads on as one that was there all along.
TEST(TickLogReader, GoesOnFromAnyKeyframe) {
  RecordedMatch match{{.seats = 12, .seed = 4}};
  for (int i = 0; i < 40; ++i) {
    match.step();
    Bytes keyframe;
    match.room().log().keyframe(match.world(), match.room().hash(), keyframe);
    LoggedWorld world;
    ASSERT_TRUE(decode_keyframe(keyframe, world));
    TickLogReader reader;
    reader.begin(world);
    LoggedTick read;
    for (int n = 0; n < 10; ++n) {
      const record::RecordedTick& played = match.step();
      ASSERT_TRUE(reader.read(match.room().log().bytes(), read)) << "tick " << played.tick.value;
      ASSERT_EQ(read, played) << "tick " << played.tick.value;
    }
  }
}

// What was read gives the same bytes when it is written again. The exception is what a later
// version appends to joins, which the reader skips.
TEST(TickLogReader, ReadsTheSameBytesAgainOrRefusesThem) {
  Rng rng{5};
  RecordedMatch match{{.seats = 6, .seed = 7}};
  TickLogReader reader;
  reader.begin(logged_world(match.world(), match.room().hash(), {}));
  int read_at_all = 0;
  int refused = 0;
  LoggedTick read;
  for (int i = 0; i < 400; ++i) {
    const TickLog before = match.room().log();
    const TickLogReader reader_before = reader;
    match.step();
    const Bytes tick = copy_of(match.room().log().bytes());
    ASSERT_TRUE(reader.read(tick, read));
    for (int round = 0; round < 50; ++round) {
      const Bytes other = altered(tick, rng);
      TickLogReader of_other = reader_before;
      if (!of_other.read(other, read)) {
        ++refused;
        continue;
      }
      ++read_at_all;
      TickLog again = before;
      const ConstBytes written =
          again.tick(read.commands(), {.sources = read.sources, .clients = read.clients});
      const bool was_appended_to = !read.joins.empty() && written.size() < other.size();
      ASSERT_TRUE(was_appended_to || std::ranges::equal(written, other)) << "tick " << i;
    }
  }
  EXPECT_GT(read_at_all, 200);
  EXPECT_GT(refused, 1'000);
}

TEST(TickLog, AsksForNoMemoryOnceItIsThere) {
  RecordedMatch match{{.tick_rate = 60, .seats = 32}};
  TickLog log{match.world()};
  const LoggedWorld world = logged_world(match.world(), match.room().hash(), {});
  std::vector<Bytes> ticks;
  for (int i = 0; i < 1'000; ++i) {
    match.step();
    ticks.push_back(copy_of(match.room().log().bytes()));
  }
  // Another log that receives these ticks, as a reader returns them, writes the same bytes.
  std::size_t same = 0;
  std::size_t next = 0;
  const std::uint64_t before = tests::allocations();
  for (const record::RecordedTick& tick : match.played()) {
    const ConstBytes written =
        log.tick(tick.commands(), {.sources = tick.sources, .clients = tick.clients});
    same += std::ranges::equal(written, ticks[next++]) ? 1U : 0U;
  }
  EXPECT_EQ(tests::allocations(), before);
  EXPECT_EQ(log.last(), Tick{1'000});
  EXPECT_EQ(same, 1'000U);

  // A reader allocates nothing once it has read as much before.
  TickLogReader reader;
  LoggedTick read;
  for (const bool is_warm : {false, true}) {
    std::size_t inputs = 0;
    std::size_t refused = 0;
    const std::uint64_t at_first = tests::allocations();
    reader.begin(world);
    for (const Bytes& tick : ticks) {
      refused += reader.read(tick, read) ? 0U : 1U;
      inputs += read.inputs.size();
    }
    if (is_warm) {
      EXPECT_EQ(tests::allocations(), at_first);
    }
    EXPECT_EQ(refused, 0U);
    EXPECT_GT(inputs, 20'000U);
  }
}

}  // namespace
}  // namespace tickbox::game
