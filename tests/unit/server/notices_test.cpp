// Who is told of what, in a room whose players stand where the test says.

#include "server/replication/notices.h"

#include "game/map.h"
#include "tests/support/arena_wrappers.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr Sight kSight{.half_width = 24, .half_height = 16};
constexpr PlayerId kA{0};
constexpr PlayerId kB{1};
constexpr PlayerId kC{2};
/// Where who is hit appears again.
constexpr Vec2 kElsewhere{.x = 0, .y = 500 * kUnit};

/// A and B face to face; C where nobody sees it.
game::SharedMap field() {
  auto map = std::make_shared<game::Map>();
  map->seats = 3;
  map->spawn_points = {{.x = 0, .y = 0}, {.x = 4 * kUnit, .y = 0}, {.x = 0, .y = -500 * kUnit}};
  for (std::int32_t i = 0; i < 30; ++i) {
    map->spawn_points.push_back({.x = 3 * i * kUnit, .y = kElsewhere.y});
  }
  map->statics = std::make_shared<const sim::Statics>(std::vector<sim::Body>{});
  return map;
}

class NoticesTest : public ::testing::Test {
 protected:
  NoticesTest() { tick({}, {kA, kB, kC}); }

  void tick(const std::vector<game::PlayerInput>& inputs, const std::vector<PlayerId>& joins = {},
            const std::vector<game::Strike>& strikes = {}) {
    room_.tick({.leaves = {}, .joins = joins, .inputs = inputs, .strikes = strikes});
    notices_.gather(room_, joins);
  }

  /// A's ray strikes B.
  void hit() {
    const std::vector<game::PlayerInput> inputs{
        {.player = kA, .input = {.buttons = game::kButtonRay}}};
    tick(inputs, {}, {{.shooter = kA, .victim = room_.world().body_of(kB)}});
  }

  [[nodiscard]] const Notice* find(protocol::EventKind kind, PlayerId subject) const {
    for (const Notice& notice : notices_.all()) {
      if (notice.event.kind == kind && notice.event.subject == subject) return &notice;
    }
    return nullptr;
  }

  Room room_{field(), std::make_shared<const tests::SeatedArena>(kRate), 1, kRate};
  Notices notices_{kSight};
};

TEST_F(NoticesTest, TellOfWhoJoins) {
  ASSERT_EQ(notices_.all().size(), 3U);
  const Notice* spawn = find(protocol::EventKind::Spawn, kB);
  ASSERT_NE(spawn, nullptr);
  EXPECT_EQ(spawn->event.what, room_.world().seat(kB).generation);
  EXPECT_TRUE(notices_.reaches(*spawn, kA, {.x = 0, .y = 0}));
  EXPECT_FALSE(notices_.reaches(*spawn, kC, {.x = 0, .y = -500 * kUnit}));
  tick({});
  EXPECT_TRUE(notices_.all().empty());
}

TEST_F(NoticesTest, TellOfAHitItsScoreAndWhereTheVictimAppears) {
  hit();
  ASSERT_EQ(notices_.all().size(), 3U);
  const Notice* hit = find(protocol::EventKind::Hit, kA);
  const Notice* score = find(protocol::EventKind::Score, kA);
  const Notice* spawn = find(protocol::EventKind::Spawn, kB);
  ASSERT_TRUE(hit != nullptr && score != nullptr && spawn != nullptr);
  EXPECT_EQ(hit->event.what, kB.value);
  EXPECT_EQ(score->event.what, 1);
  // Who sees where it happened.
  const Vec2 here{.x = 20 * kUnit, .y = 0};
  EXPECT_TRUE(notices_.reaches(*hit, kC, here));
  EXPECT_TRUE(notices_.reaches(*score, kC, here));
  EXPECT_FALSE(notices_.reaches(*spawn, kC, here));
  // Who sees where the victim is now.
  EXPECT_FALSE(notices_.reaches(*hit, kC, kElsewhere));
  EXPECT_FALSE(notices_.reaches(*score, kC, kElsewhere));
  EXPECT_TRUE(notices_.reaches(*spawn, kC, kElsewhere));
  // Whom it is about, wherever it is.
  const Vec2 nowhere{.x = 2'000 * kUnit, .y = 0};
  EXPECT_TRUE(notices_.reaches(*hit, kA, nowhere));
  EXPECT_TRUE(notices_.reaches(*hit, kB, nowhere));
  EXPECT_FALSE(notices_.reaches(*hit, kC, nowhere));
  EXPECT_TRUE(notices_.reaches(*score, kA, nowhere));
  EXPECT_TRUE(notices_.reaches(*spawn, kB, nowhere));
  EXPECT_FALSE(notices_.reaches(*spawn, kA, nowhere));
}

TEST_F(NoticesTest, TellOfEachShotInOneGo) {
  const std::vector<game::PlayerInput> inputs{
      {.player = kA, .input = {.buttons = game::kButtonRay}},
      {.player = kC, .input = {.buttons = game::kButtonRay}}};
  tick(inputs, {},
       {{.shooter = kA, .victim = room_.world().body_of(kB)},
        {.shooter = kC, .victim = room_.world().body_of(kA)}});
  std::vector<std::pair<protocol::EventKind, PlayerId>> told;
  for (const Notice& notice : notices_.all()) {
    told.emplace_back(notice.event.kind, notice.event.subject);
  }
  using enum protocol::EventKind;
  EXPECT_EQ(told, (std::vector<std::pair<protocol::EventKind, PlayerId>>{
                      {Hit, kA}, {Score, kA}, {Spawn, kB}, {Hit, kC}, {Score, kC}, {Spawn, kA}}));
}

// The seat that a score's low bits happen to name is not concerned by it.
TEST_F(NoticesTest, AScoreConcernsItsPlayerAlone) {
  hit();
  const Notice* score = find(protocol::EventKind::Score, kA);
  ASSERT_EQ(score->event.what, kB.value);
  EXPECT_FALSE(notices_.reaches(*score, kB, {.x = 2'000 * kUnit, .y = 0}));
}

}  // namespace
}  // namespace tickbox::server
