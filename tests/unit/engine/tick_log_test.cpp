#include "engine/log/tick_log.h"

#include "games/arena/arena.h"
#include "tests/support/allocations.h"
#include "tests/support/altered.h"
#include "tests/support/declared_values.h"
#include "tests/support/menagerie.h"
#include "tests/unit/engine/logged_match.h"
#include "tests/unit/engine/yard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::engine {
namespace {

using enum InputSource;
using tests::altered;
using tests::bytes;
using tests::Bytes;
using tests::copy_of;
using tests::LoggedMatch;
using tests::Stick;
using tests::yard;

constexpr std::uint32_t kRate = 60;

/// What enters one tick of the yard.
struct Entered {
  std::vector<Player> leaves;
  std::vector<Join> joins;
  std::vector<std::uint64_t> clients;
  std::vector<std::pair<Player, Stick>> inputs;
  std::vector<PlayerSource> sources;
  std::vector<Strike> strikes;
};

/// A room of the yard with its log, what is read of it, and a world that steps what is read.
class Log {
 public:
  explicit Log(std::uint32_t seats)
      : world_(yard(), make_map(yard(), {.seats = seats}, kRate), kRate, 1),
        twin_(world_),
        log_(world_),
        reader_(yard()) {
    reader_.begin(world_);
  }

  /// Steps and writes a tick, and reads and steps it again.
  Bytes tick(const Entered& entered) {
    std::vector<PlayerInput> inputs;
    inputs.reserve(entered.inputs.size());
    for (const auto& [player, stick] : entered.inputs) {
      inputs.push_back({.player = player, .input = std::as_bytes(std::span{&stick, 1})});
    }
    const JudgeRays judge = [&](std::span<const FiredRay>, std::vector<Strike>& strikes) {
      strikes = entered.strikes;
    };
    stepper_.step(
        world_,
        {.leaves = entered.leaves, .joins = entered.joins, .inputs = inputs, .judge = &judge},
        record_);
    const ConstBytes written =
        log_.tick(record_, {.sources = entered.sources, .clients = entered.clients});
    EXPECT_TRUE(std::ranges::equal(written, log_.bytes()));
    EXPECT_TRUE(reader_.read(written, read_));
    EXPECT_TRUE(tests::say_the_same(yard(), record_, read_.record));
    EXPECT_TRUE(is_valid(twin_, read_.record));
    replay_.replay(twin_, read_.record);
    EXPECT_EQ(state_hash(twin_), state_hash(world_));
    return copy_of(written);
  }

  /// With one player's input.
  Bytes tick(Player player, Stick stick, InputSource source) {
    return tick({.inputs = {{player, stick}}, .sources = {{.player = player, .source = source}}});
  }

  void join(std::initializer_list<std::uint16_t> seats, std::string_view user_data = {}) {
    Entered entered;
    for (const std::uint16_t seat : seats) {
      entered.joins.push_back({.player = {seat}, .user_data = user_data});
      entered.clients.push_back(seat);
    }
    tick(entered);
  }

  [[nodiscard]] const TickLog& log() const { return log_; }

  [[nodiscard]] const World& world() const { return world_; }

  /// What was read last.
  [[nodiscard]] const DecodedTick& read() const { return read_; }

