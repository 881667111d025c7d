// Single stages of a plan, with inputs written by hand. Where a test needs slots without bodies, it
// numbers them itself.

#include "server/match/plan/plan_stages.h"

#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::size_t kSlots = 8;
constexpr std::uint16_t kRunners = 5;
constexpr RowBudget kAmple{.bits = 8'000, .headroom = 0, .members = 100};

/// Five runners in a row; the first is the client's.
class PlanStagesTest : public ::testing::Test {
 protected:
  explicit PlanStagesTest(const std::vector<Vec2>& places = {units(0, 0), units(3, 0), units(6, 0),
                                                             units(9, 0), units(18, 0)})
      : field_(places) {
    tick_.read(field_.match());
    bodies_.resize(tick_.slots->capacity());
  }

  [[nodiscard]] PlanInput input(const ViewRequest& request) const { return {tick_, request}; }

  [[nodiscard]] SlotId slot(std::uint16_t seat) const { return field_.slot(seat); }

  [[nodiscard]] std::vector<SlotId> slots(const std::vector<std::uint16_t>& seats) const {
    std::vector<SlotId> slots;
    std::ranges::transform(seats, std::back_inserter(slots),
                           [&](std::uint16_t seat) { return slot(seat); });
    return slots;
  }

  /// The bits of a new body in full, in a snapshot on a base.
  [[nodiscard]] std::size_t bits_of(std::uint16_t seat) const {
    const RowBits bits = tick_.bits_of(slot(seat));
    return std::size_t{2} + bits.id + bits.row;
  }

  FieldMatch field_;
  PlannedTick tick_;
  ClientBodies bodies_;
};

// --- which islands are replayed ---

class PlanIslandsTest : public PlanStagesTest {
 protected:
  PlanIslandsTest() { islands_.clear(kSlots); }

  void know(SlotId slot, Membership membership) {
    SlotState& state = bodies_.states[slot];
    state.membership = membership;
    state.base_index = static_cast<std::uint16_t>(bodies_.known.size());
    state.root = islands_.root_of(slot);
    bodies_.known.push_back(slot);
  }

  /// The known bodies that the client replays.
  [[nodiscard]] std::vector<SlotId> replayed() const {
    std::vector<SlotId> replayed;
    std::ranges::copy_if(bodies_.known, std::back_inserter(replayed),
                         [&](SlotId slot) { return bodies_.is_replayed(slot); });
    return replayed;
  }

  ViewRequest request_{.player = {0}};
  Islands islands_;
};

TEST_F(PlanIslandsTest, AnIslandIsReplayedIfAllOfItsMembersAreInside) {
  islands_.join(1, 2);
  islands_.join(3, 4);  // the client does not know 4
  islands_.join(5, 6);
  know(1, Membership::Inside);
  know(2, Membership::Inside);
  know(3, Membership::Inside);
  know(5, Membership::Inside);
  know(6, Membership::Outside);
  know(7, Membership::Inside);
  plan_islands(islands_, bodies_);
  EXPECT_EQ(replayed(), (std::vector<SlotId>{1, 2, 7}));
  EXPECT_FALSE(bodies_.is_replayed(4));
}

TEST_F(PlanIslandsTest, AnIslandWithoutAPlanIsNotReplayed) {
  know(1, Membership::Inside);
  EXPECT_TRUE(replayed().empty());
}

// --- the causes of replayed islands ---

class SortCausesTest : public PlanIslandsTest {};

TEST_F(SortCausesTest, ThoseOfReplayedBodiesAreByTickAndMember) {
  const Tick base = field_.now();
  for (std::uint32_t tick = 1; tick <= 10; ++tick) {
    std::vector<Played> played;
    if (tick == 1) played = {{.seat = 1, .pad = kDown}};
    if (tick == 5) played = {{.seat = 0, .pad = kDown}, {.seat = 2, .pad = kDown}};
    if (tick == 10) played = {{.seat = 2, .pad = kRest}};
    field_.tick(played);
  }
  tick_.read(field_.match());
  islands_.clear(tick_.slots->capacity());
  PendingCauses pending;
  for (std::uint16_t seat = 0; seat < 3; ++seat) {
    know(slot(seat), Membership::Inside);
    pending.inputs.push_back({.slot = slot(seat),
                              .seat = seat,
                              .ticks = field_.match().log().inputs().ticks_since(seat, base)});
  }
  plan_islands(islands_, bodies_);
  bodies_.states[slot(1)].is_replayed = false;
  pending.outcomes = {{.slot = slot(1), .tick = field_.now(), .payload = {.bits = 1}}};
  WrittenCauses causes;
  sort_causes(input(request_), bodies_, pending, causes);
  std::vector<std::pair<int, int>> written;
  for (const WrittenCause& cause : causes.inputs) {
    written.emplace_back(cause.ago, cause.index);
  }
  EXPECT_EQ(written, (std::vector<std::pair<int, int>>{{5, 0}, {5, 2}, {0, 2}}));
  EXPECT_TRUE(causes.outcomes.empty());
}

/// The causes of five runners that change their inputs in each of 40 ticks since the base, and
/// touch nobody.
class GatherCausesTest : public PlanStagesTest {
 protected:
  static constexpr std::uint32_t kTicks = 40;
  /// The bits of one runner's cause in one tick: a bit that says that it follows, the index, a bit
  /// for each of three values, and the new value of y.
  static constexpr std::size_t kCauseBits = 1 + 3 + 3 + 2;

  GatherCausesTest() {
    base_tick_ = field_.now();
    for (std::uint16_t seat = 0; seat < kRunners; ++seat) {
      base_.push_back(slot(seat));
    }
    const field::Pad up{.x = 0, .y = -1, .shoot = {}};
    for (std::uint32_t i = 0; i < kTicks; ++i) {
      std::vector<Played> played;
      for (std::uint16_t seat = 0; seat < kRunners; ++seat) {
        played.push_back({.seat = seat, .pad = i % 2 == 0 ? kDown : up});
      }
      field_.tick(played);
    }
    tick_.read(field_.match());
  }

  /// Returns whether the stages up to gather_causes() succeed if causes may take `bits`, and less
  /// than a byte more.
  bool gather(std::size_t bits) {
    ViewRequest request{.player = {0},
                        .base = &base_,
                        .base_tick = base_tick_,
                        .bytes_max = net::kDatagramBytesMax};
    request.bytes_kept = (row_budget(input(request), {}, 0)->bits - bits) / 8;
    Islands& islands = field_.match().log().islands_since(base_tick_);
    mark_known(input(request), islands, bodies_);
    plan_islands(islands, bodies_);
    return gather_causes(input(request), islands, bodies_, pending_);
  }

  [[nodiscard]] int gathered_of(std::uint16_t seat) const {
    int count = 0;
    for (const PendingCauses::Inputs& inputs : pending_.inputs) {
      if (inputs.seat == seat) count += std::popcount(inputs.ticks);
    }
    return count;
  }

  Members base_;
  Tick base_tick_;
  PendingCauses pending_;
};

TEST_F(GatherCausesTest, AnIslandIsSentInFullIfItsCausesTakeMoreBitsThanItsBodies) {
  ASSERT_TRUE(gather(8'000));
  EXPECT_EQ(pending_.size(), 4U) << "one entry for each body, however many changes it has";
  EXPECT_EQ(gathered_of(0), int{kTicks}) << "the own island is replayed";
  EXPECT_TRUE(bodies_.is_replayed(slot(0)));
  for (std::uint16_t seat = 1; seat < 4; ++seat) {  // the last is out of view
    EXPECT_FALSE(bodies_.is_replayed(slot(seat)));
  }
}

TEST_F(GatherCausesTest, IslandsAreReplayedWhileTheirCausesFit) {
  constexpr std::uint32_t kRecent = 4;
  constexpr std::size_t kIslandBits = kRecent * kCauseBits;
  base_tick_ = {field_.now().value - kRecent};
  ASSERT_TRUE(gather(2 * kIslandBits + kIslandBits / 2));
  EXPECT_TRUE(bodies_.is_replayed(slot(0)));
  EXPECT_TRUE(bodies_.is_replayed(slot(1)));
  EXPECT_FALSE(bodies_.is_replayed(slot(2)));
  EXPECT_FALSE(bodies_.is_replayed(slot(3)));
  WrittenCauses causes;
  const ViewRequest request{.player = {0}, .base = &base_, .base_tick = base_tick_};
  sort_causes(input(request), bodies_, pending_, causes);
  EXPECT_EQ(causes.inputs.size(), 2U * kRecent);
}

TEST_F(GatherCausesTest, FailIfTheOwnCausesAloneDoNotFit) {
  EXPECT_FALSE(gather(kTicks * kCauseBits - 8));
  bodies_.clear();
  EXPECT_TRUE(gather(kTicks * kCauseBits));
}

// --- which bodies are wanted in full, and which of them fit ---

class CandidatesTest : public PlanStagesTest {
 protected:
  using PlanStagesTest::PlanStagesTest;

  std::vector<Candidate> candidates(const ViewRequest& request) {
    const auto listed = list_candidates(input(request), kAmple, bodies_, visible_, memory_);
    std::vector<Candidate> candidates{listed.begin(), listed.end()};
    std::ranges::sort(candidates, std::greater{}, &Candidate::priority);
    return candidates;
  }

 private:
  std::vector<Interest::Found> visible_;
  std::vector<Candidate> memory_;
};

TEST_F(CandidatesTest, AreTheOwnBodyThenTheNearestAndTheLongestWaiting) {
  // Without a base, the gathered priority does not count.
  ViewRequest request{.player = {0}};
  mark_waiting({{.slot = slot(3), .priority = 100}}, bodies_);
  const Candidate own{.slot = slot(0), .priority = 0xffff'ffff};
  const auto other = [&](std::uint16_t seat, std::uint32_t priority) {
    return Candidate{.slot = slot(seat), .priority = priority, .is_new = true};
  };
  EXPECT_EQ(candidates(request),
            (std::vector<Candidate>{own, other(1, 61), other(2, 58), other(3, 55)}));
  // With a base, even an empty one, the gathered priority counts.
  const Members nobody;
  request.base = &nobody;
  EXPECT_EQ(candidates(request),
            (std::vector<Candidate>{own, other(3, 155), other(1, 61), other(2, 58)}));
}

/// The fourth is out of sight by less than the hysteresis.
class RimTest : public CandidatesTest {
 protected:
  RimTest() : CandidatesTest({units(0, 0), units(3, 0), units(6, 0), units(12, 0), units(18, 0)}) {}

  std::vector<SlotId> candidate_slots(const ViewRequest& request) {
    std::vector<SlotId> slots;
    std::ranges::transform(candidates(request), std::back_inserter(slots), &Candidate::slot);
    std::ranges::sort(slots);
    return slots;
  }

  [[nodiscard]] std::vector<SlotId> sorted(std::vector<SlotId> slots) const {
    std::ranges::sort(slots);
    return slots;
  }
};

// The view sent last may still wait for its acknowledgement. Before the fix, a player at the edge
// of such a view left the view at once, and came back with the acknowledgement.
TEST_F(RimTest, BodiesOfTheViewSentLastStayCandidates) {
  const Members nobody;
  ViewRequest request{.player = {0}, .base = &nobody};
  EXPECT_EQ(candidate_slots(request), sorted(slots({0, 1, 2})));
  const Members last = slots({0, 1, 2, 3, 4});  // the last one is further away than the rim
  request.last = &last;
  EXPECT_EQ(candidate_slots(request), sorted(slots({0, 1, 2, 3})));
}

class ChooseBodiesTest : public PlanStagesTest {
 protected:
  std::optional<ChosenBodies> choose(const RowBudget& budget) {
    chosen_.clear();
    std::vector<Candidate> candidates{{.slot = slot(0), .priority = 0xffff'ffff, .is_known = true},
                                      {.slot = slot(1), .priority = 1'000, .is_known = true},
                                      {.slot = slot(2), .priority = 50, .is_new = true},
                                      {.slot = slot(3), .priority = 40, .is_new = true}};
    const ViewRequest request{.player = {0}, .base = &nobody_};
    const auto result = choose_bodies(input(request), budget, bodies_, candidates, chosen_);
    list_waiting(candidates, views::kMembersMax, waiting_);
    return result;
  }

  const Members nobody_;
  Members chosen_;
  WaitingBodies waiting_;
};

TEST_F(ChooseBodiesTest, AreChosenByBitsAndTheOthersWait) {
  const std::size_t known_bits = bits_of(0) + bits_of(1);
  // A chosen new body stays in the list: the client may not receive this snapshot.
  const WaitingBodies both_new{{.slot = slot(2), .priority = 50},
                               {.slot = slot(3), .priority = 40}};

  auto result = choose({.bits = known_bits + bits_of(2), .headroom = 0, .members = 10});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->known_bits, known_bits);
  EXPECT_EQ(result->new_bits, bits_of(2));
  EXPECT_EQ(result->deferred, 1U);
  EXPECT_EQ(chosen_, slots({0, 1, 2}));
  EXPECT_EQ(waiting_, both_new);

  result = choose({.bits = known_bits + bits_of(2), .headroom = 1, .members = 10});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->new_bits, 0U) << "a new body leaves the headroom free";
  EXPECT_EQ(result->deferred, 2U);
  EXPECT_EQ(waiting_, both_new);

  result = choose({.bits = bits_of(0), .headroom = 1, .members = 10});
  ASSERT_TRUE(result) << "the own body needs no headroom";
  EXPECT_EQ(chosen_, slots({0}));
  EXPECT_EQ(result->deferred, 3U);

  EXPECT_FALSE(choose({.bits = bits_of(0) - 1, .headroom = 0, .members = 10}));
}

TEST_F(ChooseBodiesTest, AreNoMoreThanTheMembersThatTheViewMayHave) {
  const auto result = choose({.bits = 8'000, .headroom = 0, .members = 2});
  ASSERT_TRUE(result);
  EXPECT_EQ(chosen_, slots({0, 1}));
  EXPECT_EQ(result->deferred, 2U);
}

}  // namespace
}  // namespace tickbox::server
