// Clients as a load generator has them: light ones, and clients that share their distributions.

#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <vector>

namespace tickbox::tests::light_clients_test {
namespace {

using client::ClientMode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Where = SimulatedNetwork::Passed::Where;

/// What a server has sent.
struct Sent {
  std::uint64_t datagrams = 0;
  std::uint64_t bytes = 0;
};

class LoadedHarness : public Harness {
 public:
  LoadedHarness(const HarnessOptions& options, std::size_t clients) : Harness(options) {
    network().watch([this](const SimulatedNetwork::Passed& passed) {
      if (passed.where != Where::FromServer) return;
      ++sent_.datagrams;
      sent_.bytes += passed.bytes.size();
    });
    for (std::size_t i = 0; i < clients; ++i) {
      add_client();
    }
  }

  [[nodiscard]] const Sent& sent() const { return sent_; }

  void share(client::Distributions& distributions) { shared_.distributions = &distributions; }

 private:
  Sent sent_;
};

const std::vector<net::LinkConditions>& links() {
  static const std::vector<net::LinkConditions> kLinks = {
      {},
      {.delay = milliseconds{40}, .jitter = milliseconds{10}},
      {.delay = milliseconds{75}, .loss_ppm = 50'000}};
  return kLinks;
}

TEST(LightClients, AreTheSameLoadForTheServer) {
  constexpr std::size_t kClients = 24;
  for (const net::LinkConditions& link : links()) {
    SCOPED_TRACE(testing::Message() << link.delay.count() << " ns");
    HarnessOptions options{.max_clients = kClients, .link = link, .bot = "wander"};
    LoadedHarness full{options, kClients};
    options.mode = ClientMode::Light;
    LoadedHarness light{options, kClients};
    full.run_for(seconds{8});
    light.run_for(seconds{8});
    EXPECT_GT(full.sent().datagrams, 4'000U);
    EXPECT_EQ(light.sent().datagrams, full.sent().datagrams);
    EXPECT_EQ(light.sent().bytes, full.sent().bytes);
    for (std::size_t i = 0; i < kClients; ++i) {
      EXPECT_EQ(light.players()[i].events, full.players()[i].events) << i;
      EXPECT_EQ(light.client(i).stats().hashes_checked, 0U);
      EXPECT_EQ(light.client(i).stats().snapshots_rejected, 0U);
      EXPECT_EQ(light.client(i).view(), nullptr);
      EXPECT_TRUE(light.shown(i).empty());
    }
  }
}

TEST(LightClients, ResumeAndLeave) {
  LoadedHarness harness{{.bot = "wander", .mode = ClientMode::Light}, 2};
  harness.run_for(seconds{2});
  harness.network().cut(0);
  harness.run_for(client::kServerTimeout + seconds{1});
  EXPECT_EQ(harness.client(0).connection().state(), client::Connection::State::Resuming);
  harness.network().mend(0);
  harness.restart_with_ticket(1);
  harness.run_for(seconds{2});
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    EXPECT_EQ(harness.client(i).connection().resumed(), 1U) << i;
    EXPECT_GT(harness.client(i).newest_view(), Tick{}) << i;
  }
  harness.leave(0);
  harness.run_for(milliseconds{200});
  EXPECT_EQ(harness.shard().clients(), 1U);
}

// A swarm's clients add to the same histograms, and each knows its own part.
TEST(SharedDistributions, AreTheSumOfThoseOfEachClient) {
  constexpr std::size_t kClients = 3;
  const HarnessOptions options{.link = {.delay = milliseconds{30}, .loss_ppm = 50'000}};
  LoadedHarness own{options, kClients};
  LoadedHarness sharing{options, 0};
  client::Distributions distributions;
  sharing.share(distributions);
  for (std::size_t i = 0; i < kClients; ++i) {
    sharing.add_client();
  }
  own.run_for(seconds{6});
  sharing.run_for(seconds{6});
  client::ClientStats expected;
  client::ClientStats got;
  got.add_distributions(distributions);
  for (std::size_t i = 0; i < kClients; ++i) {
    const client::ClientStats each = own.client(i).stats();
    const client::ClientCounts counts = sharing.client(i).counts(got);
    EXPECT_EQ(counts.own_round_trips.count, each.round_trip.count()) << i;
    EXPECT_EQ(counts.own_round_trips.sum, each.round_trip.sum()) << i;
    EXPECT_EQ(counts.own_snapshot_gaps.count, each.snapshot_gap.count()) << i;
    EXPECT_EQ(counts.own_snapshot_gaps.sum, each.snapshot_gap.sum()) << i;
    expected.add_all(each);
    got.add_counts(counts);
  }
  EXPECT_GT(expected.round_trip.count(), 500U);
  for (const std::uint32_t per_mille : {1U, 500U, 990U, 1'000U}) {
    EXPECT_EQ(got.round_trip.quantile(per_mille), expected.round_trip.quantile(per_mille));
    EXPECT_EQ(got.snapshot_gap.quantile(per_mille), expected.snapshot_gap.quantile(per_mille));
    EXPECT_EQ(got.prediction_error.quantile(per_mille),
              expected.prediction_error.quantile(per_mille));
  }
  EXPECT_EQ(got.prediction_error.count(), expected.prediction_error.count());
  EXPECT_EQ(got.hashes_checked, expected.hashes_checked);
}

}  // namespace
}  // namespace tickbox::tests::light_clients_test
