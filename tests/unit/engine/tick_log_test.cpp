#include "engine/log/tick_log.h"

#include "core/rng.h"
#include "games/arena/arena.h"
#include "tests/support/allocations.h"
#include "tests/support/altered.h"
#include "tests/support/bytes.h"
#include "tests/support/menagerie.h"
#include "tests/unit/engine/logged_match.h"
#include "tests/unit/engine/yard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::engine::tick_log_test {
namespace {

using tests::Bytes;
using tests::copy_of;
using tests::LoggedMatch;
using tests::yard;

constexpr std::uint32_t kRate = 60;

// The log of a full room in ordinary play fits into what is reserved for it.
TEST(TickLog, FitsIntoWhatIsReserved) {
  for (const GameTable* game : {&games::arena(), &tests::menagerie()}) {
    LoggedMatch match{*game, {.seed = 8, .tick_rate = kRate, .seats = 32}};
    for (int i = 0; i < 300; ++i) {
      ASSERT_LE(match.step().size(), tick_bytes_of(*game, 32)) << game->name;
    }
    EXPECT_LT(tick_bytes_of(*game, 32), 32U * 100) << game->name;
  }
}

// An idle tick has bytes of its own, and needs an empty room.
TEST(TickLog, HasIdleTicks) {
  const GameTable& game = games::arena();
  World world{game, make_map(game, {.seats = 2}, kRate), kRate, 1};
  Stepper stepper;
  stepper.open(world);
  TickLog log{world};
  TickLogReader reader{game};
  reader.begin(world);
  TickRecord record;
  DecodedTick read;
  stepper.step(world, {.is_idle = true}, record);
  EXPECT_TRUE(std::ranges::equal(log.tick(record, {}), idle_tick_bytes()));
  EXPECT_TRUE(log.is_idle() && !log.is_quiet());
  ASSERT_TRUE(reader.read(log.bytes(), read));
  EXPECT_EQ(read.record, record);
  EXPECT_TRUE(read.record.is_idle && read.sources.empty());
  EXPECT_TRUE(is_valid(world, read.record));

  const Join join{.player = {0}, .user_data = {}};
  const std::uint64_t client = 7;
  stepper.step(world, {.leaves = {}, .joins = {&join, 1}, .inputs = {}}, record);
  ASSERT_TRUE(reader.read(log.tick(record, {.sources = {}, .clients = {&client, 1}}), read));
  EXPECT_FALSE(log.is_idle() || read.record.is_idle);
  record.clear();
  record.is_idle = true;
  EXPECT_FALSE(is_valid(world, record));
  EXPECT_FALSE(reader.read(idle_tick_bytes(), read)) << "a player is there";
  reader.begin(World{game, world.map(), kRate, 1});
  EXPECT_FALSE(reader.read(tests::bytes({16, 0}), read));
  EXPECT_FALSE(reader.read(tests::bytes({17, 1, 0}), read));
}

class TickLogOf : public ::testing::TestWithParam<const GameTable*> {};

INSTANTIATE_TEST_SUITE_P(Games, TickLogOf,
                         ::testing::Values(&games::arena(), &tests::menagerie(), &yard()),
                         [](const auto& of) { return std::string{of.param->name}; });

/// Steps a match, and a reader and a world that begin with its keyframe; compares both in each
/// tick.
void follow(LoggedMatch& match, int ticks) {
  const GameTable& game = match.world().game();
  auto keyframe = decode_keyframe(match.keyframe(), match.world());
  ASSERT_TRUE(keyframe);
  TickLogReader reader{game};
  reader.begin(*keyframe);
  Stepper stepper;
  DecodedTick read;
  World& twin = keyframe->world;
  for (int i = 0; i < ticks; ++i) {
    const ConstBytes written = match.step();
    const std::string at = "tick " + std::to_string(match.world().tick.value);
    ASSERT_TRUE(reader.read(written, read)) << at;
    ASSERT_TRUE(tests::say_the_same(game, match.record(), read.record)) << at;
    ASSERT_EQ(read.clients, match.clients()) << at;
    std::vector<InputSource> sources(twin.seats().size(), InputSource::Neutral);
    for (const auto& [player, source] : read.sources) {
      sources[player.seat] = source;
    }
    ASSERT_EQ(sources, match.sources()) << at;
    ASSERT_EQ(match.log().is_quiet(), written.empty() && read.sources.empty()) << at;
    ASSERT_TRUE(is_valid(twin, read.record)) << at;
    stepper.replay(twin, read.record);
    ASSERT_EQ(state_hash(twin), state_hash(match.world())) << at;
    ASSERT_EQ(read.sources.size(),
              static_cast<std::size_t>(std::ranges::count_if(twin.seats(), &SeatInfo::taken)))
        << at;
    Bytes again;
    encode_keyframe(twin, state_hash(twin), sources, again);
    ASSERT_EQ(again, match.keyframe()) << at;
  }
}

TEST_P(TickLogOf, GivesBackEveryTickOfAMatch) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    LoggedMatch match{*GetParam(), {.seed = seed, .tick_rate = kRate, .seats = 12}};
    ASSERT_NO_FATAL_FAILURE(follow(match, 400)) << "seed " << seed;
  }
  // The number of a seat takes one byte or two.
  LoggedMatch crowd{*GetParam(), {.seed = 9, .tick_rate = kRate, .seats = 300}};
  ASSERT_NO_FATAL_FAILURE(follow(crowd, 60));
}

