#include "client/commands/play/input_script.h"

#include "engine/declared.h"
#include "engine/log/tick_log.h"
#include "games/arena/arena.h"
#include "games/catalog.h"
#include "tests/support/menagerie.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::commands::input_script_test {
namespace {

using tests::MemorySink;
using tests::RecordedMatch;

using Value = std::vector<std::byte>;

/// The games of the scripts in these tests.
const std::array<const GameTable*, 2> kGames{&games::arena(), &tests::menagerie()};

Value at_rest(const GameTable& game) {
  Value input(game.input.bytes);
  game.input.write_default(input.data());
  return input;
}

/// An input of the arena that only runs.
Value runs(std::int64_t move) {
  Value input = at_rest(games::arena());
  engine::set_value(games::arena().input.fields().front(), 0, move, input);
  return input;
}

/// Returns the script of what a sink took.
std::expected<InputScript, std::uint32_t> script_in(const RecordedMatch& match,
                                                    const MemorySink& sink, bool stopped = false) {
  return script_of(record::Reader::open(sink.bytes).value(),
                   {.game = &match.game(), .map = match.map()}, [stopped] { return stopped; });
}

/// What a seat wanted in a tick, as it was played; at rest where it had no player.
Value wanted(const GameTable& game, const tests::PlayedTick& tick, Player seat) {
  for (std::size_t i = 0; i < tick.sources.size(); ++i) {
    if (tick.sources[i].player == seat) return tick.inputs[i];
  }
  return at_rest(game);
}

Value value_of(const GameTable& game, ConstBytes input) {
  return input.empty() ? at_rest(game) : Value{input.begin(), input.end()};
}

class ScriptOf : public testing::TestWithParam<const GameTable*> {
 protected:
  ScriptOf() {
    tests::Writer writer{sink_, match_.header()};
    match_.record(writer, 200);
    EXPECT_TRUE(writer.finish());
  }

  [[nodiscard]] InputScript script() const { return script_in(match_, sink_).value(); }

  RecordedMatch match_{{.tick_rate = 10, .seats = 6, .seed = 12, .game = GetParam()}};
  MemorySink sink_;
};

TEST_P(ScriptOf, WantsInEveryTickWhatThePlayersWanted) {
  const GameTable& game = *GetParam();
  const Value rest = at_rest(game);
  ASSERT_EQ(script().ticks, 200U);
  ASSERT_EQ(script().players.size(), 6U);
  Playback playback{script(), {}};
  constexpr std::uint32_t kBegin = 5'000;
  playback.begin(Tick{kBegin});
  std::size_t busy = 0;
  for (std::size_t player = 0; player < 6; ++player) {
    EXPECT_EQ(value_of(game, playback.input(player, Tick{kBegin - 1})), rest);
    for (std::uint32_t i = 0; i < 200; ++i) {
      const Player seat = playback.script().players[player].seat;
      const Value input = value_of(game, playback.input(player, Tick{kBegin + i}));
      // An empty seat rests, in the script and in wanted().
      EXPECT_EQ(input, wanted(game, match_.played()[i], seat))
          << "seat " << seat.seat << " tick " << i;
      busy += input != rest ? 1U : 0U;
    }
    EXPECT_EQ(value_of(game, playback.input(player, Tick{kBegin + 200})), rest);
  }
  EXPECT_GT(busy, 500U);
}

TEST_P(ScriptOf, IsPlayedBySeveralClientsRoundAndRound) {
  const GameTable& game = *GetParam();
  const Value rest = at_rest(game);
  Playback playback{script(), {.clients = 8, .rounds = 3}};
  EXPECT_EQ(playback.clients(), 8U);
  EXPECT_EQ(playback.ticks(), 600U);
  constexpr std::uint32_t kBegin = 5'000;
  playback.begin(Tick{kBegin});
  std::size_t busy = 0;
  for (std::size_t client = 0; client < 8; ++client) {
    const Player seat = script().players[client % 6].seat;
    for (std::uint32_t i = 0; i < 600; ++i) {
      const Value input = value_of(game, playback.input(client, Tick{kBegin + i}));
      EXPECT_EQ(input, wanted(game, match_.played()[i % 200], seat))
          << "client " << client << " tick " << i;
      busy += input != rest ? 1U : 0U;
    }
    EXPECT_EQ(value_of(game, playback.input(client, Tick{kBegin + 600})), rest);
  }
  EXPECT_GT(busy, 2'000U);
}

TEST_P(ScriptOf, ComesBackFromItsText) {
  const auto parsed = parse_script(to_text(script()), kGames);
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(*parsed, script());
}

INSTANTIATE_TEST_SUITE_P(Games, ScriptOf, testing::ValuesIn(kGames),
                         [](const auto& of) { return std::string{of.param->name}; });

TEST(InputScript, OfASeatThatIsTakenInTheTickInWhichItWasLeftIsWhatItsNewPlayerWants) {
  const RecordedMatch match{{.seats = 1}};
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.keyframe(writer);
  engine::TickLog log{match.world()};
  const Player seat{0};
  const std::uint64_t client = 1;
  const engine::PlayerSource source{.player = seat, .source = engine::InputSource::Received};
  bool is_taken = false;
  for (const std::int64_t move : {3, 5, 5, 0}) {
    engine::TickRecord record;
    if (is_taken) record.outcomes.push_back({.kind = engine::OutcomeKind::Left, .player = seat});
    record.outcomes.push_back({.kind = engine::OutcomeKind::Joined, .player = seat});
    record.inputs.push_back({.player = seat, .first = 0});
    record.bytes = runs(move);
    const ConstBytes bytes = log.tick(record, {.sources = {&source, 1}, .clients = {&client, 1}});
    writer.tick({.tick = log.last(), .state_hash = 0, .bytes = bytes});
    is_taken = true;
  }
  ASSERT_TRUE(writer.finish());
  const InputScript script = script_in(match, sink).value();
  ASSERT_EQ(script.players.size(), 1U);
  EXPECT_EQ(script.players.front().changes,
            (std::vector<InputChange>{{.tick = 0, .input = runs(3)},
                                      {.tick = 1, .input = runs(5)},
                                      {.tick = 3, .input = runs(0)}}));
  EXPECT_EQ(parse_script(to_text(script), kGames), script);
}

TEST(InputScript, RestsWhereTicksAreMissing) {
  constexpr std::uint32_t kBefore = 20;
  RecordedMatch match{{.seats = 6, .seed = 12}};
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, kBefore);
  sink.room = 0;
  match.step();
  writer.tick(match.match().encoded_tick());
  sink.room = SIZE_MAX;
  match.keyframe(writer);
  match.record(writer, kBefore);
  ASSERT_TRUE(writer.finish());
  const InputScript script = script_in(match, sink).value();
  EXPECT_EQ(script.ticks, 2 * kBefore + 1);
  const Value rest = at_rest(match.game());
  std::size_t moved = 0;
  for (const PlayerScript& player : script.players) {
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < script.ticks; ++i) {
      const Value input = value_of(match.game(), player.input(i, at));
      const Value expected =
          i == kBefore ? rest : wanted(match.game(), match.played()[i], player.seat);
      EXPECT_EQ(input, expected) << "seat " << player.seat.seat << " tick " << i;
      moved += i + 1 == kBefore && input != rest ? 1U : 0U;
    }
  }
  EXPECT_GT(moved, 0U) << "somebody has to stop";
  EXPECT_EQ(parse_script(to_text(script), kGames), script);
}

