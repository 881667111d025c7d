// Clients that audit: on any link they step the whole room to the server's hash, tick by tick, and
// a single wrong bit at either end is found in the tick in which it is wrong.

#include "games/arena/arena.h"
#include "tests/support/allocations.h"
#include "tests/support/changed_game.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr net::LinkConditions kFarAway{
    .delay = milliseconds{36}, .jitter = milliseconds{8}, .loss_ppm = 50'000};

const net::RefuseReason kMayNot = net::RefuseReason::MayNotAudit;
const net::RefuseReason kFull = net::RefuseReason::AuditorsFull;

std::uint64_t refused(Harness& harness, net::RefuseReason reason) {
  return harness.shard().metrics().refusals[static_cast<std::size_t>(reason)];
}

/// How far an auditor's room is behind the server's.
std::int64_t behind(const Harness& harness, std::size_t auditor) {
  return harness.world().tick - harness.client(auditor).newest_view();
}

/// Everything that any match may ask of an auditor whose run was never begun again.
void expect_seamless(Harness& harness, std::size_t auditor, std::int64_t behind_max) {
  const client::ClientStats stats = harness.client(auditor).stats();
  EXPECT_EQ(stats.audit_mismatched, 0U);
  EXPECT_EQ(stats.audit_runs, 1U);
  EXPECT_GE(behind(harness, auditor), 0);
  EXPECT_LE(behind(harness, auditor), behind_max);
  EXPECT_EQ(stats.snapshots_received, 0U);
  EXPECT_EQ(harness.log().errors(), 0);
}

TEST(Audit, StepsTheWholeRoomToTheServersHash) {
  Harness harness{{.seed = 21}};
  for (int i = 0; i < 8; ++i) {
    harness.add_client();
  }
  const std::size_t auditor = harness.add_auditor({});
  harness.run_for(seconds{20});
  expect_seamless(harness, auditor, 1 + 60 / server::kQuietSnapshotsPerSecond);
  const client::ClientStats stats = harness.client(auditor).stats();
  EXPECT_GT(stats.audited, 19U * 60);
  EXPECT_TRUE(harness.client(auditor).playing());
  EXPECT_GT(stats.untouched.checked, 300U);
  EXPECT_EQ(stats.untouched.exact, stats.untouched.checked);
  EXPECT_GT(harness.client(auditor).connection().use().bytes_down, 0U);
  EXPECT_EQ(harness.shard().metrics().audit.auditors, 1U);
  EXPECT_EQ(harness.shard().metrics().audit.sent_again, 0U);
}

TEST(Audit, LosesNothingOnABadLink) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    net::LinkConditions link = kFarAway;
    link.duplicate_ppm = 20'000;
    link.reorder_ppm = 20'000;
    link.corrupt_ppm = 5'000;
    link.truncate_ppm = 5'000;
    Harness harness{{.seed = seed, .link = kFarAway}};
    for (int i = 0; i < 8; ++i) {
      harness.add_client();
    }
    const std::size_t auditor = harness.add_auditor(link);
    harness.run_for(seconds{20});
    expect_seamless(harness, auditor, 60);
    EXPECT_GT(harness.client(auditor).stats().audited, 17U * 60);
    EXPECT_GT(harness.client(auditor).stats().round_trip.count(), 100U);
    const server::AuditMetrics& audit = harness.shard().metrics().audit;
    EXPECT_GT(audit.sent_again, 10U);
    EXPECT_LT(audit.sent_again, audit.sent / 4) << "much was sent again for nothing";
  }
}

