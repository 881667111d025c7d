// The snapshots of one client, case by case, over a real match. A snapshot world makes the
// planner's view from each of them.

#include "server/match/plan/planner.h"

#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

#include <vector>

namespace tickbox::server::planner_test {
namespace {

/// A test fails if the event that it waits for takes longer.
constexpr int kTicksMost = 1'000;

std::vector<BodyId> ids_of(const views::Content& content) {
  std::vector<BodyId> ids;
  for (const views::RowHead& head : content.rows.heads()) {
    ids.push_back(head.id);
  }
  return ids;
}

bool has_causes(const views::Content& content) {
  return !content.inputs.empty() || !content.outcomes.empty() || !content.room.empty();
}

TEST(Planner, WithoutABaseAllInSightIsSentInFull) {
  PlannedMatch match{{units(0, 0), units(10, -10), units(11, 0), units(0, 12)}};
  match.tick();
  const views::Content& content = match.send();
  EXPECT_FALSE(match.plan().on_base);
  EXPECT_TRUE(match.plan().has_news);
  EXPECT_FALSE(has_causes(content));
  EXPECT_EQ(ids_of(content), (std::vector{match.body(0), match.body(1)}));
  EXPECT_EQ(match.plan().known_body_bytes, 0U);
  EXPECT_GT(match.plan().new_body_bytes, 0U);
}

// A runner that runs on moves too: a client computes this itself.
TEST(Planner, WhereNothingHappensNothingIsSent) {
  PlannedMatch match{{units(0, 0), units(4, 0)}};
  match.tick({{.seat = 1, .pad = kDown}});
  match.send();
  match.acknowledge();
  for (int i = 0; i < 20; ++i) {
    match.tick();
    match.send();
    EXPECT_TRUE(match.plan().on_base);
    EXPECT_FALSE(match.plan().has_news);
    EXPECT_EQ(match.bytes(), 0U);
  }
}

TEST(Planner, AnInputThatChangesIsOneCauseUntilItIsAcknowledged) {
  PlannedMatch match{{units(0, 0), units(4, 0), units(40, 0)}};
  match.tick();
  match.send();
  match.acknowledge();
  match.tick({{.seat = 1, .pad = kDown}, {.seat = 2, .pad = kLeft}});
  for (std::uint8_t ago = 0; ago < 20; ++ago) {
    const views::Content& content = match.send();
    ASSERT_EQ(content.inputs.size(), 1U) << "of the one in sight";
    EXPECT_EQ(content.inputs[0].ago, ago);
    EXPECT_EQ(content.inputs[0].index, 1);
    EXPECT_TRUE(content.rows.empty());
    EXPECT_TRUE(match.plan().has_news);
    match.tick();
  }
  match.send();
  match.acknowledge();
  match.tick();
  EXPECT_FALSE(has_causes(match.send())) << "the client has it";
}

TEST(Planner, AChangeOfTheRoomIsSentUntilItIsAcknowledged) {
  PlannedMatch match{{units(0, 0)}};
  match.tick();
  match.send();
  match.acknowledge();
  match.command_rain(4);
  match.tick();
  match.tick();
  match.command_rain(5);
  match.tick();
  const views::Content& content = match.send();
  ASSERT_EQ(content.room.size(), 2U);
  EXPECT_EQ(content.room[0].ago, 2);
  EXPECT_EQ(content.room[1].ago, 0);
  match.acknowledge();
  match.tick();
  EXPECT_TRUE(match.send().room.empty());
}

TEST(Planner, ABodyThatGetsOutOfSightLeavesTheView) {
  PlannedMatch match{{units(0, 0), units(10, 0)}};
  match.tick();
  match.send();
  match.acknowledge();
  const auto is_near = [&match] {
    return match.place(1).x <= field::kSight.x + kUnit / 2 + kViewHysteresis;
  };
  for (match.tick({{.seat = 1, .pad = kRight}}); is_near(); match.tick()) {
    EXPECT_TRUE(match.send().exits.empty());
    EXPECT_TRUE(match.sees(1));
  }
  const views::Content& content = match.send();
  EXPECT_EQ(content.exits, (std::vector<std::uint16_t>{1}));
  EXPECT_TRUE(content.inputs.empty()) << "nobody needs to know where it runs";
  EXPECT_TRUE(content.rows.empty());
  EXPECT_FALSE(match.sees(1));
  match.acknowledge();
  match.tick();
  EXPECT_TRUE(match.send().exits.empty()) << "once";
}

// A body out of view runs into a body in view, which is sent in full. A runner that changes its
// direction is still sent by its causes.
TEST(Planner, AnIslandWithAMemberOutsideIsSentInFullAndNothingElse) {
  PlannedMatch match{{units(0, 0), {10 * kUnit - kUnit / 2, 0}, units(13, 0), units(0, 5)}};
  match.tick();
  match.send();
  match.acknowledge();
  ASSERT_FALSE(match.sees(2));
  const Tick base = match.now();
  match.tick({{.seat = 2, .pad = kLeft}, {.seat = 3, .pad = kDown}});
  const auto have_met = [&] {
    Islands& islands = match.match().history().islands_since(base);
    return islands.root_of(match.slot(1)) == islands.root_of(match.slot(2));
  };
  for (int ticks = 0; !have_met(); ++ticks) {
    ASSERT_LT(ticks, kTicksMost);
    match.tick();
  }
  ASSERT_LE(match.now() - base, 60);
  const views::Content& content = match.send();
  std::vector<BodyId> expected{match.body(1)};
  if (match.sees(2)) expected.push_back(match.body(2));
  EXPECT_EQ(ids_of(content), expected);
  EXPECT_TRUE(content.exits.empty());
  ASSERT_EQ(content.inputs.size(), 1U);
  EXPECT_EQ(content.inputs[0].index, 2) << "the one that runs down";
  EXPECT_GT(match.plan().known_body_bytes, 0U);
}

TEST(Planner, ADartThatHasComeAndGoneIsNothingButItsShot) {
  PlannedMatch match{{units(0, 0), units(4, 4), units(9, 4)}};
  match.tick();
  match.send();
  match.acknowledge();
  match.tick({{.seat = 1, .pad = kShoot}});
  ASSERT_EQ(match.darts().size(), 1U);
  const BodyId dart = match.darts().front();
  const auto expect_one_shot = [&](const views::Content& content) {
    EXPECT_EQ(content.inputs.size(), 1U);
    EXPECT_TRUE(content.rows.empty());
    EXPECT_TRUE(content.exits.empty());
  };
  expect_one_shot(match.send());
  EXPECT_TRUE(match.members().contains(dart));
  while (!match.darts().empty()) {
    match.tick();
  }
  const views::Content& content = match.send();
  expect_one_shot(content);
  EXPECT_EQ(content.outcomes.size(), 1U) << "and where the victim was put";
  EXPECT_FALSE(match.members().contains(dart));
  EXPECT_TRUE(match.sees(2)) << "for a while, wherever it is";
}

// Without this body in the view, all that it influenced would be sent in full.
TEST(Planner, ABodyThatWasPutOutOfSightStaysInTheViewForAWhile) {
  PlannedMatch match{{units(0, 0), units(4, 0)}};
  match.tick();
  match.send();
  match.acknowledge();
  match.command_put(1, units(100, 0));
  match.tick();
  std::uint32_t stays = 0;
  for (; stays < 100; ++stays) {
    match.send();
    if (!match.sees(1)) break;
    match.tick();
  }
  EXPECT_EQ(stays, 17U) << "though the client keeps the old base";
  // Nor does it stay on a base that has its new place.
  match.put({units(0, 0), units(4, 0)});
  match.send();
  match.acknowledge();
  match.command_put(1, units(100, 0));
  match.tick();
  match.send();
  ASSERT_TRUE(match.sees(1));
  match.acknowledge();
  match.tick();
  match.send();
  EXPECT_FALSE(match.sees(1));
}

// A dart anywhere costs no bytes until it ends.
TEST(Planner, ADartThatGetsOutOfSightStaysInTheView) {
  PlannedMatch match{{units(0, 0), units(4, 0)}};
  match.tick();
  match.send();
  match.acknowledge();
  match.tick({{.seat = 1, .pad = kShoot}});
  const BodyId dart = match.darts().front();
  for (int ticks = 0; ticks < 30; ++ticks) {
    const views::Content& content = match.send();
    EXPECT_TRUE(content.exits.empty());
    EXPECT_TRUE(content.rows.empty());
    EXPECT_TRUE(match.members().contains(dart));
    match.acknowledge();
    match.tick();
  }
  const engine::World& world = match.match().world();
  EXPECT_GT(world.body(world.index_of(dart)).min.x, 2 * field::kSight.x);
}

// The base has a dart that has ended since. The replay shows this, so no exit is needed.
TEST(Planner, ADartThatEndsNeedsNoExit) {
  PlannedMatch match{{units(0, 0), units(-3, 3)}};
  match.command_drop(units(8, 3));
  match.tick();
  match.tick({{.seat = 1, .pad = kShoot}});
  match.send();
  match.acknowledge();
  ASSERT_EQ(match.members().size(), 4U);
  while (!match.darts().empty()) {
    match.tick();
  }
  const views::Content& content = match.send();
  EXPECT_FALSE(has_causes(content));
  EXPECT_TRUE(content.rows.empty());
  EXPECT_TRUE(content.exits.empty());
  EXPECT_EQ(match.members().size(), 3U);
}

TEST(Planner, ABodyIsSentInFullWhereItsCausesTakeMoreBits) {
  PlannedMatch match{{units(0, 0), units(4, 0)}};
  match.tick();
  match.send();
  match.acknowledge();
  bool was_in_full = false;
  for (std::size_t i = 0; i < 40; ++i) {
    match.tick({{.seat = 1, .pad = i % 2 == 0 ? kLeft : kRight}});
    const views::Content& content = match.send();
    const bool in_full = !content.rows.empty();
    EXPECT_EQ(content.inputs.size(), in_full ? 0U : i + 1);
    EXPECT_EQ(content.rows.size(), in_full ? 1U : 0U);
    EXPECT_TRUE(in_full || !was_in_full) << "and from then on";
    EXPECT_TRUE(content.exits.empty());
    was_in_full = in_full;
  }
  EXPECT_TRUE(was_in_full);
}

// The client does not know the contacts of a body that is sent in full. It must know those of its
// own body.
TEST(Planner, TheCausesOfTheOwnBodyAreSentHoweverManyTheyAre) {
  PlannedMatch match{{units(0, 0)}};
  match.tick();
  match.send();
  match.acknowledge();
  for (std::size_t i = 0; i < protocol::kBaseAgeMax; ++i) {
    match.tick({{.seat = 0, .pad = i % 2 == 0 ? kLeft : kRight}});
    const views::Content& content = match.send();
    EXPECT_EQ(content.inputs.size(), i + 1);
    EXPECT_TRUE(content.rows.empty());
  }
}

// The view sent last may still wait for its acknowledgement. Before the fix, a body at the edge of
// such a view left the view at once, and came back with the acknowledgement.
TEST(Planner, ABodyOfTheViewSentLastStaysAtTheRim) {
  PlannedMatch match{{units(0, 0), units(12, 0)}};
  match.tick();
  match.send();
  match.acknowledge();
  ASSERT_FALSE(match.sees(1));
  match.command_put(1, units(10, 0));
  match.tick({{.seat = 1, .pad = kRight}});
  match.send();
  ASSERT_TRUE(match.sees(1));
  for (int ticks = 0; match.place(1).x < field::kSight.x + 2 * kUnit; ++ticks) {
    ASSERT_LT(ticks, 60);
    match.tick();
    match.send();
    EXPECT_TRUE(match.sees(1)) << "which is not acknowledged";
  }
  while (match.place(1).x <= field::kSight.x + kUnit / 2 + kViewHysteresis) {
    match.tick();
    match.send();
  }
  EXPECT_FALSE(match.sees(1)) << "beyond the rim";
}

}  // namespace
}  // namespace tickbox::server::planner_test
