// A warm server asks nothing of the heap: not to receive, not to step, not to record, not to send.

#include "tests/support/allocations.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Allocation, NoneInAWarmServer) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the check after each step allocates";
#endif
  Harness harness{
      {.seed = 8,
       .link = {.delay = milliseconds{20}, .jitter = milliseconds{5}, .loss_ppm = 20'000},
       .meter = &allocations}};
  for (int i = 0; i < 8; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{60});
  const std::uint64_t warm = harness.metered();
  EXPECT_GT(warm, 0U) << "nothing is counted";
  harness.run_for(seconds{20});
  EXPECT_EQ(harness.metered() - warm, 0U) << "allocations in 20 s";
}

}  // namespace
}  // namespace tickbox::tests
