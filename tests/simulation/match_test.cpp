// Whole matches: the production server and 8 production clients in one thread, under loss, jitter
// and damage. The checkers stand outside: they look at what clients counted and at what the
// recording holds, never into the parts they check.

#include "engine/declared.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "games/arena/arena.h"
#include "record/decoder.h"
#include "record/reader.h"
#include "record/verify.h"
#include "tests/support/harness.h"
#include "tests/support/menagerie.h"
#include "tests/support/stepped_input.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
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

/// What the recording says was stepped for a seat in a tick.
struct SteppedInput {
  std::vector<std::byte> input;
  engine::InputSource source = engine::InputSource::Neutral;
  std::vector<std::byte> expected;  ///< what the player decided, without what has no effect
};

using SteppedInputs = std::map<PlayerId, std::map<Tick, SteppedInput>>;

/// What each seat's client decided.
using DecidedInputs = std::map<PlayerId, std::multimap<Tick, std::vector<std::byte>>>;

DecidedInputs decided_inputs(const Harness& harness) {
  DecidedInputs decided;
  for (const Harness::Player& player : harness.players()) {
    decided[player.client->connection().accept().player] = player.inputs;
  }
  return decided;
}

/// Steps the recording again as clients do.
SteppedInputs stepped_inputs(const Harness& harness) {
  SteppedInputs stepped;
  DecidedInputs decided = decided_inputs(harness);
  auto reader = record::Reader::open(harness.recording());
  EXPECT_TRUE(reader.has_value());
  record::Decoder decoder{harness.game(), harness.map(), reader->header().tick_rate};
  engine::Stepper stepper;
  std::optional<engine::World> world;
  for (auto item = reader->next(); item != record::Reader::Item::Finished; item = reader->next()) {
    if (item == record::Reader::Item::Keyframe)
      world = decoder.begin(reader->world()).value().world;
    if (item != record::Reader::Item::Ticks) continue;
    for (const record::RecordedTick& recorded : reader->ticks()) {
      const engine::LoggedTick* tick = decoder.tick(recorded);
      if (tick == nullptr) {
        ADD_FAILURE() << "tick " << recorded.tick.value << " cannot be read";
        return stepped;
      }
      for (const engine::PlayerSource& of : tick->sources) {
        const PlayerId seat{of.player.seat};
        SteppedInput& input = stepped[seat][recorded.tick];
        EXPECT_TRUE(input.input.empty())
            << "two inputs of player " << seat.value << " for tick " << recorded.tick.value;
        input = {
            .input = stepped_input(*world, *tick, of.player), .source = of.source, .expected = {}};
        const auto [first, last] = decided[seat].equal_range(recorded.tick);
        for (auto one = first; one != last; ++one) {
          input.expected = without_the_ineffective(*world, *tick, of.player, one->second);
          if (engine::are_equal(harness.game().input, input.expected, input.input)) break;
        }
      }
      stepper.replay(*world, tick->record);
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
      if (input.source != engine::InputSource::Received) continue;
      ++given;
      ASSERT_FALSE(input.expected.empty())
          << "an input for tick " << tick.value << " that nobody gave";
      EXPECT_TRUE(engine::are_equal(harness.game().input, input.expected, input.input))
          << "client " << i << " tick " << tick.value << ": "
          << engine::difference(harness.game().input, input.expected, input.input);
    }
    const auto life = static_cast<std::uint64_t>(ticks.rbegin()->first - ticks.begin()->first + 1);
    EXPECT_EQ(ticks.size(), life) << "client " << i << " had ticks without an input";
    EXPECT_GT(given, life / 2) << "client " << i;
  }
}

void expect_recording_replays(const Harness& harness) {
  auto reader = record::Reader::open(harness.recording());
  ASSERT_TRUE(reader.has_value());
  const record::VerifyResult result = record::verify(*reader, harness.game(), harness.map());
  EXPECT_EQ(result.ticks, harness.world().tick.value);
  EXPECT_EQ(result.mismatched, 0U);
  EXPECT_TRUE(result.complete) << result.damages << " damages, " << result.gaps
                               << " gaps, ends early: " << result.ends_early;
}

struct Played {
  const GameTable* game;
  std::uint64_t seed;
};

std::vector<Played> seeds_of(const GameTable& game, std::uint64_t count) {
  std::vector<Played> all;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    all.push_back({.game = &game, .seed = seed});
  }
  return all;
}

class Match : public testing::TestWithParam<Played> {};

TEST_P(Match, AgreesUnderLoss) {
  const std::uint64_t seed = GetParam().seed;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Harness harness{{.seed = seed, .link = bad_link(seed), .game = GetParam().game}};
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
  expect_inputs_stepped_once(harness, stepped_inputs(harness));
  expect_recording_replays(harness);
}

INSTANTIATE_TEST_SUITE_P(Arena, Match, testing::ValuesIn(seeds_of(games::arena(), 32)),
                         [](const auto& played) { return std::to_string(played.param.seed); });
INSTANTIATE_TEST_SUITE_P(Menagerie, Match, testing::ValuesIn(seeds_of(menagerie(), 8)),
                         [](const auto& played) { return std::to_string(played.param.seed); });

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
    return harness.match().hash();
  };
  EXPECT_EQ(hash_after(11), hash_after(11));
  EXPECT_NE(hash_after(11), hash_after(12));
}

}  // namespace
}  // namespace tickbox::tests
