// A shard and its clients with any game: what both ends know of the game, and what is counted.

#include "server/shard/shard.h"

#include "engine/identity.h"
#include "games/arena/arena.h"
#include "record/reader.h"
#include "record/verify.h"
#include "tests/support/changed_game.h"
#include "tests/support/harness.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tickbox::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tests::ChangedGame;
using tests::Harness;
using tests::MidTick;

constexpr std::uint32_t kRate = 60;  // of a harness by default
constexpr std::size_t kClients = 4;
constexpr net::LinkConditions kLink{
    .delay = milliseconds{30}, .jitter = milliseconds{5}, .loss_ppm = 20'000};

void add_clients(Harness& harness) {
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
}

class ShardOfGame : public testing::TestWithParam<const GameTable*> {};

TEST_P(ShardOfGame, ClientsHaveItsStateToTheBitAndItsRecordingHolds) {
  Harness harness{{.max_clients = 8, .link = kLink, .game = GetParam()}};
  add_clients(harness);
  harness.run_for(seconds{8});
  EXPECT_EQ(harness.shard().clients(), kClients);
  for (std::size_t i = 0; i < kClients; ++i) {
    const client::ClientStats stats = harness.client(i).stats();
    EXPECT_GT(stats.hashes_checked, 200U) << "client " << i;
    EXPECT_EQ(stats.hashes_mismatched, 0U) << "client " << i;
    EXPECT_EQ(stats.snapshots_rejected, 0U) << "client " << i;
    EXPECT_GT(harness.players()[i].inputs.size(), 300U) << "client " << i;
  }
  harness.stop();
  EXPECT_EQ(harness.log().errors(), 0);
  const auto result = record::verify(record::Reader::open(harness.recording()).value(),
                                     harness.game(), harness.map());
  EXPECT_TRUE(result.held());
  EXPECT_TRUE(result.complete);
  EXPECT_GT(result.ticks, 400U);
}

INSTANTIATE_TEST_SUITE_P(Games, ShardOfGame, testing::Values(&games::arena(), &tests::menagerie()),
                         [](const auto& game) { return std::string{game.param->name}; });

TEST(Shard, AnAcceptNamesTheGameTheMapAndTheSeat) {
  Harness harness{{.max_clients = 8}};
  add_clients(harness);
  harness.run_for(seconds{1});
  const engine::Identity identity = engine::identity_of(harness.game(), harness.map(), kRate);
  for (std::size_t i = 0; i < kClients; ++i) {
    const net::Accept& accept = harness.client(i).connection().accept();
    EXPECT_EQ(accept.game, identity.game);
    EXPECT_EQ(accept.game_version, identity.version);
    EXPECT_EQ(accept.game_hash, identity.game_hash);
    EXPECT_EQ(accept.map_seats, 8U);
    EXPECT_EQ(accept.map_hash, identity.map_hash);
    EXPECT_EQ(accept.shared_seed, harness.world().shared_seed);
    EXPECT_EQ(accept.generation, engine::generation_of(harness.body_of(i)));
    EXPECT_EQ(accept.player.value, engine::lineage_of(harness.body_of(i)));
  }
}

// Before the fix, the ACCEPT named generation 2^18, which no id can have.
TEST(Shard, TheGenerationAfterTheLastIsTheFirst) {
  GameTable game = games::arena();
  game.open = [](detail::Running& running) {
    games::arena().open(running);
    for (engine::SeatInfo& seat : running.world().seats()) {
      seat.generation = engine::kGenerations - 1;
    }
  };
  Harness harness{{.game = &game}};
  const std::size_t client = harness.add_client();
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.client(client).connection().accept().generation, 0U);
  EXPECT_EQ(engine::generation_of(harness.body_of(client)), 0U);
  EXPECT_EQ(harness.client(client).stats().hashes_mismatched, 0U);
}

TEST(Shard, AClientWithoutTheGameEndsInWords) {
  const GameTable* const other = &tests::menagerie();
  Harness harness{{.client_game = [&](std::size_t) { return other; }}};
  harness.add_client();
  harness.run_for(seconds{2});
  const client::Connection& connection = harness.client(0).connection();
  EXPECT_TRUE(connection.over());
  EXPECT_EQ(connection.reason(),
            "the server plays \"arena\", which this program does not have; it has menagerie");
}

TEST(Shard, CountsTheEntitiesOfEachKind) {
  Harness harness{{.max_clients = 8, .bot = "stress"}};
  add_clients(harness);
  for (int i = 0; i < 50; ++i) {
    harness.run_for(milliseconds{100});
    const Metrics& metrics = harness.shard().metrics();
    ASSERT_EQ(metrics.game, &harness.game());
    std::array<std::uint64_t, kKindsMax> counts{};
    for (const engine::RowInfo& info : harness.world().infos()) {
      ++counts[info.kind];
    }
    ASSERT_EQ(metrics.entities_of_kind, counts);
    ASSERT_EQ(metrics.entities(), harness.world().size());
  }
}

// A fault that a test plants at either end, with tests/support/changed_game.h, is found.
TEST(Shard, AFlippedBitAtEitherEndIsNamedByBoth) {
  for (const bool in_room : {false, true}) {
    SCOPED_TRACE(in_room ? "in the room" : "in a client");
    Tick at;
    BodyId body;
    const tests::ChangeTick flip = [&](const MidTick& tick) {
      if (tick.tick() == at) tick.flip(body, "x", 0);
    };
    const ChangedGame changed{games::arena(), {.after = flip}};
    const ChangedGame unchanged{games::arena(), {}};
    const auto hash_of = [](const GameTable& game) {
      return engine::game_hash(game, engine::make_map(game, {.seats = 8}, kRate), kRate);
    };
    ASSERT_EQ(hash_of(changed), hash_of(games::arena()));
    Harness harness{{.max_clients = 8,
                     .link = {.delay = milliseconds{30}},
                     .bot = "wander",
                     .game = in_room ? &changed : &unchanged,
                     .client_game = [&](std::size_t client) -> const GameTable* {
                       return !in_room && client == 1 ? &changed : &unchanged;
                     }}};
    add_clients(harness);
    harness.run_for(seconds{3});
    body = harness.body_of(2);
    at = harness.world().tick + 5;
    harness.run_for(seconds{3});
    ASSERT_GE(harness.desyncs().size(), 1U);
    for (const protocol::Desync& desync : harness.desyncs()) {
      ASSERT_TRUE(desync.difference);
      EXPECT_EQ(desync.difference->entity, body);
      EXPECT_EQ(desync.difference->first_fields[0].field, "x");
    }
    EXPECT_GE(harness.desyncs(1).size(), 1U);
  }
}

}  // namespace
}  // namespace tickbox::server
