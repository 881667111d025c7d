#include "record/replayer.h"

#include "record/segments.h"
#include "tests/support/menagerie.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/engine/logged_match.h"
#include "tests/unit/record/forged.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tickbox::record {
namespace {

using tests::MemorySink;
using tests::PlayedTick;
using tests::RecordedMatch;
using Item = Reader::Item;

std::vector<std::byte> recorded(RecordedMatch& match, std::uint32_t ticks) {
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, ticks);
  EXPECT_TRUE(writer.finish());
  return std::move(sink.bytes);
}

Replayer replayer_of(const RecordedMatch& match, ConstBytes file) {
  return {Reader::open(file).value(), match.game(), match.map()};
}

void expect_as_played(const GameTable& game, const engine::DecodedTick& tick,
                      const PlayedTick& played) {
  EXPECT_TRUE(tests::say_the_same(game, tick.record, played.record));
  EXPECT_EQ(tick.leaves, played.leaves);
  EXPECT_EQ(tick.joins, played.joins);
  EXPECT_EQ(tick.clients, played.clients);
  EXPECT_EQ(tick.sources, played.sources);
}

TEST(Replayer, GivesBackWhatEnteredEveryTick) {
  RecordedMatch match{{.tick_rate = 60, .seats = 12, .seed = 5}};
  const auto file = recorded(match, 650);
  Replayer replayer = replayer_of(match, file);
  std::size_t at = 0;
  std::size_t strikes = 0;
  std::size_t joins = 0;
  std::array<std::size_t, engine::kInputSources> by_source{};
  while (replayer.read() != Item::Finished) {
    while (const engine::DecodedTick* const tick = replayer.decode()) {
      expect_as_played(match.game(), *tick, match.played()[at++]);
      ASSERT_FALSE(HasFailure()) << at;
      strikes += tick->record.strikes.size();
      joins += tick->clients.size();
      for (const engine::PlayerSource& each : tick->sources) {
        ++by_source.at(static_cast<std::size_t>(each.source));
      }
    }
  }
  EXPECT_EQ(at, 650U);
  EXPECT_GT(strikes, 50U);
  EXPECT_GT(joins, 50U);
  for (const std::size_t inputs : by_source) {
    EXPECT_GT(inputs, 500U);
  }
}

TEST(Replayer, StepsToTheWorldsOfTheMatch) {
  for (const GameTable* const game :
       {static_cast<const GameTable*>(nullptr), &tests::menagerie()}) {
    RecordedMatch match{{.game = game}};
    const auto file = recorded(match, 100);
    Replayer replayer = replayer_of(match, file);
    ASSERT_TRUE(replayer.next());
    for (const PlayedTick& played : match.played()) {
      ASSERT_TRUE(replayer.next());
      ASSERT_EQ(replayer.world().tick, played.tick);
      ASSERT_EQ(replayer.hash(), played.state_hash) << played.tick.value;
    }
    EXPECT_FALSE(replayer.next());
    EXPECT_EQ(replayer.hash(), engine::state_hash(match.world()));
  }
}

// A recorder may write the world of any tick.
TEST(Replayer, TakesEveryWorldOfAMatch) {
  for (const std::uint32_t rate : {10U, 60U, 240U}) {
    RecordedMatch match{{.tick_rate = rate, .seats = 40, .seed = rate}};
    for (int i = 0; i < 600; ++i) {
      match.step();
      ASSERT_TRUE(engine::decode_keyframe(match.keyframe(), match.world()))
          << "tick " << i + 1 << " at " << rate << " Hz";
    }
  }
}

TEST(Replayer, RefusesAWorldOfOtherSeatsThanTheMapHas) {
  const RecordedMatch match;
  const RecordedMatch larger{{.seats = tests::kMatchSeats + 1}};
  EXPECT_FALSE(engine::decode_keyframe(larger.keyframe(), match.world()));
}

