#include "server/shard/paced_logs.h"
#include "server/shard/tick_pacer.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kStart{seconds{100}};

/// A pacer at 60 Hz that is asked at `now`, as the server's loop asks it.
class StallLogTest : public testing::Test {
 protected:
  std::optional<std::string> logged_at(Instant now) {
    const Instant deadline = pacer_.next();
    for (std::int64_t i = pacer_.due(now); i > 0; --i)
      pacer_.ran();
    stalls_.look(pacer_.slipped(), now - deadline);
    return stalls_.take(now);
  }

 private:
  TickPacer pacer_{kStart - tick_duration(60), 60};
  StallLog stalls_;
};

TEST_F(StallLogTest, SaysNothingOfWhatIsCaughtUp) {
  EXPECT_EQ(logged_at(kStart), std::nullopt);
  EXPECT_EQ(logged_at(kStart + milliseconds{100}), std::nullopt);
}

TEST_F(StallLogTest, SaysAtOnceHowManyTicksAndHowLong) {
  EXPECT_EQ(logged_at(kStart + milliseconds{2'000}), "ticks_slipped count=113 stalled_ms=2000");
  EXPECT_EQ(logged_at(kStart + milliseconds{2'000}), std::nullopt);
}

TEST_F(StallLogTest, AddsUpWhatFollowsUntilTenSecondsLater) {
  ASSERT_NE(logged_at(kStart + seconds{1}), std::nullopt);
  EXPECT_EQ(logged_at(kStart + seconds{2}), std::nullopt);
  EXPECT_EQ(logged_at(kStart + seconds{3}), std::nullopt);
  const auto later = logged_at(kStart + seconds{11});
  ASSERT_TRUE(later.has_value());
  EXPECT_TRUE(later->starts_with("ticks_slipped count=57")) << *later;
  EXPECT_TRUE(later->contains(" stalled_ms=9")) << *later;
}

}  // namespace
}  // namespace tickbox::server
