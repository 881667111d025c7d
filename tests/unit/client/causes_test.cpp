// The causes of a wrong view in words, from a match's snapshots with changed hashes.

#include "client/verification/desync_reporter.h"
#include "sim/body.h"
#include "tests/unit/match/staged_snapshots.h"

#include <gtest/gtest.h>

#include <vector>

namespace tickbox::client {
namespace {

using Kind = desync::Cause::Kind;
using server::kRest;
using server::kRight;
using server::kShoot;
using server::units;

namespace field = tests::field;

class CausesTest : public ::testing::Test {
 protected:
  CausesTest() {
    room_.tick();
    const server::Snapshot full = room_.full();
    EXPECT_TRUE(client_.apply(full.head, full.content));
    base_ = room_.now();
  }

  /// Returns the causes of the view of `snapshot`, whose hash it makes wrong first.
  std::vector<desync::Cause> causes(server::Snapshot snapshot) {
    snapshot.head.view_hash ^= 1;
    const auto view = client_.apply(snapshot.head, snapshot.content);
    EXPECT_TRUE(!view && view.error().wrong);
    if (view || !view.error().wrong) return {};
    EXPECT_EQ(view.error().wrong->view->room.size(), field::game().room.bytes);
    return causes_of(*view.error().wrong);
  }

  server::StagedMatch room_{{units(0, 0), units(10, 0), units(20, 5), units(30, 5)}};
  engine::Stepper stepper_;
  SnapshotWorld client_{room_.like(), Player{0}, stepper_};
  Tick base_;
};

TEST_F(CausesTest, NamesWhatChangedAndWhen) {
  const BodyId a = room_.body(0);
  const BodyId b = room_.body(1);
  room_.tick({{.seat = 0, .pad = kRight}, {.seat = 1, .pad = kShoot}});
  room_.command_paint(0, 8);
  room_.command_rain(3);
  room_.tick({{.seat = 0, .pad = kRest}, {.seat = 1, .pad = kShoot}});
  const std::vector<desync::Cause> expected{
      {.tick = base_ + 1, .entity = a, .kind = Kind::Input, .what = "x 1"},
      {.tick = base_ + 1, .entity = b, .kind = Kind::Input, .what = "shoot 1"},
      {.tick = base_ + 2, .entity = a, .kind = Kind::Input, .what = "x 0"},
      {.tick = base_ + 2, .entity = a, .kind = Kind::Outcome, .what = "Painted paint 8"},
      {.tick = base_ + 2, .entity = b, .kind = Kind::Input, .what = "shoot 1"},
      {.tick = base_ + 2, .entity = sim::kNoBody, .kind = Kind::Room, .what = "rain 3"}};
  EXPECT_EQ(causes(room_.since(base_)), expected);
}

TEST_F(CausesTest, NamesWhoLeavesAndWhoComesInFull) {
  const BodyId c = room_.body(2);
  const BodyId d = room_.body(3);
  room_.tick();
  const std::vector<desync::Cause> expected{
      {.tick = base_ + 1, .entity = c, .kind = Kind::Exit, .what = ""},
      {.tick = base_ + 1, .entity = d, .kind = Kind::InFull, .what = ""}};
  EXPECT_EQ(causes(room_.since(base_, {.hidden = {c}, .in_full = {d}})), expected);
}

TEST_F(CausesTest, AFullViewHasItsRowsAlone) {
  room_.tick();
  const std::vector<desync::Cause> all = causes(room_.full());
  ASSERT_EQ(all.size(), 4U);
  for (const desync::Cause& cause : all) {
    EXPECT_EQ(cause.kind, Kind::InFull);
  }
}

}  // namespace
}  // namespace tickbox::client
