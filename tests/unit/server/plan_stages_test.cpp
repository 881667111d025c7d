// Single stages of a plan, with inputs written by hand. Slots are numbered by the test.

#include "server/replication/plan_stages.h"

#include "protocol/cause_codec.h"
#include "protocol/snapshot_codec.h"
#include "tests/unit/server/planned_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::size_t kSlots = 8;
constexpr BodyBudget kAmple{.bytes = 1'000};

template <class List>
auto listed(const List& list) {
  return std::vector(list.begin(), list.end());
}

/// What a client knows of bodies in slots below kSlots, none of them at first.
struct Client {
  Client() {
    bodies.resize(kSlots);
    islands.clear(kSlots);
  }

  void know(SlotId slot, Membership membership) {
    SlotState& state = bodies.states[slot];
    state.membership = membership;
    state.base_index = static_cast<std::uint8_t>(bodies.known.size());
    state.root = islands.root_of(slot);
    bodies.known.push_back(slot);
  }

  /// The known bodies that it replays.
  [[nodiscard]] std::vector<SlotId> replayed() const {
    std::vector<SlotId> replayed;
    for (const SlotId slot : bodies.known) {
      if (bodies.is_replayed(slot)) replayed.push_back(slot);
    }
    return replayed;
  }

  ClientBodies bodies;
  Islands islands;
};

TEST(PlanIslands, ReplaysAnIslandIfAllOfItsMembersAreInside) {
  Client client;
  client.islands.join(1, 2);
  client.islands.join(3, 4);  // the client does not know 4
  client.islands.join(5, 6);
  client.know(1, Membership::Inside);
  client.know(2, Membership::Inside);
  client.know(3, Membership::Inside);
  client.know(5, Membership::Inside);
  client.know(6, Membership::Outside);
  client.know(7, Membership::Inside);
  plan_islands(client.islands, client.bodies);
  EXPECT_EQ(client.replayed(), (std::vector<SlotId>{1, 2, 7}));
  EXPECT_FALSE(client.bodies.is_replayed(4));
  EXPECT_FALSE(client.bodies.islands.contains(client.islands.root_of(0))) << "no known body";
}

TEST(PlanIslands, AnIslandWithoutAPlanIsNotReplayed) {
  Client client;
  client.know(1, Membership::Inside);
  EXPECT_TRUE(client.replayed().empty());
}

TEST(WriteCauses, WritesThoseOfReplayedBodiesByTickAndMember) {
  Client client;
  for (const SlotId slot : {1U, 2U, 3U}) {
    client.know(slot, Membership::Inside);
  }
  plan_islands(client.islands, client.bodies);
  client.bodies.islands[2].in_full = true;
  StickLog sticks;
  for (std::uint32_t tick = 1; tick <= 20; ++tick) {
    sticks.begin({tick}, 4);
    if (tick == 11) sticks.note({.slot = 2, .move = 3});
    if (tick == 15) sticks.note({.slot = 1, .move = 4});
    if (tick == 15) sticks.note({.slot = 3, .move = 1});
    if (tick == 20) sticks.note({.slot = 3, .move = 7});
  }
  PendingCauses pending;
  for (const SlotId slot : {1U, 2U, 3U}) {
    client.bodies.states[slot].base_index = static_cast<std::uint8_t>(slot - 1);
    pending.add(slot, sticks.ticks_since(slot, Tick{10}));
  }
  pending.shots = {{.slot = 2, .cause = {.ago = 1, .base_index = 1, .aim = 10}}};
  protocol::Causes causes;
  write_causes(sticks, client.bodies, pending, causes);
  const std::vector<protocol::InputCause> expected{{.ago = 5, .base_index = 0, .move = 4},
                                                   {.ago = 5, .base_index = 2, .move = 1},
                                                   {.ago = 0, .base_index = 2, .move = 7}};
  EXPECT_EQ(listed(causes.inputs), expected);
  EXPECT_TRUE(causes.shots.empty());
  EXPECT_TRUE(causes.teleports.empty());
}

/// Five players in a row, ten units from one to the next; the first is the client's.
class BodyStagesTest : public ::testing::Test {
 protected:
  static constexpr Sight kSight{.half_width = 30, .half_height = 30};

  BodyStagesTest() {
    tick_.read(planned_.room());
    bodies_.resize(tick_.slots->capacity());
  }

  [[nodiscard]] static std::vector<Vec2> row() {
    std::vector<Vec2> places;
    for (std::int32_t i = 0; i < 5; ++i) {
      places.push_back({.x = 10 * i * kUnit, .y = 0});
    }
    return places;
  }

  [[nodiscard]] SlotId slot(std::uint16_t seat) const {
    return tick_.slots->find(planned_.body(seat));
  }

  [[nodiscard]] std::size_t bytes_of(std::uint16_t seat) const {
    return protocol::encoded_bytes(tick_.entity_of(slot(seat)));
  }

  PlannedRoom planned_{row(), kSight};
  PlannedTick tick_{kSight};
  ClientBodies bodies_;
};

/// The causes of five players that change their sticks in each of 40 ticks since the base, and
/// touch nobody.
class CauseStagesTest : public BodyStagesTest {
 protected:
  static constexpr std::uint8_t kTicks = 40;

  CauseStagesTest() {
    base_tick_ = planned_.room().world().tick;
    for (std::uint16_t seat = 0; seat < 5; ++seat) {
      base_.push_back(slot(seat));
    }
    for (std::uint8_t i = 0; i < kTicks; ++i) {
      PlannedRoom::Inputs inputs;
      for (std::uint16_t seat = 0; seat < 5; ++seat) {
        const auto move = static_cast<std::uint8_t>(i % 2 == 0 ? 3 : 7);  // down, up
        inputs.push_back({.player = {seat}, .input = {.move = move}});
      }
      planned_.tick(inputs);
    }
    tick_.read(planned_.room());
  }

  /// Returns whether the stages up to gather_causes() succeed if causes may take `cause_bytes`.
  bool gather(std::size_t cause_bytes) {
    const std::size_t rest =
        protocol::kSnapshotFrameBytes + protocol::kCauseCountsBytes + base_.size();
    const ViewRequest request{.own = 0,
                              .base = &base_,
                              .base_tick = base_tick_,
                              .bytes_max = net::kDatagramBytesMax,
                              .bytes_kept = net::kDatagramBytesMax - rest - cause_bytes};
    Islands& islands = planned_.room().replication_log().islands_since(base_tick_);
    mark_known({tick_, request}, islands, bodies_);
    plan_islands(islands, bodies_);
    return gather_causes({tick_, request}, islands, bodies_, pending_);
  }

  [[nodiscard]] std::size_t gathered_of(std::uint16_t seat) const {
    std::size_t count = 0;
    for (const auto& [slot, ticks] : pending_.sticks) {
      count += slot == this->slot(seat) ? ticks.count() : 0;
    }
    return count;
  }

  ViewMembers base_;
  Tick base_tick_;
  PendingCauses pending_;
};

TEST_F(CauseStagesTest, AnIslandIsSentInFullIfItsCausesTakeMoreBytesThanItsBodies) {
  ASSERT_TRUE(gather(1'000));
  EXPECT_EQ(pending_.size(), 4U) << "one entry for each body, however many changes it has";
  EXPECT_EQ(gathered_of(0), kTicks) << "the own island is replayed";
  EXPECT_TRUE(bodies_.is_replayed(slot(0)));
  for (std::uint16_t seat = 1; seat < 4; ++seat) {  // the last is out of view
    EXPECT_FALSE(bodies_.is_replayed(slot(seat)));
  }
}

// Earlier, all islands but the own one were sent in full if together they had too many causes.
TEST_F(CauseStagesTest, IslandsAreReplayedWhileTheirCausesFit) {
  constexpr std::uint8_t kRecent = 4;
  constexpr std::size_t kIslandBytes = 2 * kRecent;
  base_tick_ = Tick{tick_.now().value - kRecent};
  ASSERT_TRUE(gather(2 * kIslandBytes + kIslandBytes / 2));
  EXPECT_TRUE(bodies_.is_replayed(slot(0)));
  EXPECT_TRUE(bodies_.is_replayed(slot(1)));
  EXPECT_FALSE(bodies_.is_replayed(slot(2)));
  EXPECT_FALSE(bodies_.is_replayed(slot(3)));
  protocol::Causes causes;
  write_causes(planned_.room().replication_log().sticks(), bodies_, pending_, causes);
  EXPECT_EQ(causes.inputs.size(), 2U * kRecent);
}

TEST_F(CauseStagesTest, FailIfTheOwnCausesAloneDoNotFit) {
  EXPECT_FALSE(gather(50));
  EXPECT_LE(gathered_of(0), 26U);
}

TEST_F(BodyStagesTest, CandidatesAreTheOwnBodyThenTheNearestAndTheLongestWaiting) {
  // Without a base, the gathered priority does not count.
  ViewRequest request{.own = 0};
  WaitingBodies waiting;
  waiting.push_back({.slot = slot(3), .priority = 100});
  mark_waiting(waiting, bodies_);
  std::vector<Interest::Found> visible;
  std::vector<Candidate> memory;
  const auto listed_candidates = [&] {
    const auto listed = list_candidates({tick_, request}, kAmple, bodies_, visible, memory);
    std::vector<Candidate> candidates{listed.begin(), listed.end()};
    std::ranges::sort(candidates, std::greater{}, &Candidate::priority);
    return candidates;
  };
  const Candidate own{slot(0), 0xffff'ffff, false, false};
  EXPECT_EQ(listed_candidates(), (std::vector<Candidate>{own,
                                                         {slot(1), 54, false, true},
                                                         {slot(2), 44, false, true},
                                                         {slot(3), 34, false, true}}));
  // With a base, even an empty one, the gathered priority counts.
  const ViewMembers nobody;
  request.base = &nobody;
  EXPECT_EQ(listed_candidates(), (std::vector<Candidate>{own,
                                                         {slot(3), 134, false, true},
                                                         {slot(1), 54, false, true},
                                                         {slot(2), 44, false, true}}));
}

// A player at the edge of the view that the client has not acknowledged yet left the view at once,
// and came back with the acknowledgement.
TEST_F(BodyStagesTest, BodiesOfTheViewSentLastStayCandidatesAtTheRim) {
  PlannedTick tick{Sight{.half_width = 27, .half_height = 30}};
  tick.read(planned_.room());
  const ViewMembers nobody;
  ViewRequest request{.own = 0, .base = &nobody};
  std::vector<Interest::Found> visible;
  std::vector<Candidate> memory;
  const auto listed_slots = [&] {
    std::vector<SlotId> slots;
    std::ranges::transform(list_candidates({tick, request}, kAmple, bodies_, visible, memory),
                           std::back_inserter(slots), &Candidate::slot);
    std::ranges::sort(slots);
    return slots;
  };
  EXPECT_EQ(listed_slots(), (std::vector<SlotId>{slot(0), slot(1), slot(2)}));
  ViewMembers last;
  for (std::uint16_t seat = 0; seat < 5; ++seat) {
    last.push_back(slot(seat));  // the last one is further away than the rim
  }
  request.last = &last;
  EXPECT_EQ(listed_slots(), (std::vector<SlotId>{slot(0), slot(1), slot(2), slot(3)}));
}

TEST_F(BodyStagesTest, BodiesAreChosenByBytesAndTheOthersWait) {
  const std::vector<Candidate> all{{slot(0), 0xffff'ffff, true, false},
                                   {slot(1), 1'000, true, false},
                                   {slot(2), 50, false, true},
                                   {slot(3), 40, false, true}};
  const std::size_t known_bytes = bytes_of(0) + bytes_of(1);
  SnapshotBodies chosen;
  ViewMembers view;
  WaitingBodies waiting;
  const auto choose = [&](const BodyBudget& budget) {
    chosen.clear();
    view.clear();
    std::vector<Candidate> candidates = all;
    const auto result = choose_bodies(tick_, budget, candidates, chosen, view);
    list_waiting(candidates, waiting);
    return result;
  };

  auto result = choose({.bytes = known_bytes + bytes_of(2)});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->known_body_bytes, known_bytes);
  EXPECT_EQ(result->new_body_bytes, bytes_of(2));
  EXPECT_EQ(result->deferred, 1U);
  EXPECT_EQ(listed(view), (std::vector<SlotId>{slot(0), slot(1), slot(2)}));
  EXPECT_EQ(chosen.size(), 3U);
  // A chosen new body stays in the list: the client may not receive this snapshot.
  EXPECT_EQ(listed(waiting), (std::vector<WaitingBody>{{slot(2), 50}, {slot(3), 40}}));

  result = choose({.bytes = known_bytes + bytes_of(2), .headroom = 1});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->new_body_bytes, 0U) << "a new body leaves the headroom free";
  EXPECT_EQ(result->deferred, 2U);
  EXPECT_EQ(listed(waiting), (std::vector<WaitingBody>{{slot(2), 50}, {slot(3), 40}}));

  result = choose({.bytes = bytes_of(0), .headroom = 1});
  ASSERT_TRUE(result) << "the own body needs no headroom";
  EXPECT_EQ(chosen.size(), 1U);
  EXPECT_EQ(result->deferred, 3U);

  EXPECT_FALSE(choose({.bytes = bytes_of(0) - 1}));
}

}  // namespace
}  // namespace tickbox::server