TEST(Audit, OutlastsTimesInWhichNothingPasses) {
  Harness harness{{.seed = 3, .link = kFarAway}};
  for (int i = 0; i < 8; ++i) {
    harness.add_client();
  }
  const std::size_t auditor = harness.add_auditor(kFarAway);
  harness.run_for(seconds{2});
  for (int i = 0; i < 8; ++i) {
    harness.network().cut(auditor);
    harness.run_for(milliseconds{150 * (i + 1)});
    harness.network().mend(auditor);
    harness.run_for(milliseconds{1'500});
  }
  expect_seamless(harness, auditor, 60);
  EXPECT_EQ(harness.shard().metrics().audit.behind, 0U);
}

TEST(Audit, FollowsWhoComesAndGoesAndAppearsAgain) {
  Harness harness{{.seed = 5, .max_clients = 32, .bot = "chase"}};
  const std::size_t auditor = harness.add_auditor(kFarAway);
  std::size_t oldest = auditor + 1;
  for (int i = 0; i < 60; ++i) {
    harness.add_client(i % 2 == 0 ? net::LinkConditions{} : kFarAway);
    harness.run_for(milliseconds{250});
    if (harness.players().size() - oldest > 12) harness.leave(oldest++);
  }
  harness.run_for(seconds{1});
  expect_seamless(harness, auditor, 60);
  const auto seats = harness.world().seats();
  EXPECT_TRUE(std::ranges::any_of(seats, [](const engine::SeatInfo& seat) {
    return seat.generation > 1;
  })) << "no seat was ever given again";
  std::size_t events = 0;
  for (const Harness::Player& player : harness.players()) {
    events += player.events.size();
  }
  EXPECT_GT(events, 0U) << "nobody was ever hit";
}

TEST(Audit, FollowsSixtyFourPlayers) {
  Harness harness{{.seed = 6, .max_clients = 65, .link = kFarAway, .bot = "wander"}};
  for (int i = 0; i < 64; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{3});
  const std::size_t auditor = harness.add_auditor(kFarAway);
  harness.run_for(seconds{15});
  expect_seamless(harness, auditor, 60);
  EXPECT_GT(harness.client(auditor).stats().audited, 13U * 60);
}

TEST(Audit, TellsAQuietRoomInAlmostNothing) {
  Harness harness{{.seed = 7, .max_clients = 65, .bot = "still"}};
  for (int i = 0; i < 32; ++i) {
    harness.add_client();
  }
  const std::size_t auditor = harness.add_auditor({});
  harness.run_for(seconds{5});
  const server::AuditMetrics before = harness.shard().metrics().audit;
  harness.run_for(seconds{10});
  const server::AuditMetrics& after = harness.shard().metrics().audit;
  expect_seamless(harness, auditor, 8);
  // In ten seconds: ten packets a second of 100 bytes each, and nine bytes a tick.
  EXPECT_LE(after.sent - before.sent, 100U);
  EXPECT_LT(after.bytes - before.bytes, 10U * (10 * 100 + 60 * 9));
}

/// The server sends as many segments as a whole room needs, within the byte budget of an auditor.
TEST(Audit, BringsALargeRoomAtItsPace) {
  Harness harness{{.seed = 8, .max_clients = engine::kSeatsMax, .bot = "wander"}};
  for (int i = 0; i < 4; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{1});
  std::size_t audit_bytes = 0;
  std::size_t most = 0;
  harness.network().watch([&](const SimulatedNetwork::Passed& passed) {
    if (passed.where != SimulatedNetwork::Passed::Where::FromServer) return;
    if (net::packet_type(passed.bytes) != net::PacketType::Audit) return;
    audit_bytes += passed.bytes.size();
    most = std::max(most, passed.bytes.size());
  });
  const std::size_t auditor = harness.add_auditor(kFarAway);
  const auto burst = static_cast<std::size_t>(server::kAuditBytes.burst);
  const auto rate = static_cast<std::size_t>(server::kAuditBytes.per_second);
  for (int tenths = 1; tenths <= 50; ++tenths) {
    harness.run_for(milliseconds{100});
    EXPECT_LE(audit_bytes, burst + rate * static_cast<std::size_t>(tenths) / 10);
  }
  EXPECT_LE(most, net::kDatagramBytesMax);
  expect_seamless(harness, auditor, 60);
  EXPECT_GT(audit_bytes, 2 * burst);
}

TEST(Audit, FindsOneWrongBitOfTheServerInItsTick) {
  for (const std::uint32_t at : {400U, 401U, 555U}) {
    const ChangedGame changed{games::arena(), {.after = [at](const MidTick& tick) {
                                if (tick.tick().value != at) return;
                                const engine::World& world = tick.world();
                                tick.flip(world.id(world.active_rows().front()), "vx", 0);
                              }}};
    Harness harness{
        {.seed = 9, .game = &changed, .client_game = [](std::size_t) { return &games::arena(); }}};
    for (int i = 0; i < 4; ++i) {
      harness.add_client();
    }
    const std::size_t auditor = harness.add_auditor(kFarAway);
    harness.run_for(seconds{15});
    const client::ClientStats stats = harness.client(auditor).stats();
    ASSERT_TRUE(stats.first_audit_mismatch);
    EXPECT_EQ(stats.first_audit_mismatch->tick, Tick{at});
    EXPECT_NE(stats.first_audit_mismatch->expected, stats.first_audit_mismatch->got);
    EXPECT_EQ(stats.audit_mismatched, 1U);
    // The audit began again from the server's own state, which follows the rules from there on.
    EXPECT_EQ(stats.audit_runs, 2U);
    EXPECT_EQ(harness.shard().metrics().audit.asked, 1U);
    EXPECT_GE(harness.shard().metrics().hash_mismatches, 1U);
    EXPECT_LE(behind(harness, auditor), 60);
  }
}

TEST(Audit, IsBegunAnewAfterAStallAndHoldsUpNobody) {
  Harness harness{{.seed = 10}};
  for (int i = 0; i < 8; ++i) {
    harness.add_client();
  }
  const std::size_t auditor = harness.add_auditor(kFarAway);
  harness.run_for(seconds{3});
  const Tick tick = harness.world().tick;
  const std::uint64_t before = harness.shard().metrics().audit.bytes;
  harness.silence(auditor);
  harness.run_for(milliseconds{4'900});
  EXPECT_EQ(harness.world().tick - tick, 294);
  EXPECT_EQ(harness.shard().metrics().audit.behind, 1U);
  // At most one window of segments of each of two runs, and a few repeats.
  EXPECT_LT(harness.shard().metrics().audit.bytes - before, 40'000U);
  harness.wake(auditor);
  harness.run_for(seconds{2});
  const client::ClientStats stats = harness.client(auditor).stats();
  EXPECT_EQ(stats.audit_mismatched, 0U);
  EXPECT_EQ(stats.audit_runs, 2U);
  EXPECT_LE(behind(harness, auditor), 30);
  EXPECT_EQ(harness.client(auditor).connection().sessions(), 1U);
}

TEST(Audit, GoesOnAfterItsSessionWasLost) {
  Harness harness{{.seed = 11}};
  for (int i = 0; i < 4; ++i) {
    harness.add_client();
  }
  const std::size_t silent = harness.add_auditor(kFarAway);
  const std::size_t killed = harness.add_auditor(kFarAway);
  harness.run_for(seconds{2});
  harness.silence(silent);
  harness.restart_with_ticket(killed);
  harness.run_for(seconds{7});
  harness.wake(silent);
  harness.run_for(seconds{2});
  for (const std::size_t auditor : {silent, killed}) {
    const client::ClientStats stats = harness.client(auditor).stats();
    EXPECT_EQ(harness.client(auditor).connection().resumed(), 1U);
    EXPECT_EQ(stats.audit_mismatched, 0U);
    EXPECT_GT(stats.audited, 60U);
    EXPECT_LE(behind(harness, auditor), 30);
  }
}

TEST(Audit, IsRefusedByNameToWhoHasNotTheRight) {
  Harness harness{{.seed = 12}};
  const std::size_t player =
      harness.add_client(kFarAway, harness.make_token(1), net::ConnectMode::Audit);
  harness.run_for(seconds{2});
  EXPECT_EQ(harness.client(player).connection().state(), client::Connection::State::Refused);
  EXPECT_NE(harness.client(player).connection().reason().find("audit"), std::string::npos);
  EXPECT_GE(refused(harness, kMayNot), 1U);
  EXPECT_EQ(harness.shard().clients(), 0U);
}

/// The right is the seat's: a ticket does not bring what the token did not give.
TEST(Audit, IsRefusedToWhoResumesWithoutTheRight) {
  Harness harness{{.seed = 13}};
  const std::size_t player = harness.add_client();
  harness.run_for(seconds{1});
  const std::size_t thief = harness.add_client({}, harness.make_token(2));
  harness.run_for(seconds{1});
  const net::ResumeTicket ticket = harness.client(player).connection().ticket();
  const std::size_t again = harness.add_client({}, harness.make_token(3), net::ConnectMode::Audit);
  harness.restart_client(again, {.server = SimulatedNetwork::server_address(), .ticket = ticket});
  harness.run_for(seconds{1});
  EXPECT_GE(refused(harness, kMayNot), 1U);
  EXPECT_EQ(harness.client(again).connection().state(), client::Connection::State::Refused);
  EXPECT_TRUE(harness.client(player).playing());
  EXPECT_TRUE(harness.client(thief).playing());
}

TEST(Audit, IsForSoManyAtOnce) {
  Harness harness{{.seed = 14}};
  std::vector<std::size_t> auditors;
  for (std::uint32_t i = 0; i < server::kAuditorsMax; ++i) {
    auditors.push_back(harness.add_auditor(kFarAway));
  }
  harness.run_for(seconds{2});
  const std::size_t beyond = harness.add_auditor({});
  harness.run_for(seconds{2});
  EXPECT_EQ(harness.client(beyond).connection().state(), client::Connection::State::Refused);
  EXPECT_NE(harness.client(beyond).connection().reason().find("4/4"), std::string::npos);
  EXPECT_GE(refused(harness, kFull), 1U);
  // An auditor comes back by its ticket: its own place is free for it.
  const std::uint64_t before = refused(harness, kFull);
  harness.restart_with_ticket(auditors[0]);
  harness.run_for(seconds{2});
  EXPECT_EQ(harness.client(auditors[0]).connection().resumed(), 1U);
  EXPECT_EQ(refused(harness, kFull), before);
  harness.leave(auditors[1]);
  harness.run_for(seconds{1});
  const std::size_t next = harness.add_auditor({});
  harness.run_for(seconds{2});
  for (const std::size_t each : {auditors[0], auditors[2], auditors[3], next}) {
    EXPECT_EQ(harness.client(each).stats().audit_mismatched, 0U);
    EXPECT_GT(harness.client(each).stats().audited, 30U);
  }
  EXPECT_EQ(harness.shard().metrics().audit.auditors, server::kAuditorsMax);
}

TEST(Audit, AsksNothingOfTheHeapOnceWarm) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the check after each step allocates";
#endif
  Harness harness{{.seed = 16, .link = kFarAway, .meter = &allocations}};
  for (int i = 0; i < 8; ++i) {
    harness.add_client();
  }
  for (int i = 0; i < 2; ++i) {
    harness.add_auditor(kFarAway);
  }
  // The simulated links also request memory when more is on its way than ever before.
  harness.run_for(seconds{420});
  const std::uint64_t warm = harness.metered();
  const std::uint64_t sent = harness.shard().metrics().audit.sent;
  harness.run_for(seconds{20});
  EXPECT_EQ(harness.metered() - warm, 0U) << "allocations in 20 s";
  EXPECT_GT(harness.shard().metrics().audit.sent - sent, 20U * 60);
}

}  // namespace
}  // namespace tickbox::tests
