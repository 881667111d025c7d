// Where the camera of a client looks, from what snapshots say.

#include "client/presentation/presentation.h"
#include "tests/support/field_game.h"
#include "tests/unit/match/staged_snapshots.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::client {
namespace {

using server::units;

namespace field = tests::field;

constexpr std::uint16_t kMe = 0;

/// The middle of a runner whose minimum corner is at `min`.
constexpr Vec2 middle_of_runner(Vec2 min) {
  return {.x = min.x + kUnit / 2, .y = min.y + kUnit / 2};
}

class ViewFocusTest : public ::testing::Test {
 protected:
  /// Takes a view of the room, without the hidden bodies.
  void view(std::optional<Vec2> centre, const std::vector<BodyId>& hidden = {}) {
    focus_.on_view({.tick = room_.now(),
                    .rows = std::make_shared<views::Rows>(room_.seen(hidden)),
                    .touched = {},
                    .centre = centre});
  }

  server::StagedMatch room_{{units(0, 0), units(8, 0)}};
  ViewFocus focus_{Player{kMe}};
};

TEST_F(ViewFocusTest, IsNowhereBeforeACentreIsKnown) {
  EXPECT_EQ(focus_.place({}), std::nullopt);
  view(std::nullopt);
  EXPECT_EQ(focus_.place({}), std::nullopt);
}

TEST_F(ViewFocusTest, FollowsTheOwnAvatarAtTheCentre) {
  view(units(0, 0));
  EXPECT_EQ(focus_.place({}), middle_of_runner(units(0, 0)));
  room_.put({units(3, 0), units(8, 0)});
  view(std::nullopt);
  EXPECT_EQ(focus_.place({}), middle_of_runner(units(3, 0)));
}

TEST_F(ViewFocusTest, IsWhereTheAvatarIsShown) {
  view(units(0, 0));
  const std::vector<PresentedBody> shown = {
      {.id = room_.body(kMe), .kind = 0, .min = units(5, 5), .origin = Origin::Own}};
  EXPECT_EQ(focus_.place(shown), middle_of_runner(units(5, 5)));
}

TEST_F(ViewFocusTest, StaysAtTheLastPlaceOfAnAvatarThatIsGone) {
  view(units(0, 0));
  view(std::nullopt, {room_.body(kMe)});
  EXPECT_EQ(focus_.place({}), middle_of_runner(units(0, 0)));
}

TEST_F(ViewFocusTest, IsThePlaceThatTheGameHasChosen) {
  view(units(0, 0));
  view(units(-40, 7));
  EXPECT_EQ(focus_.place({}), units(-40, 7));
  view(std::nullopt);
  EXPECT_EQ(focus_.place({}), units(-40, 7));
}

TEST_F(ViewFocusTest, FollowsAnotherPlayerAtTheCentre) {
  view(units(8, 0), {room_.body(kMe)});
  EXPECT_EQ(focus_.place({}), middle_of_runner(units(8, 0)));
  room_.put({units(0, 0), units(9, 4)});
  view(std::nullopt, {room_.body(kMe)});
  EXPECT_EQ(focus_.place({}), middle_of_runner(units(9, 4)));
}

TEST_F(ViewFocusTest, PrefersTheOwnAvatarToANearerOne) {
  const Vec2 own{.x = -kUnit / 4, .y = 0};
  room_.put({own, {.x = 3 * kUnit / 4, .y = 0}});
  view(units(1, 0));
  EXPECT_EQ(focus_.place({}), middle_of_runner(own));
}

TEST_F(ViewFocusTest, SeesAsFarAsTheFirstOwnAvatar) {
  EXPECT_EQ(focus_.sight(), views::kSight);
  view(units(0, 0));
  EXPECT_EQ(focus_.sight(), field::kSight);
  view(std::nullopt, {room_.body(kMe)});
  EXPECT_EQ(focus_.sight(), views::kSight);
}

}  // namespace
}  // namespace tickbox::client
