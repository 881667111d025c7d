#include "server/match/body_slots.h"

#include "engine/entity_id.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::uint16_t kSeat = 3;

constexpr BodyId crate_id(std::uint32_t number) {
  return engine::spawned_id(engine::IdClass::ByServer,
                            {.lineage = engine::kSeatsMax + number, .tick = {0}, .count = 0});
}

constexpr BodyId kPlayer = engine::controlled_id(1, {.lineage = kSeat, .tick = {5}, .count = 0});
constexpr BodyId kSuccessor = engine::controlled_id(2, {.lineage = kSeat, .tick = {9}, .count = 0});
constexpr BodyId kCrate = crate_id(0);
constexpr BodyId kBullet =
    engine::spawned_id(engine::IdClass::ByEntity, {.lineage = kSeat, .tick = {9}, .count = 0});

/// The slots of bodies, tick by tick; a test names bodies by their ids.
class BodySlotsTest : public ::testing::Test {
 protected:
  void tick(std::vector<BodyId> ids) {
    std::ranges::sort(ids);
    now_ = now_ + 1;
    slots_.update(now_, ids,
                  [](BodyId id) { return engine::class_of(id) == engine::IdClass::Controlled; });
  }

  [[nodiscard]] std::vector<BodyId> ids(std::span<const SlotId> slots) const {
    std::vector<BodyId> ids;
    for (const SlotId slot : slots) {
      ids.push_back(slots_.slot(slot).id);
    }
    return ids;
  }

  Tick now_{100};
  BodySlots slots_;
};

TEST_F(BodySlotsTest, ListSpawnedAndPresentBodies) {
  tick({kCrate, kPlayer});
  EXPECT_EQ(ids(slots_.spawned()), (std::vector{kPlayer, kCrate})) << "by id";
  tick({kCrate, kBullet});
  EXPECT_EQ(ids(slots_.present()), (std::vector{kCrate, kBullet}));
  EXPECT_EQ(ids(slots_.spawned()), std::vector{kBullet});
  tick({kCrate, kBullet});
  EXPECT_TRUE(slots_.spawned().empty());
  tick({});
  EXPECT_TRUE(slots_.present().empty());
}

TEST_F(BodySlotsTest, KeepTheirNumberAndKnowTheirPlace) {
  tick({kCrate});
  const SlotId crate = slots_.find(kCrate);
  EXPECT_EQ(slots_.slot(crate).index, 0U);
  tick({kPlayer, kCrate, kBullet});
  EXPECT_EQ(slots_.find(kCrate), crate);
  EXPECT_EQ(slots_.slot(crate).index, 1U);
  EXPECT_EQ(slots_.slot(slots_.find(kBullet)).index, 2U);
  EXPECT_EQ(slots_.present()[1], crate);
}

TEST_F(BodySlotsTest, RememberTheTicksOfSpawnAndDespawn) {
  tick({kBullet});
  const SlotId bullet = slots_.find(kBullet);
  const Tick spawned = now_;
  EXPECT_TRUE(slots_.slot(bullet).is_present());
  tick({kBullet});
  tick({});
  EXPECT_EQ(slots_.slot(bullet).spawned, spawned);
  EXPECT_EQ(slots_.slot(bullet).despawned, now_);
  EXPECT_FALSE(slots_.slot(bullet).is_present());
  tick({});
  EXPECT_EQ(slots_.slot(bullet).despawned, spawned + 2) << "not again";
}

// A replay shows the despawn of a bullet, by the rules. It does not show that a player leaves.
TEST_F(BodySlotsTest, OfPlayersAreLeft) {
  tick({kPlayer, kCrate, kBullet});
  const SlotId player = slots_.find(kPlayer);
  const SlotId crate = slots_.find(kCrate);
  const SlotId bullet = slots_.find(kBullet);
  tick({});
  EXPECT_TRUE(slots_.slot(player).removed_by_server);
  EXPECT_FALSE(slots_.slot(crate).removed_by_server);
  EXPECT_FALSE(slots_.slot(bullet).removed_by_server);
}

TEST_F(BodySlotsTest, AreFoundForOneTickMore) {
  tick({kPlayer});
  const SlotId player = slots_.find(kPlayer);
  EXPECT_EQ(slots_.find(kCrate), kNoSlot);
  tick({kSuccessor});
  EXPECT_EQ(slots_.find(kPlayer), player) << "contacts of this tick speak of it";
  EXPECT_NE(slots_.find(kSuccessor), player) << "who takes the seat is somebody else";
  tick({kSuccessor});
  EXPECT_EQ(slots_.find(kPlayer), kNoSlot);
}

// A new body gets another slot while anything may still name the despawned body.
TEST_F(BodySlotsTest, GiveNumbersAgainOnlyWhenAllHaveForgotten) {
  tick({kPlayer});
  const SlotId gone = slots_.find(kPlayer);
  tick({});
  for (std::uint32_t ticks = 1; ticks <= protocol::kTicksRemembered; ++ticks) {
    tick({crate_id(ticks)});
    ASSERT_NE(slots_.find(crate_id(ticks)), gone) << ticks << " ticks later";
    ASSERT_EQ(slots_.slot(gone).id, kPlayer) << ticks << " ticks later";
  }
  tick({kCrate});
  EXPECT_EQ(slots_.find(kCrate), gone);
  EXPECT_EQ(slots_.slot(gone).id, kCrate);
  EXPECT_FALSE(slots_.slot(gone).removed_by_server);
  EXPECT_TRUE(slots_.slot(gone).is_present());
}

TEST_F(BodySlotsTest, NeedNoMoreNumbersThanAreRemembered) {
  for (std::uint32_t i = 0; i < 10 * protocol::kTicksRemembered; ++i) {
    tick({crate_id(i)});
  }
  EXPECT_LE(slots_.size(), protocol::kTicksRemembered + 2);
}

TEST(BodySlots, AskForNoMemoryWithinWhatIsReserved) {
  BodySlots slots;
  slots.reserve(10);
  EXPECT_GE(slots.capacity(), 10U);
  EXPECT_EQ(slots.size(), 0U);
}

}  // namespace
}  // namespace tickbox::server
