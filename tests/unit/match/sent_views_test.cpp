#include "server/match/sent_views.h"

#include "tests/support/allocations.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

constexpr std::uint32_t kAgeMax = 60;

class SentViewsTest : public ::testing::Test {
 protected:
  /// Sends a view with one member that encodes its tick.
  void send(std::uint32_t tick) { views_.add({tick}).push_back(tick); }

  /// The tick of the base; 0 if there is none.
  [[nodiscard]] std::uint32_t base(std::uint32_t now) const {
    const Members* base = views_.base({now});
    EXPECT_EQ(views_.has_base({now}), base != nullptr);
    if (base == nullptr) return 0;
    EXPECT_EQ(base->size(), 1U);
    EXPECT_EQ((*base)[0], views_.base_tick().value) << "another view's members";
    return views_.base_tick().value;
  }

  SentViews views_{kAgeMax};
};

TEST_F(SentViewsTest, HaveNoBaseBeforeTheFirstIsAcknowledged) {
  EXPECT_FALSE(views_.has_acknowledged());
  send(5);
  EXPECT_EQ(base(5), 0U);
  views_.acknowledge({5});
  EXPECT_TRUE(views_.has_acknowledged());
  EXPECT_EQ(base(6), 5U);
}

TEST_F(SentViewsTest, TakeTheNewestThatIsAcknowledged) {
  for (std::uint32_t tick = 5; tick < 10; ++tick) {
    send(tick);
  }
  EXPECT_TRUE(views_.acknowledge({7}));
  EXPECT_EQ(base(10), 7U);
  EXPECT_FALSE(views_.acknowledge({7})) << "no news";
  EXPECT_FALSE(views_.acknowledge({5}));
  EXPECT_EQ(base(10), 7U) << "late news";
  views_.acknowledge({9});
  EXPECT_EQ(base(10), 9U);
}

TEST_F(SentViewsTest, KnowNothingOfWhatWasNeverSent) {
  send(5);
  views_.acknowledge({6});
  views_.acknowledge({5 + kAgeMax + 1});
  views_.acknowledge({0});
  EXPECT_FALSE(views_.has_acknowledged());
  views_.acknowledge({5});
  views_.acknowledge({0xffff'ffff});
  EXPECT_EQ(base(7), 5U);
}

TEST_F(SentViewsTest, KnowNothingOfWhatWasWithdrawn) {
  send(5);
  views_.acknowledge({5});
  send(6);
  views_.withdraw({6});
  views_.acknowledge({6});
  EXPECT_EQ(base(7), 5U);
}

TEST_F(SentViewsTest, KeepABaseAsLongAsCausesCanReachIt) {
  send(5);
  views_.acknowledge({5});
  for (std::uint32_t now = 6; now <= 5 + kAgeMax; ++now) {
    ASSERT_EQ(base(now), 5U);
    send(now);
    ASSERT_EQ(base(now), 5U) << "while the next is written";
  }
  EXPECT_EQ(base(5 + kAgeMax + 1), 0U);
  EXPECT_TRUE(views_.has_acknowledged());
  send(5 + kAgeMax + 1);
  views_.acknowledge({5 + kAgeMax + 1});
  EXPECT_EQ(base(5 + kAgeMax + 2), 5 + kAgeMax + 1) << "in its place";
}

TEST_F(SentViewsTest, KnowNothingOfWhatIsOverwritten) {
  send(5);
  send(5 + kAgeMax + 1);
  views_.acknowledge({5});
  EXPECT_FALSE(views_.has_acknowledged());
}

// Before the fix, a view became too old only when a newer view took its slot.
TEST_F(SentViewsTest, KnowNothingOfWhatIsTooOldForABaseThoughItsSlotIsItsOwn) {
  send(5);
  send(5 + kAgeMax + 2);
  views_.acknowledge({5});
  EXPECT_FALSE(views_.has_acknowledged());
}

TEST_F(SentViewsTest, StartAgainWhenForgotten) {
  for (std::uint32_t tick = 5; tick < 10; ++tick) {
    send(tick);
  }
  views_.acknowledge({8});
  views_.clear_base();
  EXPECT_FALSE(views_.has_acknowledged());
  EXPECT_EQ(base(10), 0U);
  views_.acknowledge({6});
  EXPECT_EQ(base(10), 6U) << "an older one than before";
}

TEST_F(SentViewsTest, AreFoundAcknowledgedOrNot) {
  send(5);
  ASSERT_NE(views_.find({5}, {5}), nullptr);
  EXPECT_EQ((*views_.find({5}, {5}))[0], 5U);
  EXPECT_NE(views_.find({5}, {5 + kAgeMax}), nullptr);
  EXPECT_EQ(views_.find({5}, {5 + kAgeMax + 1}), nullptr) << "too old";
  EXPECT_EQ(views_.find({6}, {6}), nullptr) << "never sent";
}

// A thousand clients that see little take little memory.
TEST_F(SentViewsTest, TakeMemoryByTheNumberOfTheirMembers) {
  const auto bytes_of_views = [](std::size_t members) {
    const std::uint64_t before = tests::live_bytes();
    SentViews views{kAgeMax};
    for (std::uint32_t tick = 1; tick <= protocol::kTicksRemembered; ++tick) {
      views.add({tick}).assign(members, 7);
    }
    return tests::live_bytes() - before;
  };
  // The heap rounds a size up by what it has free: by less than a member for each view.
  EXPECT_LT(bytes_of_views(10), bytes_of_views(0) + protocol::kTicksRemembered * sizeof(SlotId))
      << "what small views have from the start";
  EXPECT_LT(bytes_of_views(10), protocol::kTicksRemembered * 160U);
  EXPECT_GE(bytes_of_views(1'000), protocol::kTicksRemembered * 1'000U * sizeof(SlotId));
}

TEST_F(SentViewsTest, AskForNoMemoryOnceWarm) {
  const auto fill = [this](std::uint32_t from) {
    for (std::uint32_t tick = from; tick < from + protocol::kTicksRemembered; ++tick) {
      Members& members = views_.add({tick});
      for (SlotId slot = 0; slot < 100; ++slot) {
        members.push_back(slot);
      }
    }
  };
  fill(1);
  const std::uint64_t before = tests::allocations();
  fill(1 + protocol::kTicksRemembered);
  EXPECT_EQ(tests::allocations(), before);
}

}  // namespace
}  // namespace tickbox::server
