// Whole matches: the production server and 8 production clients in one thread, under loss, jitter
// and damage. The checkers stand outside: they look at what clients counted and at what the
// recording holds, never into the parts they check.

#include "record/reader.h"
#include "record/verify.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = 8;

net::LinkConditions bad_link(std::uint64_t seed) {
  Rng rng{seed};
  return {.delay = milliseconds{rng.below(80)},
          .jitter = milliseconds{rng.below(30)},
          .loss_ppm = static_cast<std::uint32_t>(20'000 + rng.below(180'000)),
          .duplicate_ppm = static_cast<std::uint32_t>(rng.below(30'000)),
          .reorder_ppm = static_cast<std::uint32_t>(rng.below(30'000)),
          .corrupt_ppm = static_cast<std::uint32_t>(rng.below(20'000)),
          .truncate_ppm = static_cast<std::uint32_t>(rng.below(20'000))};
}

/// What the recording says was stepped for each seat.
using SteppedInputs = std::map<PlayerId, std::map<Tick, std::pair<game::Input, game::InputSource>>>;

SteppedInputs stepped_inputs(ConstBytes recording) {
  SteppedInputs stepped;
  auto reader = record::Reader::open(recording);
  EXPECT_TRUE(reader.has_value());
  for (auto item = reader->next(); item != record::Reader::Item::Finished; item = reader->next()) {
    if (item != record::Reader::Item::Ticks) {
      continue;
    }
    for (const record::RecordedTick& tick : reader->ticks()) {
      for (std::size_t i = 0; i < tick.inputs.size(); ++i) {
        const auto [it, fresh] = stepped[tick.inputs[i].player].try_emplace(
            tick.tick, tick.inputs[i].input, tick.sources[i]);
        EXPECT_TRUE(fresh) << "two inputs of player " << tick.inputs[i].player.value << " for tick "
                           << tick.tick.value;
      }
    }
  }
  return stepped;
}

/// Every tick of a player's life took exactly one input: its own for that tick, or one that the
/// server substituted. Fewer than half were substituted.
void expect_inputs_stepped_once(const Harness& harness, const SteppedInputs& stepped) {
  for (std::size_t i = 0; i < harness.players().size(); ++i) {
    const Harness::Player& player = harness.players()[i];
    const auto found = stepped.find(player.client->connection().accept().player);
    ASSERT_NE(found, stepped.end());
    const auto& ticks = found->second;
    std::uint64_t given = 0;
    for (const auto& [tick, input] : ticks) {
      if (input.second == game::InputSource::Received) {
        ++given;
        const auto decided = player.inputs.find(tick);
        ASSERT_NE(decided, player.inputs.end())
            << "an input for tick " << tick.value << " that nobody gave";
        EXPECT_EQ(game::significant(decided->second), input.first)
            << "client " << i << " tick " << tick.value;
      }
    }
    const auto life = static_cast<std::uint64_t>(ticks.rbegin()->first - ticks.begin()->first + 1);
    EXPECT_EQ(ticks.size(), life) << "client " << i << " had ticks without an input";
    EXPECT_GT(given, life / 2) << "client " << i;
  }
}

void expect_recording_replays(const Harness& harness) {
  auto reader = record::Reader::open(harness.recording());
  ASSERT_TRUE(reader.has_value());
  const record::VerifyResult result = record::verify(*reader, harness.map(), harness.rules());
  EXPECT_EQ(result.ticks, harness.room().world().tick.value);
  EXPECT_EQ(result.mismatched, 0U);
  EXPECT_TRUE(result.complete) << result.damages << " damages, " << result.gaps
                               << " gaps, ends early: " << result.ends_early;
}

class Match : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Match, AgreesUnderLoss) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Harness harness{{.seed = seed, .link = bad_link(seed)}};
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
    harness.run_for(milliseconds{137});
  }
  harness.run_for(seconds{15});
  for (std::size_t i = 0; i < kClients; ++i) {
    EXPECT_EQ(harness.client(i).connection().state(), client::Connection::State::Connected);
    EXPECT_GT(harness.client(i).stats().hashes_checked, 100U);
    EXPECT_EQ(harness.client(i).stats().hashes_mismatched, 0U);
  }
  harness.stop();
  for (std::size_t i = 0; i < kClients; ++i) {
    EXPECT_GT(harness.network().up(i).lost, 0U);
    EXPECT_GT(harness.network().down(i).lost, 0U);
  }
  EXPECT_EQ(harness.log().errors(), 0);
  EXPECT_EQ(harness.shard().metrics().hash_mismatches, 0U);
  expect_inputs_stepped_once(harness, stepped_inputs(harness.recording()));
  expect_recording_replays(harness);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Match, testing::Range<std::uint64_t>(1, 33));

// Without loss every input arrives in time, so what a client predicts from its own inputs must be
// right to the bit.
TEST(Match, PredictsItselfExactlyWithoutLoss) {
  for (const std::uint32_t tick_rate : {10U, 60U, 128U, 240U}) {
    SCOPED_TRACE(testing::Message() << tick_rate << " ticks per second");
    Harness harness{{.seed = 5,
                     .tick_rate = tick_rate,
                     .link = {.delay = milliseconds{20}, .jitter = milliseconds{4}}}};
    for (std::size_t i = 0; i < kClients; ++i) {
      harness.add_client();
    }
    harness.run_for(seconds{10});
    client::ClientStats all;
    for (std::size_t i = 0; i < kClients; ++i) {
      all.add_all(harness.client(i).stats());
    }
    EXPECT_GT(all.untouched.checked, kClients * tick_rate * 6);
    EXPECT_EQ(all.untouched.exact, all.untouched.checked);
    EXPECT_EQ(all.hashes_mismatched, 0U);
  }
}

TEST(Match, IsTheSameForTheSameSeed) {
  const auto hash_after = [](std::uint64_t seed) {
    Harness harness{{.seed = seed, .link = bad_link(seed)}};
    for (std::size_t i = 0; i < kClients; ++i) {
      harness.add_client();
    }
    harness.run_for(seconds{5});
    return harness.room().hash();
  };
  EXPECT_EQ(hash_after(11), hash_after(11));
  EXPECT_NE(hash_after(11), hash_after(12));
}

}  // namespace
}  // namespace tickbox::tests
