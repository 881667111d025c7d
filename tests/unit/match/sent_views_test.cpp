#include "server/match/sent_views.h"

#include "core/rng.h"
#include "tests/support/allocations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>

namespace tickbox::server {
namespace {

constexpr std::uint32_t kAgeMax = 60;

class SentViewsTest : public ::testing::Test {
 protected:
  /// Sends a view with one member that encodes its tick.
  void send(std::uint32_t tick) { views_.add({tick}, Members{tick}); }

  /// The tick of the base; 0 if there is none.
  [[nodiscard]] std::uint32_t base(std::uint32_t now) {
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
  EXPECT_EQ(views_.find({5}, {5}), Members{5});
  EXPECT_TRUE(views_.find({5}, {5 + kAgeMax}));
  EXPECT_FALSE(views_.find({5}, {5 + kAgeMax + 1})) << "too old";
  EXPECT_FALSE(views_.find({6}, {6})) << "never sent";
}

TEST_F(SentViewsTest, HaveTheNewestUntilItIsTooOld) {
  EXPECT_EQ(views_.newest({5}), nullptr);
  send(5);
  send(6);
  ASSERT_NE(views_.newest({6 + kAgeMax}), nullptr);
  EXPECT_EQ(*views_.newest({6 + kAgeMax}), Members{6});
  EXPECT_EQ(views_.newest({6 + kAgeMax + 1}), nullptr);
}

// Members come and go anywhere, some ticks and some seconds have no view, and acknowledgements are
// lost, come late, or do not come for a while: each view is found as it was sent.
TEST_F(SentViewsTest, AreAsTheyWereSent) {
  Rng rng{7};
  std::map<std::uint32_t, Members> sent;
  Members members;
  std::uint32_t silent_until = 0;
  for (std::uint32_t tick = 1; tick < 10'000; ++tick) {
    if (rng.below(100) == 0) tick += static_cast<std::uint32_t>(rng.below(100));
    if (rng.below(500) == 0) silent_until = tick + 200;
    if (rng.below(1'000) == 0) members.clear();
    for (std::uint64_t changes = rng.below(4); changes > 0; --changes) {
      const auto at = static_cast<std::ptrdiff_t>(rng.below(members.size() + 1));
      if (at < std::ssize(members) && rng.below(20) < 9) {
        members.erase(members.begin() + at);
      } else {
        members.insert(members.begin() + at, static_cast<SlotId>(rng.below(40)));
      }
    }
    if (rng.below(3) == 0) continue;
    views_.add({tick}, members);
    sent[tick] = members;
    if (rng.below(100) == 0) views_.clear_base();
    const auto lag = static_cast<std::uint32_t>(rng.below(rng.below(10) == 0 ? kAgeMax : 6));
    if (lag < tick && tick >= silent_until && rng.below(2) == 0) {
      (void)views_.acknowledge({tick - lag});
    }
    if (const Members* base = views_.base({tick})) {
      ASSERT_EQ(*base, sent.at(views_.base_tick().value)) << tick;
    }
    ASSERT_EQ(*views_.newest({tick}), members) << tick;
    const auto ago = static_cast<std::uint32_t>(rng.below(std::min(tick, kAgeMax)));
    const auto found = views_.find({tick - ago}, {tick});
    ASSERT_EQ(found.has_value(), sent.contains(tick - ago)) << tick;
    if (found) {
      ASSERT_EQ(*found, sent.at(tick - ago)) << tick;
    }
  }
}

// A thousand clients that see much the same from tick to tick take little memory.
TEST_F(SentViewsTest, TakeMemoryByWhatChanges) {
  const auto bytes_of_views = [](std::size_t members, std::size_t changed) {
    const std::uint64_t before = tests::live_bytes();
    SentViews views{kAgeMax};
    for (std::uint32_t tick = 1; tick <= 4 * kAgeMax; ++tick) {
      Members view(members, 7);
      std::fill_n(view.begin() + 1, changed, tick);
      views.add({tick}, view);
    }
    return tests::live_bytes() - before;
  };
  EXPECT_LT(bytes_of_views(38, 2), 4'096U);
  EXPECT_LT(bytes_of_views(38, 2), bytes_of_views(38, 36) / 2);
}

TEST_F(SentViewsTest, AskForNoMemoryOnceWarm) {
  const auto fill = [this](std::uint32_t from) {
    for (std::uint32_t tick = from; tick < from + protocol::kTicksRemembered; ++tick) {
      views_.add({tick}, std::array{tick, tick + 1, SlotId{5}, SlotId{6}});
      views_.acknowledge({tick - 1});
    }
  };
  fill(1);
  fill(1 + protocol::kTicksRemembered);
  const std::uint64_t before = tests::allocations();
  fill(1 + 2 * protocol::kTicksRemembered);
  EXPECT_EQ(tests::allocations(), before);
}

}  // namespace
}  // namespace tickbox::server
