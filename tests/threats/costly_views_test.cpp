// A server whose bodies take more work to step than a client can do in time. The client leaves it,
// and says why.

#include "client/client.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace tickbox::tests {
namespace {

using client::Connection;
using client::kSearchesMax;
using client::kSearchesPerMicrosecond;
using std::chrono::milliseconds;
using std::chrono::seconds;

// One search is less than any step takes: so every step is too much.
TEST(Threat, CostlyViewsMakeAClientLeave) {
  Harness harness{{.seed = 7, .max_clients = 4, .bot = "chase", .client_searches_max = 1}};
  const std::size_t client = harness.add_client();
  harness.run_for(seconds{2});
  const Connection& connection = harness.client(client).connection();
  EXPECT_EQ(connection.sessions(), 1U);
  EXPECT_EQ(connection.state(), Connection::State::Closed);
  EXPECT_TRUE(connection.failed());
  EXPECT_EQ(connection.reason(),
            "the server's bodies take too much work to step; this client has left");
  const client::ClientStats stats = harness.client(client).stats();
  EXPECT_EQ(stats.hashes_mismatched, 0U) << "what was not stepped to the end is not compared";
  EXPECT_EQ(harness.shard().clients(), 0U) << "the server has received a goodbye";
}

// What is left falls with each step, and grows with time up to the maximum.
TEST(Threat, CostlyViewsAreCountedOverTime) {
  Instant now{seconds{9}};
  client::WorkBudget budget{kSearchesMax, now};
  EXPECT_EQ(budget.at(now), kSearchesMax);
  budget.set(100);
  EXPECT_EQ(budget.at(now), 100U);
  now += milliseconds{1};
  EXPECT_EQ(budget.at(now), 100U + 1'000 * kSearchesPerMicrosecond);
  EXPECT_EQ(budget.at(now - seconds{1}), 100U + 1'000 * kSearchesPerMicrosecond);
  EXPECT_EQ(budget.at(now + seconds{3'600}), kSearchesMax);
  budget.set(0);
  EXPECT_EQ(budget.at(now + seconds{3'600}), 1U) << "a limit of 0 is one that was exceeded";
}

}  // namespace
}  // namespace tickbox::tests
