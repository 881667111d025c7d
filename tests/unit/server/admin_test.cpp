#include "server/host/admin.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

using std::chrono::seconds;

constexpr Instant kNow{seconds{50}};

Status status_of(ServerState state) {
  Status status;
  status.state = state;
  status.last_tick = kNow;
  status.metrics.clients_max = 2;
  return status;
}

TEST(Admin, IsReadyOnlyWhileItTakesClients) {
  EXPECT_EQ(answer("/readyz", status_of(ServerState::Ready), {}, kNow).status, 200U);
  EXPECT_EQ(answer("/readyz", status_of(ServerState::Starting), {}, kNow).body, "starting\n");
  const AdminReply draining = answer("/readyz", status_of(ServerState::Draining), {}, kNow);
  EXPECT_EQ(draining.status, 503U);
  EXPECT_EQ(draining.body, "draining\n");
}

// Before the fix, it answered "ok" while the server refused every newcomer.
TEST(Admin, IsNotReadyWhileItIsFull) {
  Status status = status_of(ServerState::Ready);
  status.seats_held = 1;
  EXPECT_EQ(answer("/readyz", status, {}, kNow).status, 200U);
  status.seats_held = 2;
  const AdminReply full = answer("/readyz", status, {}, kNow);
  EXPECT_EQ(full.status, 503U);
  EXPECT_EQ(full.body, "full 2/2\n");
  EXPECT_EQ(answer("/livez", status, {}, kNow).status, 200U);
}

// A server is starting until clients can connect.
TEST(Admin, IsNotAliveBeforeItsFirstTick) {
  const AdminReply starting = answer("/livez", Status{}, {}, kNow);
  EXPECT_EQ(starting.status, 503U);
  EXPECT_EQ(starting.body, "starting\n");
}

TEST(Admin, IsAliveWhileItTicks) {
  const Status status = status_of(ServerState::Ready);
  EXPECT_EQ(answer("/livez", status, {}, kNow + seconds{2}).status, 200U);
  const AdminReply stalled = answer("/livez", status, {}, kNow + seconds{3});
  EXPECT_EQ(stalled.status, 500U);
  EXPECT_EQ(stalled.body, "stalled: no tick for 3000 ms\n");
}

// Before the fix, a stalled server was not alive, but ready: players were still sent to it.
TEST(Admin, IsNotReadyUnlessItIsAlive) {
  const AdminReply stalled =
      answer("/readyz", status_of(ServerState::Ready), {}, kNow + seconds{3});
  EXPECT_EQ(stalled.status, 503U);
  EXPECT_EQ(stalled.body, "stalled: no tick for 3000 ms\n");
}

// Before the fix, a scraper that asked before the first publish ended the server: there is no game
// yet whose entities could be counted.
TEST(Admin, HasNoMetricsBeforeItHasAGame) {
  EXPECT_EQ(answer("/metrics", Status{}, {}, kNow).status, 503U);
}

// A server that stops runs no tick, and waits up to 20 s for its disk. Before the fix, a probe of
// its liveness would have ended it meanwhile.
TEST(Admin, IsAliveWhileItDrains) {
  const AdminReply draining =
      answer("/livez", status_of(ServerState::Draining), {}, kNow + seconds{10});
  EXPECT_EQ(draining.status, 200U);
  EXPECT_EQ(draining.body, "draining\n");
}

TEST(Admin, KnowsNothingElse) {
  EXPECT_EQ(answer("/../etc", status_of(ServerState::Ready), {}, kNow).status, 404U);
}

}  // namespace
}  // namespace tickbox::server
