#include "client/commands/load/input_script.h"

#include "game/tick_log.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::commands {
namespace {

using tests::MemorySink;
using tests::RecordedMatch;

struct Recorded {
  RecordedMatch match{{.tick_rate = 10, .seats = 6, .seed = 12}};
  MemorySink sink;

  Recorded() {
    record::Writer writer{sink, match.header()};
    match.record(writer, 200);
    EXPECT_TRUE(writer.finish());
  }

  [[nodiscard]] InputScript script() const {
    return script_of(record::Reader::open(sink.bytes).value(), [] { return false; }).value();
  }
};

/// What a seat wanted in a tick, as it was played; at rest where it had no player.
game::Input wanted(const record::RecordedTick& tick, PlayerId seat) {
  for (const game::PlayerInput& each : tick.inputs) {
    if (each.player == seat) {
      return {.move = each.input.move, .buttons = each.input.buttons, .aim = each.input.aim};
    }
  }
  return {};
}

TEST(InputScript, WantsInEveryTickWhatThePlayersWanted) {
  const Recorded recorded;
  const InputScript script = recorded.script();
  EXPECT_EQ(script.ticks, 200U);
  ASSERT_EQ(script.players.size(), 6U);
  Playback playback{script};
  constexpr std::uint32_t kBegin = 5'000;
  playback.begin(Tick{kBegin});
  for (std::size_t player = 0; player < script.players.size(); ++player) {
    EXPECT_EQ(playback.input(player, Tick{kBegin - 1}), game::Input{});
    for (std::uint32_t i = 0; i < 200; ++i) {
      const auto& tick = recorded.match.played()[i];
      const PlayerId seat = script.players[player].seat;
      // An empty seat rests, in the script and in wanted().
      EXPECT_EQ(playback.input(player, Tick{kBegin + i}), wanted(tick, seat))
          << "seat " << seat.value << " tick " << i;
    }
    EXPECT_EQ(playback.input(player, Tick{kBegin + 200}), game::Input{});
  }
}

TEST(InputScript, OfASeatThatIsTakenInTheTickInWhichItWasLeftIsWhatItsNewPlayerWants) {
  const RecordedMatch match{{.seats = 1}};
  MemorySink sink;
  record::Writer writer{sink, match.header()};
  match.keyframe(writer);
  game::TickLog log{match.world()};
  const PlayerId seat{0};
  const std::uint64_t client = 1;
  const auto source = game::InputSource::Received;
  std::vector<PlayerId> leaves;
  for (const std::uint8_t move : std::to_array<std::uint8_t>({3, 5, 5, 0})) {
    const game::PlayerInput input{.player = seat, .input = {.move = move}};
    const ConstBytes bytes =
        log.tick({.leaves = leaves, .joins = {&seat, 1}, .inputs = {&input, 1}},
                 {.sources = {&source, 1}, .clients = {&client, 1}});
    writer.tick({.tick = log.last(), .bytes = bytes});
    leaves = {seat};
  }
  ASSERT_TRUE(writer.finish());
  const InputScript script =
      script_of(record::Reader::open(sink.bytes).value(), [] { return false; }).value();
  ASSERT_EQ(script.players.size(), 1U);
  EXPECT_EQ(script.players.front().changes,
            (std::vector<InputChange>{{.tick = 0, .input = {.move = 3}},
                                      {.tick = 1, .input = {.move = 5}},
                                      {.tick = 3, .input = {}}}));
  EXPECT_EQ(parse_script(to_text(script)), script);
}

TEST(InputScript, RestsWhereTicksAreMissing) {
  constexpr std::uint32_t kBefore = 20;
  RecordedMatch match{{.seats = 6, .seed = 12}};
  MemorySink sink;
  record::Writer writer{sink, match.header()};
  match.record(writer, kBefore);
  writer.lose(match.step().tick);
  match.keyframe(writer);
  match.record(writer, kBefore);
  ASSERT_TRUE(writer.finish());
  const InputScript script =
      script_of(record::Reader::open(sink.bytes).value(), [] { return false; }).value();
  EXPECT_EQ(script.ticks, 2 * kBefore + 1);
  std::size_t moved = 0;
  for (const PlayerScript& player : script.players) {
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < script.ticks; ++i) {
      const game::Input input = player.input(i, at);
      const game::Input expected =
          i == kBefore ? game::Input{} : wanted(match.played()[i], player.seat);
      EXPECT_EQ(input, expected) << "seat " << player.seat.value << " tick " << i;
      moved += i + 1 == kBefore && input != game::Input{} ? 1U : 0U;
    }
  }
  EXPECT_GT(moved, 0U) << "somebody has to stop";
  EXPECT_EQ(parse_script(to_text(script)), script);
}

TEST(InputScript, ComesBackFromItsText) {
  const InputScript script = Recorded{}.script();
  const auto parsed = parse_script(to_text(script));
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(*parsed, script);
}

TEST(InputScript, NamesTheLineThatIsWrong) {
  const std::string head =
      R"({"tickbox_inputs":1,"tick_rate":60,"rules":"arena","first_tick":0,"ticks":9,"players":1})";
  const auto error_of = [&](const std::string& player) {
    const auto parsed = parse_script(head + "\n" + player);
    return parsed ? std::string{} : parsed.error();
  };
  EXPECT_EQ(error_of(R"({"seat":3,"inputs":[[0,1,0,5],[4,0,3,1023]]})"), "");
  for (const char* const wrong :
       {R"({"seat":4096,"inputs":[]})", R"({"seat":3,"inputs":[[0,9,0,5]]})",
        R"({"seat":3,"inputs":[[0,1,4,5]]})", R"({"seat":3,"inputs":[[0,1,0,1024]]})",
        R"({"seat":3,"inputs":[[10,1,0,5]]})", R"({"seat":3,"inputs":[[2,1,0,5],[2,0,0,5]]})",
        R"({"seat":3,"inputs":[[0,1,0]]})", R"({"seat":-1,"inputs":[]})", "[]", "nonsense"}) {
    EXPECT_TRUE(error_of(wrong).starts_with("line 2")) << wrong << ": " << error_of(wrong);
  }
  EXPECT_TRUE(error_of("").starts_with("it has 0 players"));
  EXPECT_TRUE(parse_script("{}").error().starts_with("line 1"));
  EXPECT_FALSE(parse_script(""));
}

TEST(InputScript, GivenUpThereIsNone) {
  const auto file = tests::small_recording(2, 10);
  EXPECT_FALSE(script_of(record::Reader::open(file).value(), [] { return true; }));
}

}  // namespace
}  // namespace tickbox::commands
