// A bit flips, in a client's view or in the room's world: both ends name the entity and the field,
// the client is mended by a full view, and the match goes on. The flips are made by a game of
// the test's own (tests/support/changed_game.h); server and clients are those of production.

#include "tests/simulation/desync_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tickbox::tests::desync_test {
namespace {

using desync::Desync;
using desync::DesyncEnd;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = kDesyncClients;
constexpr net::LinkConditions kLink{.delay = milliseconds{40}, .jitter = milliseconds{4}};
constexpr net::LinkConditions kLossy{
    .delay = milliseconds{40}, .jitter = milliseconds{8}, .loss_ppm = 50'000};

// Which fields can differ, and how they are named: tests/unit/views/difference_test.cpp.
TEST_F(DesyncTest, OfABitThatFlipsInTheRoomIsNamedByBothEnds) {
  for (const net::LinkConditions& link : {kLink, kLossy}) {
    SCOPED_TRACE(link.loss_ppm == 0 ? "without loss" : "with loss");
    begin(link, "stress");
    const BodyId body = body_of(2);
    in_room(now() + 7, [&](const MidTick& tick) { tick.flip(body, "x", 5); });
    harness_->run_for(seconds{3});
    ASSERT_GE(harness_->desyncs().size(), 1U);
    for (const Desync& found : harness_->desyncs()) {
      EXPECT_EQ(found.difference->entity, body);
      EXPECT_TRUE(has_field(found, "x"));
    }
    for (std::size_t i = 0; i < kClients; ++i) {
      EXPECT_LE(harness_->client(i).stats().hashes_mismatched, 1U);
      for (const Desync& theirs : harness_->desyncs(i)) {
        const auto ours = std::ranges::find(harness_->desyncs(), theirs.seat, &Desync::seat);
        ASSERT_NE(ours, harness_->desyncs().end());
        expect_same(*ours, theirs);
      }
    }
    EXPECT_EQ(harness_->desyncs().size(), mismatches());
    expect_mended();
  }
}

TEST_F(DesyncTest, OfSeveralBodiesIsNamedByTheLowestAndCounted) {
  begin(kLink);
  const std::vector<BodyId> bodies = others_seen_by(1);
  ASSERT_GE(bodies.size(), 2U);
  in_client(1, now() + 5, [&](const MidTick& tick) {
    if (tick.world().size() == 1) return;
    for (const BodyId body : bodies) {
      tick.flip(body, "x", 0);
    }
    tick.flip(bodies.back(), "reload", 4);
  });
  harness_->run_for(seconds{1});
  ASSERT_EQ(harness_->desyncs().size(), 1U);
  ASSERT_EQ(harness_->desyncs(1).size(), 1U);
  expect_same(harness_->desyncs()[0], harness_->desyncs(1)[0]);
  const engine::WorldDifference& difference = *harness_->desyncs()[0].difference;
  EXPECT_EQ(difference.entity, bodies.front());
  EXPECT_EQ(difference.entities, bodies.size());
  EXPECT_GE(difference.fields, bodies.size() + 1);
  expect_mended();
}

// The room sends each changed input as a cause, whatever has changed it. So no view is wrong.
TEST_F(DesyncTest, IsNoneWhereAnInputFlipsInTheRoom) {
  begin(kLossy);
  in_room(now() + 7, [&](const MidTick& tick) { tick.flip(body_of(2), "input.move", 0); });
  harness_->run_for(seconds{3});
  EXPECT_EQ(mismatches(), 0U);
}

TEST_F(DesyncTest, OfABodyThatAClientHasLostIsNamed) {
  begin(kLink);
  const BodyId lost = other_seen_by(0);
  in_client(0, now() + 5, [&](const MidTick& tick) {
    if (tick.world().size() > 1) tick.lose(lost);
  });
  harness_->run_for(seconds{3});
  ASSERT_EQ(harness_->desyncs(0).size(), 1U);
  const Desync& found = harness_->desyncs(0)[0];
  expect_same(harness_->desyncs()[0], found);
  EXPECT_EQ(found.difference->entity, lost);
  ASSERT_EQ(found.difference->first_fields.size(), 1U);
  EXPECT_EQ(found.difference->first_fields[0],
            (engine::FieldDifference{"id", std::to_string(lost.value), "absent"}));
  expect_mended();
}

TEST_F(DesyncTest, OfABodyThatTheRoomHasLostIsNamed) {
  begin(kLink);
  BodyId lost;
  in_room(now() + 5, [&](const MidTick& tick) {
    const engine::World& world = tick.world();
    for (std::size_t row = 0; row < world.size(); ++row) {
      if (world.kind_of(row).type.name == "Crate") lost = world.id(row);
    }
    tick.lose(lost);
  });
  harness_->run_for(seconds{3});
  ASSERT_GE(harness_->desyncs().size(), 1U);
  for (const Desync& found : harness_->desyncs()) {
    EXPECT_EQ(found.difference->entity, lost);
    EXPECT_EQ(found.difference->first_fields[0],
              (engine::FieldDifference{"id", "absent", std::to_string(lost.value)}));
  }
  expect_mended();
}

TEST_F(DesyncTest, OfTwoClientsAtOnceIsNamedForEach) {
  begin(kLossy);
  const Tick at = now() + 6;
  const std::array bodies{other_seen_by(0), other_seen_by(1)};
  constexpr std::array kFields{"vx", "y"};
  for (const std::size_t client : {0U, 1U}) {
    in_client(client, at, [&, client](const MidTick& tick) {
      if (tick.world().size() > 1) tick.flip(bodies[client], kFields[client], 0);
    });
  }
  harness_->run_for(seconds{3});
  ASSERT_EQ(harness_->desyncs().size(), 2U);
  for (const std::size_t client : {0U, 1U}) {
    ASSERT_EQ(harness_->desyncs(client).size(), 1U);
    const Desync& found = harness_->desyncs(client)[0];
    const auto ours = std::ranges::find(harness_->desyncs(), found.seat, &Desync::seat);
    ASSERT_NE(ours, harness_->desyncs().end());
    expect_same(*ours, found);
    EXPECT_EQ(found.difference->entity, bodies[client]);
    EXPECT_TRUE(has_field(found, kFields[client]));
  }
  expect_mended();
}

// The report says what led to the wrong view: the causes that the client received are among those
// that the room knows, and both ends have the base.
TEST_F(DesyncTest, ComesWithTheBaseAndTheCauses) {
  begin(kLink);
  bool any = false;
  for (int round = 0; round < 3; ++round) {
    const BodyId other = other_seen_by(1);
    in_client(1, now() + 5, [other](const MidTick& tick) {
      if (tick.world().size() > 1) tick.flip(other, "x", 0);
    });
    harness_->run_for(seconds{7});
  }
  ASSERT_EQ(harness_->desyncs().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Desync& server = harness_->desyncs()[i];
    const Desync& client = harness_->desyncs(1)[i];
    ASSERT_GT(server.view.base_age, 0U);
    ASSERT_TRUE(server.base_view && client.base_view);
    EXPECT_TRUE(is_same(server.base_view, client.base_view, server.view.tick));
    for (const desync::Cause& cause : client.causes) {
      if (cause.kind >= desync::Cause::Kind::Exit) continue;
      any = true;
      EXPECT_NE(std::ranges::find(server.causes, cause), server.causes.end());
    }
  }
  EXPECT_TRUE(any) << "no cause in any of them";
}

TEST_F(DesyncTest, OfAClientThatLeavesMeanwhileIsNotWaitedFor) {
  begin({.delay = milliseconds{150}});
  const BodyId other = other_seen_by(1);
  in_client(1, now() + 3, [other](const MidTick& tick) {
    if (tick.world().size() > 1) tick.flip(other, "x", 0);
  });
  while (mismatches() == 0) {
    harness_->run_for(milliseconds{1});
  }
  harness_->run_for(milliseconds{40});  // its view is on the way
  harness_->leave(1);
  ASSERT_EQ(harness_->desyncs(1).size(), 1U);
  EXPECT_EQ(harness_->desyncs(1)[0].end, desync::DesyncEnd::Unanswered);
  EXPECT_TRUE(harness_->desyncs(1)[0].client_view && !harness_->desyncs(1)[0].server_view);
  harness_->run_for(seconds{5});
  EXPECT_EQ(harness_->shard().clients(), kClients - 1);
  EXPECT_LE(harness_->desyncs().size(), 1U);
}

// The parts of the report are lost for longer than the room remembers the tick. The server tells
// the client that it has forgotten the tick.
TEST_F(DesyncTest, OfATickThatTheRoomHasForgottenIsSaidSo) {
  begin(kLink);
  const BodyId other = other_seen_by(1);
  in_client(1, now() + 3, [other](const MidTick& tick) {
    if (tick.world().size() > 1) tick.flip(other, "x", 0);
  });
  while (mismatches() == 0) {
    harness_->run_for(milliseconds{1});
  }
  harness_->network().cut(1);
  harness_->run_for(milliseconds{1'500});
  harness_->network().mend(1);
  harness_->run_for(seconds{2});
  ASSERT_EQ(harness_->desyncs(1).size(), 1U);
  EXPECT_EQ(harness_->desyncs(1)[0].end, desync::DesyncEnd::Forgotten);
  EXPECT_GE(harness_->shard().metrics().of(server::DesyncResult::Forgotten), 1U);
  EXPECT_TRUE(harness_->desyncs().empty());
  expect_mended();
}

// A desync report does not delay the full view, which arrives about one round trip after the client
// has found a wrong hash.
TEST_F(DesyncTest, IsMendedInOneRoundTrip) {
  begin({.delay = milliseconds{40}});
  const BodyId other = other_seen_by(1);
  in_client(1, now() + 3, [other](const MidTick& tick) {
    if (tick.world().size() > 1) tick.flip(other, "x", 0);
  });
  while (mismatches() == 0) {
    harness_->run_for(milliseconds{1});
  }
  const std::uint64_t received = harness_->client(1).snapshots_received();
  Duration took{};
  while (harness_->client(1).snapshots_received() == received) {
    harness_->run_for(milliseconds{1});
    took += milliseconds{1};
  }
  constexpr Duration kTick = milliseconds{17};
  EXPECT_LE(took, milliseconds{40} + kTick + kTick + milliseconds{50} + kTick)
      << "80 ms there and back; the rest is for ticks and the next full view";
}

}  // namespace
}  // namespace tickbox::tests::desync_test