 private:
  World world_;
  World twin_;
  Stepper stepper_;
  Stepper replay_;
  TickRecord record_;
  TickLog log_;
  TickLogReader reader_;
  DecodedTick read_;
};

constexpr std::uint64_t kClient = 0x0102'0304'0506'0708;

// Exact bytes.

TEST(TickLog, OfATickThatNothingEnteredIsEmpty) {
  Log log{8};
  EXPECT_EQ(log.tick({}), bytes({}));
  EXPECT_TRUE(log.log().is_quiet());
  EXPECT_EQ(log.log().last(), Tick{1});
  EXPECT_TRUE(log.read().record.outcomes.empty() && log.read().sources.empty());
}

TEST(TickLog, OfAJoinHasTheSeatTheClientAndTheUserBytes) {
  Log log{8};
  EXPECT_EQ(log.tick({.joins = {{.player = {5}, .user_data = {}}}, .clients = {kClient}}),
            bytes({10, 1,                   // joins: one
                   5, 8,                    // seat 5, of 8 bytes
                   8, 7, 6, 5, 4, 3, 2, 1,  // the client's id
                   1, 1, 2}));              // outcomes: one, of one byte: joined
  EXPECT_FALSE(log.log().is_quiet());
  EXPECT_EQ(log.read().joins, std::vector{Player{5}});
  EXPECT_EQ(log.read().clients, std::vector{kClient});
  EXPECT_EQ(log.read().sources, (std::vector<PlayerSource>{{.player = {5}, .source = Neutral}}));

  const Bytes with_data =
      log.tick({.joins = {{.player = {6}, .user_data = "red"}}, .clients = {kClient}});
  EXPECT_TRUE(std::ranges::equal(ConstBytes{with_data}.first(15),
                                 bytes({10, 1, 6, 11, 8, 7, 6, 5, 4, 3, 2, 1, 'r', 'e', 'd'})));
  const Outcome& joined = log.read().record.outcomes[0];
  ASSERT_EQ(joined.kind, OutcomeKind::Joined);
  EXPECT_TRUE(std::ranges::equal(log.read().record.bytes_of(joined), bytes({'r', 'e', 'd'})));
}

TEST(TickLog, OfAnInputIsWhatDiffersFromTheTickBefore) {
  Log log{8};
  log.join({5});
  EXPECT_EQ(log.tick({5}, {.walk = 1}, Received), bytes({4, 1, 5, 4, 5})) << "one byte";
  EXPECT_EQ(log.tick({5}, {.walk = 1}, Received), bytes({})) << "it stays";
  EXPECT_FALSE(log.log().is_quiet()) << "somebody is in the room";
  EXPECT_EQ(log.read().sources, (std::vector<PlayerSource>{{.player = {5}, .source = Received}}));

  EXPECT_EQ(log.tick({5}, {.walk = 1}, Repeated), bytes({4, 1, 5, 1})) << "another source";
  EXPECT_TRUE(log.read().record.inputs.empty());
  EXPECT_EQ(log.read().sources, (std::vector<PlayerSource>{{.player = {5}, .source = Repeated}}));
  EXPECT_EQ(log.tick({5}, {.walk = 1}, Neutral), bytes({4, 1, 5, 2}));
  EXPECT_EQ(log.tick({5}, {}, Neutral), bytes({4, 1, 5, 6, 0})) << "rests";

  EXPECT_EQ(log.tick({5}, {.kick = {true}}, Received), bytes({4, 1, 5, 4, 6}));
  EXPECT_EQ(log.tick({5}, {.kick = {true}}, Received), bytes({4, 1, 5, 4, 6}))
      << "a press is pressed in each tick again";
  EXPECT_EQ(log.tick({5}, {}, Received), bytes({})) << "it is released";
}

TEST(TickLog, KeepsTheSourceOfAPlayerWithoutOne) {
  Log log{8};
  log.join({2, 5});
  log.tick({5}, {.walk = 1}, Repeated);
  EXPECT_EQ(log.tick({.inputs = {{{2}, {.walk = 1}}, {{5}, {.walk = -1}}},
                      .sources = {{.player = {2}, .source = Received}}}),
            bytes({4, 2, 2, 4, 5, 2, 5, 1}))
      << "the input of seat 5 has the source that it had";
  EXPECT_EQ(log.read().sources, (std::vector<PlayerSource>{{.player = {2}, .source = Received},
                                                           {.player = {5}, .source = Repeated}}));
  EXPECT_EQ(log.tick({}), bytes({}));
  EXPECT_EQ(log.read().sources, (std::vector<PlayerSource>{{.player = {2}, .source = Received},
                                                           {.player = {5}, .source = Repeated}}));
}

TEST(TickLog, OfASeatThatIsTakenAgainBeginsAtTheDefault) {
  Log log{8};
  log.join({5});
  log.tick({5}, {.walk = 1}, Received);
  EXPECT_EQ(log.tick({.leaves = {{5}},
                      .joins = {{.player = {5}, .user_data = {}}},
                      .clients = {2},
                      .inputs = {{{5}, {.walk = 1}}},
                      .sources = {{.player = {5}, .source = Received}}}),
            bytes({15,                                // all four lists
                   1,  5,                             // leaves
                   1,  5, 8, 2, 0, 0, 0, 0, 0, 0, 0,  // joins
                   1,  5, 4, 5,                       // inputs
                   2,  1, 0, 1, 2}));                 // outcomes: left, joined
  EXPECT_EQ(log.tick({.leaves = {{5}}}), bytes({9, 1, 5, 1, 1, 0}));
  EXPECT_FALSE(log.log().is_quiet()) << "somebody leaves";
  EXPECT_EQ(log.tick({}), bytes({}));
  EXPECT_TRUE(log.log().is_quiet());
  log.join({5});
  EXPECT_EQ(log.read().sources, (std::vector<PlayerSource>{{.player = {5}, .source = Neutral}}));
}

// The hook of the first leave decides for an entity that the second leave removes. A log with the
// leaves first would decide for nobody.
TEST(TickLog, KeepsTheOrderOfLeavesAndWhatTheirHooksDecide) {
  Log log{8};
  log.join({1, 2, 3}, "red");
  ASSERT_EQ(log.world().size(), 3U);
  log.tick({.leaves = {{1}, {2}}, .joins = {{.player = {1}, .user_data = "red"}}, .clients = {1}});
  std::vector<OutcomeKind> kinds;
  for (const Outcome& outcome : log.read().record.outcomes) {
    kinds.push_back(outcome.kind);
  }
  using enum OutcomeKind;
  EXPECT_EQ(kinds, (std::vector{Decided, Decided, Decided, Left, Decided, Decided, Left, Joined,
                                Spawned}));
}

TEST(TickLog, HasStrikesBetweenTheOutcomesOfJoinsAndOfDecisions) {
  Log log{8};
  log.join({0, 1}, "red");
  const Ref victim = ref_of(log.world().id(1));
  const Bytes tick = log.tick({.inputs = {{{0}, {.kick = {true}}}},
                               .sources = {{.player = {0}, .source = Received}},
                               .strikes = {{.shooter = {0}, .victim = victim}}});
  EXPECT_TRUE(std::ranges::equal(ConstBytes{tick}.first(9),
                                 bytes({12, 1, 0, 4, 6,    // an input
                                        1, 10, 20, 0})));  // a strike of seat 0, of ten bytes
  EXPECT_EQ(log.read().record.strikes, (std::vector<Strike>{{.shooter = {0}, .victim = victim}}));
}

TEST(TickLog, ReadsSeatsThatNeedTwoBytes) {
  Log log{kSeatsMax};
  log.join({0, 1, 130, 4'095}, "red");
  EXPECT_EQ(log.read().joins, (std::vector<Player>{{0}, {1}, {130}, {4'095}}));
  EXPECT_EQ(log.tick({.inputs = {{{130}, {.walk = 1}}, {{4'095}, {.walk = -1}}},
                      .sources = {{.player = {130}, .source = Received},
                                  {.player = {4'095}, .source = Repeated}}}),
            bytes({4, 2, 0x82, 0x01, 4, 5, 0xfc, 0x1e, 5, 1}));
}

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

// Matches.

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
    for (const PlayerSource& source : match.sources()) {
      ASSERT_NE(std::ranges::find(read.sources, source), read.sources.end()) << at;
    }
    ASSERT_TRUE(is_valid(twin, read.record)) << at;
    stepper.replay(twin, read.record);
    ASSERT_EQ(state_hash(twin), state_hash(match.world())) << at;
    ASSERT_EQ(read.sources.size(),
              static_cast<std::size_t>(std::ranges::count_if(twin.seats(), &SeatInfo::taken)))
        << at;
    Bytes again;
    std::vector<InputSource> sources(twin.seats().size(), Neutral);
    for (const auto& [player, source] : read.sources) {
      sources[player.seat] = source;
    }
    encode_keyframe(twin, state_hash(twin), sources, again);
    ASSERT_EQ(again, match.keyframe()) << at;
  }
}

TEST_P(TickLogOf, GivesBackEveryTickOfAMatch) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    LoggedMatch match{*GetParam(), {.seed = seed, .tick_rate = kRate, .seats = 12}};
    ASSERT_NO_FATAL_FAILURE(follow(match, 400)) << "seed " << seed;
  }
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
      ASSERT_NO_FATAL_FAILURE(try_bytes(altered(tick, rng), before, reader_before)) << i;
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
}  // namespace tickbox::engine
