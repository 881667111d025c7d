// A warm server asks nothing of the heap: not to receive, not to step, not to record, not to send.

#include "tests/support/allocations.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <utility>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Expects that a server allocates nothing in 20 s, once it has run for three minutes: until then
/// the largest crowds and bursts still come, and what holds them grows.
void expect_none_when_warm(const HarnessOptions& options) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the check after each step allocates";
#endif
  Harness harness{options};
  for (int i = 0; i < 8; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{180});
  const std::uint64_t warm = harness.metered();
  EXPECT_GT(warm, 0U) << "nothing is counted";
  harness.run_for(seconds{20});
  EXPECT_EQ(harness.metered() - warm, 0U) << "allocations in 20 s";
}

constexpr net::LinkConditions kLink{
    .delay = milliseconds{20}, .jitter = milliseconds{5}, .loss_ppm = 20'000};

TEST(Allocation, NoneInAWarmServer) {
  expect_none_when_warm({.seed = 8, .link = kLink, .meter = &allocations});
}

// Each snapshot takes a fifth of a tick, so most are put off.
TEST(Allocation, NoneInAWarmServerThatIsOverloaded) {
  std::uint64_t sent = 0;
  const auto tick_time = [&sent](const server::Shard& shard) {
    const server::SnapshotMetrics& snapshots = shard.metrics().snapshots;
    const std::uint64_t all = snapshots.on_base + snapshots.full;
    const auto more = static_cast<std::int64_t>(all - std::exchange(sent, all));
    return server::TickTime{.sending = milliseconds{3} * more, .rest = milliseconds{8}};
  };
  expect_none_when_warm({.seed = 8, .link = kLink, .tick_time = tick_time, .meter = &allocations});
}

}  // namespace
}  // namespace tickbox::tests