// A reader that begins in the middle of a match reads on like one that read from the start.
TEST_P(TickLogOf, GoesOnFromAnyKeyframe) {
  LoggedMatch match{*GetParam(), {.seed = 4, .tick_rate = kRate, .seats = 12}};
  for (int i = 0; i < 60; ++i) {
    match.step();
    ASSERT_NO_FATAL_FAILURE(follow(match, 10));
  }
}

// A tick has only one form as bytes: what was read is the same bytes when it is written again.
TEST_P(TickLogOf, ReadsTheSameBytesAgainOrRefusesThem) {
  Rng rng{5};
  LoggedMatch match{*GetParam(), {.seed = 7, .tick_rate = kRate, .seats = 6}};
  TickLogReader reader{*GetParam()};
  reader.begin(match.world());
  std::size_t read_at_all = 0;
  std::size_t refused = 0;
  DecodedTick read;
  const auto try_bytes = [&](ConstBytes other, const TickLog& before,
                             const TickLogReader& reader_before) {
    TickLogReader of_other = reader_before;
    if (!of_other.read(other, read)) return void(++refused);
    ++read_at_all;
    TickLog again = before;
    ASSERT_TRUE(std::ranges::equal(again.tick(read.record, read.origins()), other));
  };
  for (int i = 0; i < 300; ++i) {
    const TickLog before = match.log();
    const TickLogReader reader_before = reader;
    const Bytes tick = copy_of(match.step());
    ASSERT_TRUE(reader.read(tick, read));
    for (int round = 0; round < 30; ++round) {
      ASSERT_NO_FATAL_FAILURE(try_bytes(tests::altered(tick, rng), before, reader_before)) << i;
    }
    for (std::size_t bit = 0; bit < 8 * tick.size(); ++bit) {
      Bytes other = tick;
      other[bit / 8] ^= std::byte{1} << bit % 8;
      ASSERT_NO_FATAL_FAILURE(try_bytes(other, before, reader_before)) << i << " bit " << bit;
    }
    for (std::size_t size = 1; size < tick.size(); ++size) {
      TickLogReader of_prefix = reader_before;
      ASSERT_FALSE(of_prefix.read(ConstBytes{tick}.first(size), read)) << i << " of " << size;
    }
  }
  EXPECT_GT(read_at_all, 200U);
  EXPECT_GT(refused, 1'000U);
}

TEST_P(TickLogOf, AsksForNoMemoryOnceItIsThere) {
  LoggedMatch match{*GetParam(), {.tick_rate = kRate, .seats = 32}};
  const World start = match.world();
  std::vector<Bytes> ticks;
  std::vector<DecodedTick> told;
  TickLogReader reader{*GetParam()};
  reader.begin(start);
  for (int i = 0; i < 300; ++i) {
    ticks.push_back(copy_of(match.step()));
    told.emplace_back();
    ASSERT_TRUE(reader.read(ticks.back(), told.back()));
  }
  // Given what a reader returns, another log writes the same. Only outcomes of a size that did not
  // occur before may need memory.
  TickLog log{start};
  DecodedTick read;
  for (const bool is_warm : {false, true}) {
    std::size_t same = 0;
    std::size_t refused = 0;
    const TickLog fresh{start};
    const std::uint64_t before = tests::allocations();
    log = fresh;
    reader.begin(start);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      same += std::ranges::equal(log.tick(told[i].record, told[i].origins()), ticks[i]) ? 1U : 0U;
      refused += reader.read(ticks[i], read) ? 0U : 1U;
    }
    if (is_warm) {
      EXPECT_EQ(tests::allocations(), before);
    }
    EXPECT_EQ(same, ticks.size());
    EXPECT_EQ(refused, 0U);
  }
}

}  // namespace
}  // namespace tickbox::engine::tick_log_test
