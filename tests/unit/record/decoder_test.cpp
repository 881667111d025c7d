#include "record/decoder.h"

#include "engine/declared.h"
#include "record/replayer.h"
#include "record/summary.h"
#include "tests/support/menagerie.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/engine/logged_match.h"
#include "tests/unit/record/forged.h"

#include <gtest/gtest.h>

#include <algorithm>
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

std::vector<std::byte> recorded(RecordedMatch& match, std::uint32_t ticks) {
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, ticks);
  EXPECT_TRUE(writer.finish());
  return std::move(sink.bytes);
}

Decoder decoder_of(const RecordedMatch& match) {
  return {match.game(), match.map(), match.world().tick_rate()};
}

void expect_as_played(const GameTable& game, const engine::DecodedTick& tick,
                      const PlayedTick& played) {
  EXPECT_TRUE(tests::say_the_same(game, tick.record, played.record));
  EXPECT_EQ(tick.leaves, played.leaves);
  EXPECT_EQ(tick.joins, played.joins);
  EXPECT_EQ(tick.clients, played.clients);
  EXPECT_EQ(tick.sources, played.sources);
}

TEST(Decoder, GivesBackWhatEnteredEveryTick) {
  RecordedMatch match{{.tick_rate = 60, .seats = 12, .seed = 5}};
  const auto file = recorded(match, 650);
  Decoder decoder = decoder_of(match);
  auto reader = Reader::open(file).value();
  std::size_t at = 0;
  std::size_t strikes = 0;
  std::size_t joins = 0;
  std::array<std::size_t, engine::kInputSources> by_source{};
  for (auto item = reader.next(); item != Reader::Item::Finished; item = reader.next()) {
    if (item == Reader::Item::Keyframe) {
      ASSERT_TRUE(decoder.begin(reader.world()));
    }
    if (item != Reader::Item::Ticks) continue;
    for (const EncodedTick& recorded : reader.ticks()) {
      const engine::DecodedTick* tick = decoder.tick(recorded);
      ASSERT_NE(tick, nullptr) << recorded.tick.value;
      expect_as_played(match.game(), *tick, match.played()[at++]);
      ASSERT_FALSE(HasFailure()) << recorded.tick.value;
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

/// Decodes a keyframe of the match, and steps it on with the match.
void expect_steps_on(RecordedMatch& match) {
  Decoder decoder = decoder_of(match);
  auto keyframe = decoder.begin(match.keyframe());
  ASSERT_TRUE(keyframe);
  EXPECT_EQ(engine::state_hash(keyframe->world), engine::state_hash(match.world()));
  for (int i = 0; i < 60; ++i) {
    const PlayedTick& played = match.step();
    ASSERT_TRUE(decoder.step(keyframe->world, {.tick = played.tick,
                                               .state_hash = played.state_hash,
                                               .is_quiet = played.is_quiet,
                                               .bytes = played.bytes}));
    ASSERT_EQ(engine::state_hash(keyframe->world), played.state_hash) << played.tick.value;
  }
}

TEST(Decoder, GivesAWorldThatStepsOnAsTheOriginal) {
  for (const GameTable* const game :
       {static_cast<const GameTable*>(nullptr), &tests::menagerie()}) {
    RecordedMatch match{{.game = game}};
    for (int i = 0; i < 40; ++i) {
      match.step();
    }
    expect_steps_on(match);
  }
}

// Every world of a match can be restored: a recorder may write it at any tick.
TEST(Decoder, TakesEveryWorldOfAMatch) {
  for (const std::uint32_t rate : {10U, 60U, 240U}) {
    RecordedMatch match{{.tick_rate = rate, .seats = 40, .seed = rate}};
    Decoder decoder = decoder_of(match);
    for (int i = 0; i < 600; ++i) {
      match.step();
      ASSERT_TRUE(decoder.begin(match.keyframe())) << "tick " << i + 1 << " at " << rate << " Hz";
    }
  }
}

TEST(Decoder, RefusesAWorldOfOtherSeatsThanTheMapHas) {
  const RecordedMatch match;
  const RecordedMatch larger{{.seats = tests::kMatchSeats + 1}};
  EXPECT_FALSE(decoder_of(match).begin(larger.keyframe()));
}

// Other rules may put bodies into each other.
TEST(Decoder, TakesAPileOfBodies) {
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
  EXPECT_TRUE(decoder_of(match).begin(bytes));
}

TEST(Decoder, RefusesAQuietTickWhileSomebodyIsThere) {
  RecordedMatch match{{.all_stay = true}};
  for (int i = 0; i < 40; ++i) {
    match.step();
  }
  Decoder decoder = decoder_of(match);
  ASSERT_TRUE(decoder.begin(match.keyframe()));
  const Tick next = match.world().tick + 1;
  EXPECT_NE(decoder.tick({.tick = next, .state_hash = {}, .is_quiet = false, .bytes = {}}),
            nullptr);
  ASSERT_TRUE(decoder.begin(match.keyframe()));
  EXPECT_EQ(decoder.tick({.tick = next, .state_hash = {}, .is_quiet = true, .bytes = {}}), nullptr);
}

// A recording has only what was requested of a tick whose step never ended. Its step gives the
// world that a server's step gives, but for the rays that only the server can judge.
TEST(Decoder, StepsATickThatNeverEndedAsAServerDoes) {
  RecordedMatch match{{.seats = 6, .seed = 3}};
  std::size_t compared = 0;
  for (int i = 0; i < 100; ++i) {
    Decoder decoder = decoder_of(match);
    auto keyframe = decoder.begin(match.keyframe());
    ASSERT_TRUE(keyframe);
    match.decide();
    const std::vector<std::byte> requested = match.requested_bytes();
    const Tick tick = match.world().tick + 1;
    ASSERT_TRUE(decoder.step_unfinished(
        keyframe->world, {.tick = tick, .state_hash = {}, .is_quiet = false, .bytes = requested}));
    const PlayedTick& played = match.play();
    if (!played.record.strikes.empty()) continue;
    EXPECT_EQ(engine::state_hash(keyframe->world), played.state_hash) << tick.value;
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
  Decoder decoder = decoder_of(match);
  const Reader reader = Reader::open(file).value();
  const Summary with = summarize(reader, &decoder);
  ASSERT_TRUE(with.players);
  EXPECT_EQ(with.players->joins, joins);
  EXPECT_EQ(with.players->inputs, inputs);
  EXPECT_EQ(with.players->players_max, 8U);
  const Summary without = summarize(reader, nullptr);
  EXPECT_FALSE(without.players);
  EXPECT_EQ(without.ticks, with.ticks);
  EXPECT_EQ(without.segments, with.segments);
  EXPECT_TRUE(without.complete && with.complete);
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
