// How sessions end, seen from outside: the last tick of a server, goodbyes, silence, and bodies
// that wait.

#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tickbox::tests {
namespace {

using client::Connection;
using std::chrono::milliseconds;
using std::chrono::seconds;

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

// The ends agree on the best cipher that both have, by token and by ticket, and play with it.
TEST(Sessions, HaveTheLesserOfTheBestCiphersOfTheirEnds) {
  using enum net::Cipher;
  if (!net::crypto_ready() || net::best_cipher() != Aes256Gcm)
    GTEST_SKIP() << "the processor has no AES";
  for (const net::Cipher of_server : {ChaCha20Poly1305, Aes256Gcm}) {
    for (const net::Cipher of_client : {ChaCha20Poly1305, Aes256Gcm}) {
      Harness harness{{.link = {.delay = milliseconds{20}, .loss_ppm = 50'000},
                       .server_cipher = of_server,
                       .client_cipher = of_client}};
      const std::size_t client = harness.add_client();
      const std::string name{net::name_of(std::min(of_server, of_client))};
      for (const std::string_view event : {"session_opened", "session_resumed"}) {
        harness.run_for(seconds{3});
        EXPECT_TRUE(harness.client(client).playing());
        EXPECT_EQ(harness.client(client).connection().channel().cipher(),
                  std::min(of_server, of_client));
        const auto says = [&](const std::string& line) {
          return line.starts_with(event) && line.contains("cipher=" + name + " ");
        };
        EXPECT_EQ(std::ranges::count_if(harness.log().lines(), says), 1) << event << name;
        harness.restart_with_ticket(client);
      }
      EXPECT_EQ(harness.log().errors(), 0);
    }
  }
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

bool is_in_world(const Harness& harness, BodyId body) {
  return harness.world().index_of(body) != harness.world().size();
}

TEST(Sessions, KeepABodyForThirtySecondsAndNoLonger) {
  Harness harness{{}};
  const std::size_t early = harness.add_client();
  const std::size_t late = harness.add_client();
  harness.run_for(seconds{2});
  const BodyId early_body = harness.body_of(early);
  const BodyId late_body = harness.body_of(late);
  harness.silence(early);
  harness.silence(late);
  harness.run_for(seconds{34});  // 5 until they are missed
  EXPECT_EQ(harness.shard().clients(), 0U);
  EXPECT_TRUE(is_in_world(harness, early_body));
  harness.restart_with_ticket(early);
  harness.run_for(seconds{2});
  EXPECT_TRUE(harness.client(early).playing());
  EXPECT_TRUE(is_in_world(harness, early_body));
  EXPECT_FALSE(is_in_world(harness, late_body));
  harness.restart_with_ticket(late);
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.client(late).connection().state(), Connection::State::Refused);
  harness.run_for(seconds{40});
  EXPECT_TRUE(is_in_world(harness, early_body)) << "its client is back";
  EXPECT_EQ(harness.client(early).connection().sessions(), 1U);
}

}  // namespace
}  // namespace tickbox::tests
