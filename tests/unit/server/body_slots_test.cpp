#include "server/room/body_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tickbox::server {
namespace {

constexpr BodyId kPlayer = game::player_body({3}, 1);
constexpr BodyId kSuccessor = game::player_body({3}, 2);
constexpr BodyId kCrate = game::crate_body(0);
constexpr BodyId kBullet = game::bullet_body({3}, {9});

/// Lives tick by tick, of bodies with given ids.
class LivesTest : public ::testing::Test {
 protected:
  void tick(std::vector<BodyId> ids) {
    std::ranges::sort(ids);
    std::vector<game::EntityState> entities;
    entities.reserve(ids.size());
    for (const BodyId id : ids) {
      entities.push_back({.id = id, .min = {}, .velocity = {}, .traits = {}});
    }
    now_ = now_ + 1;
    lives_.update(now_, entities);
  }

  [[nodiscard]] std::vector<BodyId> ids(std::span<const LifeId> lives) const {
    std::vector<BodyId> ids;
    for (const LifeId life : lives) {
      ids.push_back(lives_.of(life).id);
    }
    return ids;
  }

  Tick now_{100};
  Lives lives_;
};

TEST_F(LivesTest, TellWhoIsBornAndWhoIsGone) {
  tick({kCrate, kPlayer});
  EXPECT_EQ(ids(lives_.born()), (std::vector{kPlayer, kCrate})) << "by id";
  EXPECT_TRUE(lives_.gone().empty());
  tick({kCrate, kBullet});
  EXPECT_EQ(ids(lives_.present()), (std::vector{kCrate, kBullet}));
  EXPECT_EQ(ids(lives_.born()), std::vector{kBullet});
  EXPECT_EQ(ids(lives_.gone()), std::vector{kPlayer});
  tick({kCrate, kBullet});
  EXPECT_TRUE(lives_.born().empty());
  EXPECT_TRUE(lives_.gone().empty());
  tick({});
  EXPECT_EQ(ids(lives_.gone()), (std::vector{kCrate, kBullet}));
}

TEST_F(LivesTest, KeepTheirNumberAndKnowTheirPlace) {
  tick({kCrate});
  const LifeId crate = lives_.find(kCrate);
  EXPECT_EQ(lives_.of(crate).index, 0U);
  tick({kPlayer, kCrate, kBullet});
  EXPECT_EQ(lives_.find(kCrate), crate);
  EXPECT_EQ(lives_.of(crate).index, 1U);
  EXPECT_EQ(lives_.of(lives_.find(kBullet)).index, 2U);
  EXPECT_EQ(lives_.present()[1], crate);
}

TEST_F(LivesTest, RememberWhenTheyBeganAndEnded) {
  tick({kBullet});
  const LifeId bullet = lives_.find(kBullet);
  const Tick born = now_;
  EXPECT_TRUE(lives_.of(bullet).is_there());
  tick({kBullet});
  tick({});
  EXPECT_EQ(lives_.of(bullet).born, born);
  EXPECT_EQ(lives_.of(bullet).gone, now_);
  EXPECT_FALSE(lives_.of(bullet).is_there());
  tick({});
  EXPECT_EQ(lives_.of(bullet).gone, born + 2) << "not again";
}

// A client can derive from the rules that a bullet ends. It cannot derive that a player leaves.
TEST_F(LivesTest, OfPlayersEndByLeaving) {
  tick({kPlayer, kCrate, kBullet});
  const LifeId player = lives_.find(kPlayer);
  const LifeId crate = lives_.find(kCrate);
  const LifeId bullet = lives_.find(kBullet);
  tick({});
  EXPECT_TRUE(lives_.of(player).left);
  EXPECT_FALSE(lives_.of(crate).left);
  EXPECT_FALSE(lives_.of(bullet).left);
}

TEST_F(LivesTest, AreFoundForOneTickMore) {
  tick({kPlayer});
  const LifeId player = lives_.find(kPlayer);
  EXPECT_EQ(lives_.find(kCrate), kNoLife);
  tick({kSuccessor});
  EXPECT_EQ(lives_.find(kPlayer), player) << "contacts of this tick speak of it";
  EXPECT_NE(lives_.find(kSuccessor), player) << "who takes the seat is somebody else";
  tick({kSuccessor});
  EXPECT_EQ(lives_.find(kPlayer), kNoLife);
}

// A number is not reused while any tick that may refer to the old body is remembered.
TEST_F(LivesTest, GiveNumbersAgainOnlyWhenAllHaveForgotten) {
  tick({kPlayer});
  const LifeId gone = lives_.find(kPlayer);
  tick({});
  for (std::uint32_t ticks = 1; ticks <= protocol::kTicksRemembered; ++ticks) {
    tick({game::crate_body(ticks)});
    ASSERT_NE(lives_.find(game::crate_body(ticks)), gone) << ticks << " ticks later";
    ASSERT_EQ(lives_.of(gone).id, kPlayer) << ticks << " ticks later";
  }
  tick({kCrate});
  EXPECT_EQ(lives_.find(kCrate), gone);
  EXPECT_EQ(lives_.of(gone).id, kCrate);
  EXPECT_FALSE(lives_.of(gone).left);
  EXPECT_TRUE(lives_.of(gone).is_there());
}

TEST_F(LivesTest, NeedNoMoreNumbersThanAreRemembered) {
  for (std::uint32_t i = 0; i < 10 * protocol::kTicksRemembered; ++i) {
    tick({game::crate_body(i)});
  }
  EXPECT_LE(lives_.size(), protocol::kTicksRemembered + 2);
}

TEST(Lives, AskForNoMemoryWithinWhatIsReserved) {
  Lives lives;
  lives.reserve(10);
  EXPECT_GE(lives.capacity(), 10U);
  EXPECT_EQ(lives.size(), 0U);
}

TEST(BaseAge, IsASecondWithinWhatCausesCanSay) {
  EXPECT_EQ(base_age_max(10), 24U);
  EXPECT_EQ(base_age_max(30), 30U);
  EXPECT_EQ(base_age_max(60), 60U);
  EXPECT_EQ(base_age_max(240), protocol::kBaseAgeMax);
}

}  // namespace
}  // namespace tickbox::server
