#include "client/views/received_views.h"

#include <gtest/gtest.h>

namespace tickbox::client {
namespace {

game::EntityState crate(std::uint32_t number) {
  return {.id = game::crate_body(number),
          .min = {},
          .velocity = {},
          .traits = {.kind = game::EntityKind::Crate}};
}

/// The number of the one crate in the view of `tick`, or nothing if there is no such view.
std::optional<BodyId> found(const ReceivedViews& views, Tick tick) {
  const HeldView* view = views.find(tick);
  if (view == nullptr) return std::nullopt;
  EXPECT_EQ(view->tick, tick);
  EXPECT_EQ(view->entities.size(), 1U);
  return view->entities.front().id;
}

TEST(ReceivedViews, AreNoneAtFirst) {
  const ReceivedViews views;
  EXPECT_EQ(views.newest(), nullptr);
  EXPECT_EQ(views.find({0}), nullptr);
  EXPECT_EQ(views.find({64}), nullptr);
}

TEST(ReceivedViews, FindEveryViewOnWhichASnapshotCanBuild) {
  ReceivedViews views;
  for (std::uint32_t tick = 10; tick < 200; ++tick) {
    views.add({tick}, 0).push_back(crate(tick));
    ASSERT_EQ(views.newest()->tick, Tick{tick});
    for (std::uint32_t old = 10; old <= tick; ++old) {
      if (tick + 1 - old > protocol::kBaseAgeMax) continue;
      ASSERT_EQ(found(views, {old}), game::crate_body(old)) << old << " at " << tick;
    }
  }
}

TEST(ReceivedViews, FindNoTickThatWasNotAdded) {
  ReceivedViews views;
  views.add({10}, 0).push_back(crate(1));
  views.add({12}, 0).push_back(crate(2));
  EXPECT_EQ(views.find({11}), nullptr);
  EXPECT_EQ(views.find({9}), nullptr);
  EXPECT_EQ(views.find({13}), nullptr);
  EXPECT_EQ(views.find({10 + 64}), nullptr) << "another tick in the same place";
  EXPECT_EQ(found(views, {10}), game::crate_body(1));
}

TEST(ReceivedViews, GiveTheirPlaceToALaterTick) {
  ReceivedViews views;
  views.add({10}, 0).push_back(crate(1));
  views.add({10 + 64}, 0).push_back(crate(2));
  EXPECT_EQ(views.find({10}), nullptr);
  EXPECT_EQ(found(views, {74}), game::crate_body(2));
}

TEST(ReceivedViews, AcknowledgeTheNewestWithItsReceipt) {
  ReceivedViews views;
  EXPECT_EQ(views.ack(), std::nullopt);
  views.add({10}, 0x5678);
  EXPECT_EQ(views.ack(), (protocol::ViewAck{.tick = {10}, .receipt = 0x5678}));
  views.add({12}, 0xdef0);
  EXPECT_EQ(views.ack(), (protocol::ViewAck{.tick = {12}, .receipt = 0xdef0}));
  views.clear();
  EXPECT_EQ(views.ack(), std::nullopt);
}

// After a desync, ticks older than the newest may arrive: no earlier view counts.
TEST(ReceivedViews, AreNoneOnceCleared) {
  ReceivedViews views;
  views.add({10}, 0).push_back(crate(1));
  views.add({11}, 0).push_back(crate(2));
  views.clear();
  EXPECT_EQ(views.newest(), nullptr);
  EXPECT_EQ(views.find({10}), nullptr);
  EXPECT_EQ(views.find({11}), nullptr);
  views.add({5}, 0).push_back(crate(3));
  EXPECT_EQ(views.newest()->tick, Tick{5});
  EXPECT_EQ(found(views, {5}), game::crate_body(3));
}

}  // namespace
}  // namespace tickbox::client
