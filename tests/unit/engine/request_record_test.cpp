#include "engine/declared.h"
#include "engine/tick_record.h"
#include "games/arena/arena.h"
#include "package/laws/random_match.h"
#include "tests/support/menagerie.h"
#include "tests/support/short_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace tickbox::engine {
namespace {

/// Counts what the requests of a match had.
struct Had {
  std::size_t opened = 0;
  std::size_t leaves = 0;
  std::size_t joins = 0;
  std::size_t commands = 0;
  std::size_t inputs = 0;
};

/// Expects that a request is read back as it was given, without its judge.
void expect_read_back(const GameTable& game, const TickRequest& given, const TickRecord& record) {
  const RequestReader reader{game, record};
  const TickRequest read = reader.request();
  EXPECT_EQ(read.opens_match, given.opens_match);
  EXPECT_TRUE(std::ranges::equal(read.leaves, given.leaves));
  EXPECT_TRUE(std::ranges::equal(read.joins, given.joins, [](const Join& a, const Join& b) {
    return a.player == b.player && a.user_data == b.user_data;
  }));
  EXPECT_TRUE(std::ranges::equal(read.commands, given.commands,
                                 [&game](const Command& a, const Command& b) {
                                   return a.player == b.player && a.type == b.type &&
                                          are_equal(game.commands[a.type].type, a.bytes, b.bytes);
                                 }));
  EXPECT_TRUE(std::ranges::equal(read.inputs, given.inputs,
                                 [&game](const PlayerInput& a, const PlayerInput& b) {
                                   return a.player == b.player &&
                                          are_equal(game.input, a.input, b.input);
                                 }))
      << "also that of a player who holds it already";
  EXPECT_EQ(read.judge, nullptr);
}

TEST(RequestRecord, IsReadBackAsTheRequestWas) {
  for (const GameTable* const game :
       std::array{&games::arena(), &tests::menagerie(), &tests::short_match()}) {
    SCOPED_TRACE(game->name);
    laws::RandomMatch match{*game, make_map(*game, {.seats = 6}, 60), {.seed = 3, .seats = 6}};
    TickRecord record;  // each request replaces the one before
    Had had;
    for (int tick = 0; tick < 600; ++tick) {
      SCOPED_TRACE(tick);
      const TickRequest& given = match.draw();
      write_request(*game, given, record);
      expect_read_back(*game, given, record);
      if (HasFailure()) return;
      EXPECT_TRUE(record.strikes.empty());
      EXPECT_TRUE(std::ranges::all_of(record.outcomes, [](const Outcome& outcome) {
        return outcome.phase == OutcomePhase::Joining;
      })) << "nothing that a step decides";
      had.opened += given.opens_match ? 1U : 0U;
      had.leaves += given.leaves.size();
      had.joins += given.joins.size();
      had.commands += given.commands.size();
      had.inputs += given.inputs.size();
      match.step();
    }
    EXPECT_TRUE(had.leaves > 10 && had.joins > 10 && had.inputs > 100);
    EXPECT_EQ(had.commands > 10, !game->commands.empty());
    EXPECT_EQ(had.opened > 5, game == &tests::short_match());
  }
}

TEST(RequestRecord, SaysThatATickIsIdle) {
  const GameTable& game = games::arena();
  TickRecord record;
  write_request(game, {.is_idle = true}, record);
  EXPECT_TRUE(record.is_idle);
  EXPECT_TRUE((RequestReader{game, record}.request().is_idle));
  write_request(game, {}, record);
  EXPECT_FALSE((RequestReader{game, record}.request().is_idle));
}

}  // namespace
}  // namespace tickbox::engine
