#include "client/match/snapshot_world.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

TEST(HeldViews, UsesTheMemoryOfADroppedViewAgain) {
  client::HeldViews views;
  const client::HeldView* const first = views.add({1}).get();
  static_cast<void>(views.add({2}));
  views.remove_before({2});
  EXPECT_EQ(views.find({1}), nullptr);
  EXPECT_EQ(views.add({3}).get(), first);
  EXPECT_NE(views.find({2}), nullptr);
}

TEST(HeldViews, LeavesAViewThatSomebodyKeepsAsItIs) {
  client::HeldViews views;
  const client::HeldView* const first = views.add({1}).get();
  const std::shared_ptr<const client::HeldView> kept = views.add({2});
  views.clear();
  EXPECT_EQ(views.add({3}).get(), first);
  EXPECT_NE(views.add({4}), kept);
  EXPECT_EQ(kept->tick, Tick{2});
  EXPECT_EQ(views.find({2}), nullptr);
  EXPECT_NE(views.find({3}), nullptr);
}

}  // namespace
}  // namespace tickbox::server
