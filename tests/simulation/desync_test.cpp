// A bit flips, in a client's view or in the room's world: both ends name the entity and the field,
// the client is mended by a full view, and the match goes on. The flips are made by rules of the
// test's own (tests/support/flipped_arena.h); server and clients are those of production.

#include "tests/support/flipped_arena.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <set>

namespace tickbox::tests {
namespace {

using protocol::Desync;
using protocol::DesyncEnd;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = 4;
constexpr net::LinkConditions kLink{.delay = milliseconds{40}, .jitter = milliseconds{4}};
constexpr net::LinkConditions kLossy{
    .delay = milliseconds{40}, .jitter = milliseconds{8}, .loss_ppm = 50'000};

/// A match in which the test may change a world after each step: what it says is done to those
/// worlds that are of this tick.
class DesyncTest : public testing::Test {
 protected:
  void begin(const net::LinkConditions& link, std::uint64_t seed = 1) {
    in_client_.clear();
    in_room_ = nullptr;
    room_at_ = {};
    harness_.emplace(HarnessOptions{
        .seed = seed,
        .max_clients = 8,
        .link = link,
        .bot = game::BotKind::Wander,
        .room_rules =
            [this] {
              return std::make_shared<const FlippedArena>(60, [this](game::World& world) {
                if (world.tick == room_at_) in_room_(world);
              });
            },
        .client_rules =
            [this](std::size_t client) {
              return std::make_shared<const FlippedArena>(60, [this, client](game::World& world) {
                const auto [first, last] = in_client_.equal_range(client);
                for (auto each = first; each != last; ++each) {
                  if (world.tick == each->second.first) each->second.second(world);
                }
              });
            }});
    for (std::size_t i = 0; i < kClients; ++i) {
      harness_->add_client();
    }
    harness_->run_for(seconds{3});
    ASSERT_EQ(harness_->shard().clients(), kClients);
  }

  [[nodiscard]] Tick now() const { return harness_->room().world().tick; }

  void in_room(Tick tick, AfterStep change) {
    room_at_ = tick;
    in_room_ = std::move(change);
  }

  void in_client(std::size_t client, Tick tick, AfterStep change) {
    in_client_.emplace(client, std::pair{tick, std::move(change)});
  }

  [[nodiscard]] BodyId body_of(std::size_t client) const {
    return harness_->client(client).connection().accept().body;
  }

  [[nodiscard]] std::uint64_t mismatches() const {
    std::uint64_t sum = 0;
    for (const Harness::Player& player : harness_->players()) {
      sum += player.client->stats().hashes_mismatched;
    }
    return sum;
  }

  /// Nobody's view is wrong any more, and everybody gets new ones.
  void expect_mended() {
    const std::uint64_t before = mismatches();
    std::vector<std::uint64_t> received;
    for (const Harness::Player& player : harness_->players()) {
      received.push_back(player.client->snapshots_received());
    }
    harness_->run_for(seconds{2});
    EXPECT_EQ(mismatches(), before);
    for (std::size_t i = 0; i < received.size(); ++i) {
      EXPECT_GT(harness_->client(i).snapshots_received(), received[i] + 10) << "client " << i;
    }
  }

  std::optional<Harness> harness_;

 private:
  Tick room_at_;
  AfterStep in_room_;
  std::multimap<std::size_t, std::pair<Tick, AfterStep>> in_client_;
};

bool has_field(const Desync& desync, std::string_view field) {
  return desync.difference && std::ranges::any_of(desync.difference->first_fields,
                                                  [&](const game::FieldDifference& each) {
                                                    return each.field == field;
                                                  });
}

/// Both ends have found the same, and have the same states to show.
void expect_same(const Desync& server, const Desync& client) {
  EXPECT_EQ(server.side, protocol::DesyncSide::Server);
  EXPECT_EQ(client.side, protocol::DesyncSide::Client);
  ASSERT_EQ(server.end, DesyncEnd::Compared);
  ASSERT_EQ(client.end, DesyncEnd::Compared);
  EXPECT_EQ(server.view, client.view);
  EXPECT_EQ(server.seat, client.seat);
  EXPECT_EQ(server.server_view, client.server_view);
  EXPECT_EQ(server.client_view, client.client_view);
  ASSERT_TRUE(server.difference && client.difference);
  EXPECT_EQ(server.difference->first, client.difference->first);
  EXPECT_EQ(server.difference->entities, client.difference->entities);
  EXPECT_EQ(server.difference->fields, client.difference->fields);
}

struct FlippedBit {
  const char* field;
  unsigned bit;
};

std::ostream& operator<<(std::ostream& out, const FlippedBit& flipped) {
  return out << flipped.field << flipped.bit;
}

constexpr FlippedBit kFlippedBits[] = {{"id", 13}, {"kind", 0}, {"x", 0},    {"y", 3},
                                       {"vx", 2},  {"vy", 1},   {"move", 0}, {"timer", 2}};

class DesyncOfEachField : public DesyncTest, public testing::WithParamInterface<FlippedBit> {};

TEST_P(DesyncOfEachField, InAClientsViewIsNamedByBothEnds) {
  const auto [field, bit] = GetParam();
  for (const net::LinkConditions& link : {kLink, kLossy}) {
    // After a loss, one snapshot has the causes of several ticks. Those after the flip name a
    // player whose body has another id by then, so the client cannot step them.
    if (std::string_view{field} == "id" && link.loss_ppm > 0) continue;
    SCOPED_TRACE(link.loss_ppm == 0 ? "without loss" : "with loss");
    begin(link);
    const BodyId other = body_of(2);
    in_client(1, now() + 7, [&](game::World& world) {
      if (world.size() > 1) flip(world, other, field, bit);
    });
    harness_->run_for(seconds{3});
    ASSERT_EQ(harness_->client(1).stats().hashes_mismatched, 1U);
    ASSERT_EQ(harness_->desyncs().size(), 1U);
    ASSERT_EQ(harness_->desyncs(1).size(), 1U);
    const Desync& found = harness_->desyncs()[0];
    expect_same(found, harness_->desyncs(1)[0]);
    EXPECT_EQ(found.seat, harness_->client(1).connection().accept().player);
    EXPECT_EQ(found.difference->first, other);
    EXPECT_TRUE(has_field(found, field));
    EXPECT_EQ(harness_->client(1).stats().first_mismatch->difference->first, other);
    const std::string words = protocol::difference_in_words(*found.difference);
    EXPECT_TRUE(std::ranges::any_of(harness_->log().lines(), [&](const std::string& line) {
      return line.starts_with("desync ") && line.ends_with(words);
    })) << words;
    EXPECT_EQ(mismatches(), 1U) << "nobody else's view was touched";
    expect_mended();
  }
}

// Not the id and the kind, which a body in a room never changes. Not the stick, whose every change
// is sent as a cause.
constexpr FlippedBit kRoomBits[] = {{"x", 0},     {"y", 3}, {"vx", 2}, {"vy", 1},
                                    {"timer", 2}, {"x", 5}, {"vy", 6}};

class DesyncOfARoomsField : public DesyncOfEachField {};

TEST_P(DesyncOfARoomsField, InTheRoomIsNamedByBothEnds) {
  const auto [field, bit] = GetParam();
  for (const net::LinkConditions& link : {kLink, kLossy}) {
    SCOPED_TRACE(link.loss_ppm == 0 ? "without loss" : "with loss");
    begin(link);
    const BodyId body = body_of(2);
    in_room(now() + 7, [&](game::World& world) { flip(world, body, field, bit); });
    harness_->run_for(seconds{3});
    ASSERT_GE(harness_->desyncs().size(), 1U);
    for (const Desync& found : harness_->desyncs()) {
      EXPECT_EQ(found.difference->first, body);
      EXPECT_TRUE(has_field(found, field));
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

INSTANTIATE_TEST_SUITE_P(Fields, DesyncOfEachField, testing::ValuesIn(kFlippedBits),
                         testing::PrintToStringParamName{});
INSTANTIATE_TEST_SUITE_P(Fields, DesyncOfARoomsField, testing::ValuesIn(kRoomBits),
                         testing::PrintToStringParamName{});

TEST_F(DesyncTest, OfSeveralBodiesIsNamedByTheLowestAndCounted) {
  begin(kLink);
  std::array bodies{body_of(0), body_of(2), body_of(3)};
  in_client(1, now() + 5, [&](game::World& world) {
    if (world.size() == 1) return;
    for (const BodyId body : bodies) {
      flip(world, body, "x", 0);
    }
    flip(world, bodies[2], "timer", 1);
  });
  harness_->run_for(seconds{1});
  ASSERT_EQ(harness_->desyncs().size(), 1U);
  ASSERT_EQ(harness_->desyncs(1).size(), 1U);
  expect_same(harness_->desyncs()[0], harness_->desyncs(1)[0]);
  const game::ViewDifference& difference = *harness_->desyncs()[0].difference;
  EXPECT_EQ(difference.first, std::ranges::min(bodies));
  EXPECT_EQ(difference.entities, 3U);
  EXPECT_EQ(difference.fields, 4U);
  expect_mended();
}

// Whatever has moved a stick, the room tells that it has: no view is wrong by it.
TEST_F(DesyncTest, IsNoneWhereAStickFlipsInTheRoom) {
  begin(kLossy);
  in_room(now() + 7, [&](game::World& world) { flip(world, body_of(2), "move", 0); });
  harness_->run_for(seconds{3});
  EXPECT_EQ(mismatches(), 0U);
}

TEST_F(DesyncTest, OfABodyThatAClientHasLostIsNamed) {
  begin(kLink);
  const BodyId lost = body_of(3);
  in_client(0, now() + 5, [&](game::World& world) {
    if (world.size() > 1) world.remove(lost);
  });
  harness_->run_for(seconds{3});
  ASSERT_EQ(harness_->desyncs(0).size(), 1U);
  const Desync& found = harness_->desyncs(0)[0];
  expect_same(harness_->desyncs()[0], found);
  EXPECT_EQ(found.difference->first, lost);
  ASSERT_EQ(found.difference->first_fields.size(), 1U);
  EXPECT_EQ(found.difference->first_fields[0],
            (game::FieldDifference{"id", lost.value, std::nullopt}));
  expect_mended();
}

TEST_F(DesyncTest, OfABodyThatTheRoomHasLostIsNamed) {
  begin(kLink);
  BodyId lost;
  in_room(now() + 5, [&](game::World& world) {
    for (std::size_t i = 0; i < world.size(); ++i) {
      if (game::has_kind(world.entity(i).id, game::EntityKind::Crate)) lost = world.entity(i).id;
    }
    world.remove(lost);
  });
  harness_->run_for(seconds{3});
  ASSERT_GE(harness_->desyncs().size(), 1U);
  for (const Desync& found : harness_->desyncs()) {
    EXPECT_EQ(found.difference->first, lost);
    EXPECT_EQ(found.difference->first_fields[0],
              (game::FieldDifference{"id", std::nullopt, lost.value}));
  }
  expect_mended();
}

TEST_F(DesyncTest, OfTwoClientsAtOnceIsNamedForEach) {
  begin(kLossy);
  const Tick at = now() + 6;
  const std::array bodies{body_of(2), body_of(3)};
  constexpr std::array kFields{"vx", "y"};
  for (const std::size_t client : {0U, 1U}) {
    in_client(client, at, [&, client](game::World& world) {
      if (world.size() > 1) flip(world, bodies[client], kFields[client], 0);
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
    EXPECT_EQ(found.difference->first, bodies[client]);
    EXPECT_TRUE(has_field(found, kFields[client]));
  }
  expect_mended();
}

// What led there: the causes that the client received are among those that the room knows, and
// both have the base.
TEST_F(DesyncTest, ComesWithTheBaseAndTheCauses) {
  begin(kLink);
  bool any = false;
  for (int round = 0; round < 3; ++round) {
    in_client(1, now() + 5, [&](game::World& world) {
      if (world.size() > 1) flip(world, body_of(2), "x", 0);
    });
    harness_->run_for(seconds{7});
  }
  ASSERT_EQ(harness_->desyncs().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Desync& server = harness_->desyncs()[i];
    const Desync& client = harness_->desyncs(1)[i];
    ASSERT_GT(server.view.base_age, 0U);
    ASSERT_TRUE(server.base_view && client.base_view);
    EXPECT_EQ(*server.base_view, *client.base_view);
    for (const protocol::DesyncCause& cause : client.causes) {
      if (cause.kind > protocol::DesyncCause::Kind::Teleport) continue;
      any = true;
      EXPECT_NE(std::ranges::find(server.causes, cause), server.causes.end());
    }
  }
  EXPECT_TRUE(any) << "no cause in any of them";
}

TEST_F(DesyncTest, OfAClientThatLeavesMeanwhileIsNotWaitedFor) {
  begin({.delay = milliseconds{150}});
  in_client(1, now() + 3, [&](game::World& world) {
    if (world.size() > 1) flip(world, body_of(2), "x", 0);
  });
  while (mismatches() == 0) {
    harness_->run_for(milliseconds{1});
  }
  harness_->run_for(milliseconds{40});  // its view is on the way
  harness_->leave(1);
  ASSERT_EQ(harness_->desyncs(1).size(), 1U);
  EXPECT_EQ(harness_->desyncs(1)[0].end, DesyncEnd::Unanswered);
  EXPECT_TRUE(harness_->desyncs(1)[0].client_view && !harness_->desyncs(1)[0].server_view);
  harness_->run_for(seconds{5});
  EXPECT_EQ(harness_->shard().clients(), kClients - 1);
  EXPECT_LE(harness_->desyncs().size(), 1U);
}

// Its parts get lost for longer than the room remembers: it learns that, and keeps what it has.
TEST_F(DesyncTest, OfATickThatTheRoomHasForgottenIsSaidSo) {
  begin(kLink);
  in_client(1, now() + 3, [&](game::World& world) {
    if (world.size() > 1) flip(world, body_of(2), "x", 0);
  });
  while (mismatches() == 0) {
    harness_->run_for(milliseconds{1});
  }
  harness_->network().cut(1);
  harness_->run_for(milliseconds{1'500});
  harness_->network().mend(1);
  harness_->run_for(seconds{2});
  ASSERT_EQ(harness_->desyncs(1).size(), 1U);
  EXPECT_EQ(harness_->desyncs(1)[0].end, DesyncEnd::Forgotten);
  EXPECT_GE(harness_->shard().metrics().of(server::DesyncResult::Forgotten), 1U);
  EXPECT_TRUE(harness_->desyncs().empty());
  expect_mended();
}

// A desync report does not delay the full view, which arrives about one round trip after the client
// has found a wrong hash.
TEST_F(DesyncTest, IsMendedInOneRoundTrip) {
  begin({.delay = milliseconds{40}});
  in_client(1, now() + 3, [&](game::World& world) {
    if (world.size() > 1) flip(world, body_of(2), "x", 0);
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
}  // namespace tickbox::tests
