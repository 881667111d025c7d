// A shard and its clients with any game: what both ends know of the game, and what is counted.

#include "server/shard/shard.h"

#include "engine/identity.h"
#include "games/arena/arena.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server::shard_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tests::Harness;

constexpr std::uint32_t kRate = 60;  // of a harness by default
constexpr std::size_t kClients = 4;

void add_clients(Harness& harness) {
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
}

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

TEST(Shard, CountsTheEntitiesOfEachKind) {
  Harness harness{{.max_clients = 8, .bot = "stress"}};
  add_clients(harness);
  for (int i = 0; i < 50; ++i) {
    harness.run_for(milliseconds{100});
    std::vector<RoomStatus> rooms;
    harness.shard().copy_rooms(rooms);
    ASSERT_EQ(rooms.size(), 1U);
    ASSERT_EQ(rooms[0].game, &harness.game());
    std::array<std::uint64_t, kKindsMax> counts{};
    for (const engine::RowInfo& info : harness.world().infos()) {
      ++counts[info.kind];
    }
    ASSERT_EQ(rooms[0].entities_of_kind, counts);
    ASSERT_EQ(rooms[0].entities(), harness.world().size());
    ASSERT_EQ(harness.shard().entities(), harness.world().size());
  }
}

// Inputs wait in the socket until it is drained. Their margins and round trips count from their
// arrival, so it does not matter when that is.
TEST(Shard, JudgesArrivalByHowLongADatagramHasWaited) {
  const auto play = [](bool drains_at_ticks) {
    Harness harness{
        {.link = {.delay = milliseconds{30}, .jitter = milliseconds{20}, .loss_ppm = 20'000},
         .bot = "stress"}};
    add_clients(harness);
    harness.run_for(seconds{2});
    if (drains_at_ticks) harness.drain_at_ticks();
    harness.run_for(seconds{5});
    const Metrics& metrics = harness.shard().metrics();
    std::vector<ClientStatus> clients;
    harness.shard().copy_clients(clients, harness.server_now());
    std::vector<std::int64_t> judged{metrics.input_margin.sum(), metrics.client_rtt.sum()};
    for (const ClientStatus& client : clients) {
      judged.insert(judged.end(), {client.margin, client.rtt_us});
    }
    return judged;
  };
  EXPECT_EQ(play(true), play(false));
}

}  // namespace
}  // namespace tickbox::server::shard_test