// Other rules may put bodies into each other.
TEST(Replayer, TakesAPileOfBodies) {
  RecordedMatch match{{.seats = 40, .all_stay = true}};
  for (int i = 0; i < 40; ++i) {
    match.step();
  }
  engine::World pile = match.world();
  for (std::size_t row = 0; row < pile.size(); ++row) {
    const Vec2 place = pile.body(0).min;
    pile.change_body(row, [&](sim::Body& body) { body.min = place; });
  }
  std::vector<std::byte> bytes;
  engine::encode_keyframe(pile, bytes);
  EXPECT_TRUE(engine::decode_keyframe(bytes, match.world()));
}

// A recording has only what was requested of a tick whose step never ended. Its step gives the
// world that a server's step gives, but for the rays that only the server can judge.
TEST(Replayer, StepsATickThatNeverEndedAsAServerDoes) {
  RecordedMatch match{{.seats = 6, .seed = 3}};
  std::size_t compared = 0;
  for (int i = 0; i < 100; ++i) {
    MemorySink sink;
    tests::Writer writer{sink, match.header()};
    match.keyframe(writer);
    match.decide();
    ASSERT_TRUE(writer.unfinished(match.requested_bytes()));
    Replayer replayer = replayer_of(match, sink.bytes);
    ASSERT_EQ(replayer.read(), Item::Keyframe);
    ASSERT_EQ(replayer.read(), Item::Unfinished);
    ASSERT_TRUE(replayer.step());
    EXPECT_FALSE(replayer.step());
    const PlayedTick& played = match.play();
    if (!played.record.strikes.empty()) continue;
    EXPECT_EQ(replayer.hash(), played.state_hash) << played.tick.value;
    ++compared;
  }
  EXPECT_GT(compared, 50U);
}

TEST(RecordSummary, CountsWhatPlayersDidIfItHasTheGame) {
  RecordedMatch match{{.seats = 8, .seed = 7}};
  const auto file = recorded(match, 200);
  std::uint64_t joins = 0;
  std::uint64_t inputs = 0;
  for (const PlayedTick& tick : match.played()) {
    joins += tick.joins.size();
    inputs += tick.sources.size();
  }
  const engine::GameOnMap played{
      .game = &match.game(), .map = match.map(), .tick_rate = match.world().tick_rate()};
  const Reader reader = Reader::open(file).value();
  const Summary with = summarize(reader, &played);
  ASSERT_TRUE(with.players);
  EXPECT_EQ(with.players->joins, joins);
  EXPECT_EQ(with.players->inputs, inputs);
  EXPECT_EQ(with.players->players_max, 8U);
  const Summary without = summarize(reader, nullptr);
  EXPECT_FALSE(without.players);
  EXPECT_EQ(without.records.ticks, with.records.ticks);
  EXPECT_EQ(without.records.all.size(), with.records.all.size());
  EXPECT_TRUE(without.records.is_complete() && with.records.is_complete());
}

TEST(Replayer, GoesOnAfterWhatCannotBe) {
  const auto forge = [](Tick tick, tests::Told& told) {
    if (tick == Tick{14}) told.bytes = tests::bytes({16});
  };
  const RecordedMatch match;
  const auto file = tests::small_recording(3, 10, {.forge = forge});
  Replayer replayer{Reader::open(file).value(), match.game(), match.map()};
  std::vector<std::uint32_t> ticks;
  while (replayer.next()) {
    ticks.push_back(replayer.world().tick.value);
    EXPECT_EQ(replayer.hash(), replayer.recorded_hash());
    EXPECT_EQ(replayer.entered() == nullptr, ticks.back() == 0 || ticks.back() == 20);
  }
  std::vector<std::uint32_t> expected;
  for (std::uint32_t tick = 0; tick <= 30; ++tick) {
    if (tick < 14 || tick >= 20) expected.push_back(tick);
  }
  EXPECT_EQ(ticks, expected);
  EXPECT_EQ(replayer.damages(), 1U);
}

}  // namespace
}  // namespace tickbox::record