constexpr const char* kHead =
    R"({"tickbox_inputs":2,"tick_rate":60,"game":"arena","first_tick":0,"ticks":9,"players":1,)"
    R"("fields":["move","shoot","ray","aim"]})";

TEST(InputScript, NamesTheLineThatIsWrong) {
  const auto error_of = [&](const std::string& player) {
    const auto parsed = parse_script(std::string{kHead} + "\n" + player, kGames);
    return parsed ? std::string{} : parsed.error();
  };
  EXPECT_EQ(error_of(R"({"seat":3,"inputs":[[0,1,0,0,5],[4,0,1,1,1023]]})"), "");
  for (const char* const wrong :
       {R"({"seat":4096,"inputs":[]})", R"({"seat":3,"inputs":[[0,9,0,0,5]]})",
        R"({"seat":3,"inputs":[[0,1,2,0,5]]})", R"({"seat":3,"inputs":[[0,1,0,0,1024]]})",
        R"({"seat":3,"inputs":[[0,-1,0,0,5]]})", R"({"seat":3,"inputs":[[0,1.5,0,0,5]]})",
        R"({"seat":3,"inputs":[[10,1,0,0,5]]})", R"({"seat":3,"inputs":[[2,1,0,0,5],[2,0,0,0,5]]})",
        R"({"seat":3,"inputs":[[0,1,0,0]]})", R"({"seat":-1,"inputs":[]})", "[]", "nonsense"}) {
    EXPECT_TRUE(error_of(wrong).starts_with("line 2")) << wrong << ": " << error_of(wrong);
  }
  EXPECT_TRUE(error_of("").starts_with("it has 0 players"));
  EXPECT_TRUE(parse_script("{}", kGames).error().starts_with("line 1"));
  EXPECT_FALSE(parse_script("", kGames));
}

/// Returns kHead with one text replaced.
std::string head_with(const std::string& text, const std::string& other) {
  std::string head = kHead;
  return head.replace(head.find(text), text.size(), other);
}

TEST(InputScript, FindsItsFieldsByName) {
  const std::string player =
      "\n"
      R"({"seat":3,"inputs":[[0,700,5]]})";
  const auto parsed =
      parse_script(head_with(R"("move","shoot","ray","aim")", R"("aim","move")") + player, kGames);
  ASSERT_TRUE(parsed) << parsed.error();
  Value expected = runs(5);
  engine::set_value(games::arena().input.fields().back(), 0, 700, expected);
  EXPECT_EQ(parsed->players.front().changes.front().input, expected) << "the others are by default";
  const auto unknown = parse_script(head_with(R"("aim")", R"("jump")") + player, kGames);
  EXPECT_EQ(unknown.error(), "line 1: its fields are not those of an input of arena");
}

TEST(InputScript, OfAnUnknownGameIsRefusedInWords) {
  EXPECT_EQ(parse_script(head_with("arena", "chess"), kGames).error(),
            "line 1: it is of a game that this program does not have; it has " +
                engine::names_of(kGames));
}

TEST(InputScript, GivenUpThereIsNone) {
  RecordedMatch match;
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, 20);
  EXPECT_FALSE(script_in(match, sink, true));
}

}  // namespace
}  // namespace tickbox::commands::input_script_test
