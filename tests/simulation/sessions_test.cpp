// How sessions begin and end, seen from outside: full servers, silent clients, seats given again,
// hostile datagrams.

#include "record/reader.h"
#include "record/verify.h"
#include "tests/simulation/stepped_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::tests {
namespace {

using client::Connection;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Sessions, RefusesWhoComesWhenFull) {
  Harness harness{{.max_clients = 2}};
  harness.add_client();
  harness.add_client();
  harness.run_for(seconds{1});
  const std::size_t third = harness.add_client();
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.shard().clients(), 2U);
  EXPECT_EQ(harness.client(third).connection().state(), Connection::State::Refused);
  EXPECT_EQ(harness.client(third).connection().reason(), "server full 2/2");
}

TEST(Sessions, GivesASeatAgainAfterItsClientLeft) {
  Harness harness{{.max_clients = 1}};
  const std::size_t first = harness.add_client();
  harness.run_for(seconds{1});
  const BodyId first_body = harness.body_of(first);
  harness.leave(first);
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.shard().clients(), 0U);
  const std::size_t second = harness.add_client();
  harness.run_for(seconds{1});
  ASSERT_TRUE(harness.client(second).playing());
  EXPECT_NE(harness.body_of(second), first_body);
}

// At tick 2^31 sums of ticks would wrap. The server ends 65,536 ticks before, and says so.
TEST(Sessions, AServerStopsAtItsLastTick) {
  Harness harness{{.tick_end = 120}};
  const std::size_t client = harness.add_client();
  harness.run_for(milliseconds{1'900});
  EXPECT_TRUE(harness.client(client).playing());
  EXPECT_FALSE(harness.shard().stopping());
  harness.run_for(milliseconds{300});
  EXPECT_TRUE(harness.shard().stopping());
  EXPECT_EQ(harness.shard().clients(), 0U);
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Closed);
  EXPECT_EQ(harness.client(client).connection().reason(), "server is stopping");
  const auto said = [](const std::string& line) {
    return line == "room_over room=1 tick=120 clients=1 reason=tick_limit";
  };
  EXPECT_EQ(std::ranges::count_if(harness.log().lines(), said), 1);
  const std::size_t late = harness.add_client();
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.client(late).connection().refused(), net::RefuseReason::Draining);
}

// A client sends its goodbye three times. Before the fix, the second and third counted as datagrams
// of an unknown connection, and made a line in the log.
TEST(Sessions, AClientThatLeavesIsNoDrop) {
  Harness harness{{}};
  const std::size_t client = harness.add_client();
  harness.run_for(seconds{1});
  harness.leave(client);
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.shard().clients(), 0U);
  EXPECT_EQ(harness.shard().metrics().drops.total(), 0U);
}

TEST(Sessions, ClosesASilentClientAfterFiveSeconds) {
  Harness harness{{}};
  const std::size_t silent = harness.add_client();
  const std::size_t other = harness.add_client();
  harness.run_for(seconds{2});
  harness.silence(silent);
  harness.run_for(milliseconds{4'500});
  EXPECT_EQ(harness.shard().clients(), 2U);
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.shard().clients(), 1U);
  EXPECT_TRUE(harness.client(other).playing());
}

// Before the fix, all sessions were closed when the server's clock leapt, or went on while the
// machine was stopped.
TEST(Sessions, WhatAServerDidNotLiveToHearIsNobodysSilence) {
  Harness harness{{}};
  harness.add_client();
  const std::size_t silent = harness.add_client();
  harness.run_for(seconds{2});
  for (int leap = 0; leap < 3; ++leap) {
    harness.leap_server(std::chrono::hours{1});
    harness.run_for(seconds{1});
    EXPECT_EQ(harness.shard().clients(), 2U);
  }
  EXPECT_EQ(harness.client(silent).connection().sessions(), 1U);
  // The silence before a leap and the silence after it add up.
  harness.silence(silent);
  harness.run_for(milliseconds{2'500});
  harness.leap_server(seconds{20});
  harness.run_for(milliseconds{2'000});
  EXPECT_EQ(harness.shard().clients(), 2U);
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.shard().clients(), 1U);
  // Its body waits for it for half a minute, and no leap takes that away.
  harness.leap_server(std::chrono::hours{1});
  harness.wake(silent);
  harness.run_for(seconds{2});
  EXPECT_TRUE(harness.client(silent).playing());
  EXPECT_EQ(harness.client(silent).connection().sessions(), 2U);
  EXPECT_EQ(harness.shard().clients(), 2U);
}

TEST(Sessions, TellsEveryoneWhenTheServerStops) {
  Harness harness{{.link = {.loss_ppm = 100'000}}};
  for (int i = 0; i < 8; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{3});
  harness.shard().stop(harness.server_now());
  harness.run_for(seconds{1});
  int told = 0;
  for (const Harness::Player& player : harness.players()) {
    told += player.client->connection().reason() == "server is stopping" ? 1 : 0;
  }
  EXPECT_GE(told, 7);
  const std::size_t late = harness.add_client({});
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.client(late).connection().reason(), "server is stopping");
}

TEST(Sessions, SaysSoWhenNobodyAnswers) {
  Harness harness{{}};
  const std::size_t lonely = harness.add_client({.loss_ppm = 1'000'000});
  harness.run_for(seconds{6});
  EXPECT_EQ(harness.client(lonely).connection().state(), Connection::State::Silent);
  EXPECT_EQ(
      harness.client(lonely).connection().reason(),
      "no answer from 127.0.0.1:7777 after 5 s; is a server running there? Its path must carry "
      "datagrams of 1200 bytes");
}

/// Returns how far the first input of a client is ahead of the room. The client's link is down for
/// `down` when it sends its CONNECT.
std::int64_t ticks_ahead(milliseconds down) {
  constexpr milliseconds kOneWay{20};
  constexpr milliseconds kBeforeItAsks{2 * kOneWay - milliseconds{2}};
  Harness harness{{}};
  const std::size_t client = harness.add_client({.delay = kOneWay});
  harness.run_for(kBeforeItAsks);
  harness.network().cut(client);
  harness.run_for(down);
  harness.network().mend(client);
  for (int ms = 0; ms < 4'000 && harness.players()[client].inputs.empty(); ++ms) {
    harness.run_for(milliseconds{1});
  }
  const auto& inputs = harness.players()[client].inputs;
  return inputs.empty() ? INT64_MAX : inputs.begin()->first - harness.world().tick;
}

// The time until a lost request is repeated is no part of the round trip. Before the fix, a client
// counted it, began too far ahead by that time, and had no input for the server until it was over.
TEST(Sessions, BeginNoFurtherAheadOfTheServerWhereTheFirstAskWasLost) {
  const std::int64_t plain = ticks_ahead(milliseconds{0});
  EXPECT_GE(plain, 3);
  EXPECT_LE(plain, 6);
  for (const milliseconds down : {milliseconds{200}, milliseconds{700}, milliseconds{1'500}}) {
    const std::int64_t lossy = ticks_ahead(down);
    EXPECT_GE(lossy, plain - 1) << down.count();
    EXPECT_LE(lossy, plain + 1) << down.count();
  }
}

/// Returns how many players joined in each tick of a recording in which anybody joined.
std::vector<std::size_t> joins_by_tick(const Harness& harness) {
  std::vector<std::size_t> joins;
  step_again(harness, HarnessOptions{}.seed,
             {.on_tick = [&joins](const server::Match&, const engine::LoggedTick& tick) {
               if (!tick.joins.empty()) joins.push_back(tick.joins.size());
             }});
  return joins;
}

// A player joins with the first sealed packet of its client. All these packets are held on the way,
// and arrive at once.
TEST(Sessions, EveryoneJoinsInOneTickAndPlaysOn) {
  constexpr std::size_t kClients = 32;
  Harness harness{{.max_clients = kClients, .link = {.delay = milliseconds{20}}}};
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
  std::vector<bool> is_held(kClients);
  for (int ms = 0; ms < 2'000 && std::ranges::count(is_held, true) < int{kClients}; ++ms) {
    harness.run_for(milliseconds{1});
    for (std::size_t i = 0; i < kClients; ++i) {
      const bool accepted = harness.client(i).connection().state() == Connection::State::Connected;
      if (accepted && !is_held[i]) harness.network().hold_up(i, is_held[i] = true);
    }
  }
  ASSERT_EQ(std::ranges::count(is_held, true), int{kClients});
  harness.run_for(milliseconds{200});
  ASSERT_EQ(harness.shard().clients(), 0U);
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.network().hold_up(i, false);
  }
  harness.run_for(seconds{5});
  ASSERT_EQ(harness.shard().clients(), kClients);
  for (std::size_t i = 0; i < kClients; ++i) {
    EXPECT_TRUE(harness.client(i).playing()) << i;
    EXPECT_EQ(harness.client(i).connection().sessions(), 1U) << i;
    EXPECT_GT(harness.client(i).stats().hashes_checked, 100U) << i;
    EXPECT_EQ(harness.client(i).stats().hashes_mismatched, 0U) << i;
    EXPECT_EQ(harness.client(i).stats().packets_lost, 0U) << i;
  }
  EXPECT_EQ(harness.shard().metrics().hash_mismatches, 0U);
  EXPECT_EQ(harness.log().errors(), 0);
  harness.stop();
  EXPECT_EQ(joins_by_tick(harness), std::vector<std::size_t>{kClients});
  const auto result = record::verify(record::Reader::open(harness.recording()).value(),
                                     harness.game(), harness.map());
  EXPECT_TRUE(result.complete && result.held());
}

// 10,000 datagrams of random bytes, half of them with a first byte below 12, as most types have:
// each is dropped and counted, the playing client notices nothing, and the stranger gets no answer.
TEST(Sessions, DropsAndCountsNoise) {
  Harness harness{{.seed = 3}};
  const std::size_t client = harness.add_client();
  harness.run_for(seconds{1});
  Rng rng{99};
  net::Address stranger = SimulatedNetwork::server_address();
  stranger.port = 9;
  std::uint64_t bytes_in = 0;
  const std::uint64_t dropped_before = harness.shard().metrics().drops.total();
  for (int i = 0; i < 10'000; ++i) {
    std::vector<std::byte> noise(rng.below(1'400));
    for (std::byte& byte : noise) {
      byte = static_cast<std::byte>(rng.next());
    }
    if (!noise.empty() && rng.chance(1, 2)) {
      noise[0] = static_cast<std::byte>(rng.below(12));
    }
    bytes_in += noise.size();
    harness.network().inject(stranger, noise);
    if (i % 10 == 0) {
      harness.run_for(milliseconds{1});
    }
  }
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.shard().metrics().drops.total() - dropped_before, 10'000U);
  EXPECT_LE(harness.network().bytes_to_strangers(), bytes_in);
  EXPECT_EQ(harness.network().bytes_to_strangers(), 0U);
  EXPECT_EQ(harness.client(client).stats().hashes_mismatched, 0U);
  EXPECT_EQ(harness.client(client).stats().packets_lost, 0U);
}

// Bits flipped and tails cut on the way of a playing client: the packets are dropped and counted,
// and nothing else happens.
TEST(Sessions, DropsDamagedPacketsOfAPlayingClient) {
  Harness harness{{.seed = 4, .bot = "stress"}};
  const std::size_t client = harness.add_client({.corrupt_ppm = 100'000, .truncate_ppm = 100'000});
  harness.run_for(seconds{20});
  const net::LinkCounts& up = harness.network().up(client);
  const client::ClientStats stats = harness.client(client).stats();
  EXPECT_GT(up.corrupted + up.truncated, 100U);
  EXPECT_GE(harness.shard().metrics().drops.total(), (up.corrupted + up.truncated) * 9 / 10);
  EXPECT_EQ(stats.hashes_mismatched, 0U);
  EXPECT_GT(stats.hashes_checked, 500U);
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Connected);
}

}  // namespace
}  // namespace tickbox::tests
