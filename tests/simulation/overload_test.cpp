// A shard whose ticks take more than their time: snapshots become rarer first, then joins are
// refused, then ticks slip. It recovers by itself. The time of a tick is a model: that of the step,
// and that of each body in the views that are sent. So the tests do not depend on the machine.

#include "tests/support/harness.h"
#include "tests/support/sanitizers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::tests::overload_test {
namespace {

using client::Connection;
using server::Overload;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = 100;
constexpr std::uint32_t kSeats = kClients + 10;
constexpr Duration kPeriod = tick_duration(60);
/// How long a shard is overloaded: a minute, but under a sanitizer.
constexpr int kSeconds = kHasSanitizer ? 20 : 60;

/// Each third client is far, and loses packets: its bases are old.
constexpr net::LinkConditions kFar{
    .delay = milliseconds{100}, .jitter = milliseconds{10}, .loss_ppm = 20'000};
constexpr net::LinkConditions kNear{.delay = milliseconds{10}};

bool is_far(std::size_t client) {
  return client % 3 == 0;
}

/// The modelled time of a tick, in periods.
struct TickModel {
  double step = 0.2;
  double member = 0;  ///< of each body in a view that is sent
  std::uint64_t members = 0;
  std::uint64_t overruns = 0;  ///< ticks that took longer than their period

  server::TickTime time_of(const server::Shard& shard) {
    const std::uint64_t before = std::exchange(members, shard.metrics().snapshots.members);
    const double sending = member * static_cast<double>(members - before);
    overruns += step + sending > 1 ? 1 : 0;
    return {.sending = of_period(sending), .rest = of_period(step)};
  }

  static Duration of_period(double share) {
    return Duration{static_cast<std::int64_t>(share * static_cast<double>(kPeriod.count()))};
  }
};

/// A shard with its clients, and the model of its ticks.
class OverloadTest : public testing::Test {
 protected:
  OverloadTest() {
    for (std::size_t i = 0; i < kClients; ++i) {
      add(is_far(i) ? kFar : kNear);
    }
    // Players begin near the middle: in 20 s they are where they are for the rest of the test.
    harness_.run_for(seconds{20});
    const std::uint64_t members = snapshots().members;
    harness_.run_for(seconds{2});
    members_per_tick_ = static_cast<double>(snapshots().members - members) / 120;
  }

  std::size_t add(const net::LinkConditions& link) {
    const std::size_t client = harness_.add_client(link);
    harness_.poll_every(client, milliseconds{4});
    return client;
  }

  /// Lets the step take a share of a tick, and all snapshots of a tick another.
  void set_load(double step, double sending) {
    model_->step = step;
    model_->member = sending / members_per_tick_;
  }

  [[nodiscard]] const server::Metrics& metrics() { return harness_.shard().metrics(); }

  [[nodiscard]] const server::SnapshotMetrics& snapshots() { return metrics().snapshots; }

  /// Returns the snapshots sent to each client, by the number of the client.
  std::vector<std::uint64_t> sent() {
    std::vector<server::ClientStatus> clients;
    harness_.shard().copy_clients(clients, harness_.server_now());
    std::vector<std::uint64_t> sent(harness_.players().size());
    for (const server::ClientStatus& each : clients) {
      for (std::size_t i = 0; i < sent.size(); ++i) {
        const Connection& connection = harness_.client(i).connection();
        if (connection.state() == Connection::State::Connected &&
            connection.accept().player == each.seat) {
          sent[i] = each.snapshots;
        }
      }
    }
    return sent;
  }

  /// Returns how many bodies each client sees.
  std::vector<std::size_t> view_sizes() {
    std::vector<std::size_t> sizes(kClients);
    for (std::size_t i = 0; i < kClients; ++i)
      sizes[i] = harness_.client(i).view()->size();
    return sizes;
  }

  /// Runs for some seconds; returns the snapshots per second to each client.
  std::vector<double> rates_in(int time) {
    const std::vector<std::uint64_t> before = sent();
    harness_.run_for(seconds{time});
    const std::vector<std::uint64_t> after = sent();
    std::vector<double> rates(kClients);
    for (std::size_t i = 0; i < kClients; ++i)
      rates[i] = static_cast<double>(after[i] - before[i]) / time;
    return rates;
  }

  [[nodiscard]] Connection::State state_of(std::size_t client) {
    return harness_.client(client).connection().state();
  }

  /// Starts a client that has lost its state again, with this token.
  void restart(std::size_t client, const net::ConnectToken& token) {
    harness_.restart_client(client, {.server = SimulatedNetwork::server_address(), .token = token});
  }

  /// Expects that nobody was dropped, and that all views are right. `taken_over`: sessions that
  /// their clients have replaced.
  void expect_all_play_on(std::uint64_t taken_over = 0) {
    for (std::size_t i = 0; i < kClients; ++i) {
      EXPECT_TRUE(harness_.client(i).playing()) << i;
      EXPECT_EQ(harness_.client(i).stats().hashes_mismatched, 0U) << i;
      EXPECT_GT(harness_.client(i).stats().hashes_checked, 0U) << i;
    }
    EXPECT_EQ(std::reduce(metrics().disconnects.begin(), metrics().disconnects.end()), taken_over);
    EXPECT_EQ(metrics().hash_mismatches, 0U);
    EXPECT_EQ(harness_.log().errors(), 0);
  }

  [[nodiscard]] std::size_t lines_with(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        harness_.log().lines(), [&](const std::string& line) { return line.contains(text); }));
  }

  std::shared_ptr<TickModel> model_ = std::make_shared<TickModel>();
  Harness harness_{{.seed = 11,
                    .max_clients = kSeats,
                    .bot = "wander",
                    .tick_time = [model = model_](const server::Shard& shard) {
                      return model->time_of(shard);
                    }}};
  double members_per_tick_ = 0;
};

double mean_of(const std::vector<double>& rates, auto chosen) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (!chosen(i)) continue;
    sum += rates[i];
    ++count;
  }
  return sum / std::max(1, count);
}

double mean_of(const std::vector<double>& rates) {
  return mean_of(rates, [](std::size_t) { return true; });
}

// With all snapshots each tick would take 150 % of its period.
TEST_F(OverloadTest, SnapshotsBecomeRarerAndNothingElse) {
  const double undisturbed = mean_of(rates_in(2));
  EXPECT_EQ(metrics().load.overload, Overload::None);
  EXPECT_EQ(snapshots().put_off, 0U);

  set_load(0.5, 1.0);
  harness_.run_for(seconds{2});
  model_->overruns = 0;
  double rarer = 0;
  double far = 0;
  double near = 0;
  double small = 0;
  double large = 0;
  for (int second = 0; second < kSeconds; ++second) {
    const std::vector<std::size_t> sizes = view_sizes();
    std::vector<std::size_t> sorted = sizes;
    std::ranges::sort(sorted);
    const std::vector<double> rates = rates_in(1);
    EXPECT_GE(std::ranges::min(rates), 9) << "in second " << second;
    EXPECT_EQ(metrics().load.overload, Overload::FewerSnapshots) << "in second " << second;
    EXPECT_NEAR(metrics().load.share, server::kLoadWanted, 60) << "in second " << second;
    const auto is_near = [](std::size_t i) { return !is_far(i); };
    rarer += mean_of(rates) / kSeconds;
    far += mean_of(rates, is_far) / kSeconds;
    near += mean_of(rates, is_near) / kSeconds;
    small += mean_of(rates,
                     [&](std::size_t i) { return is_near(i) && sizes[i] < sorted[kClients / 4]; }) /
             kSeconds;
    large +=
        mean_of(rates,
                [&](std::size_t i) { return is_near(i) && sizes[i] > sorted[kClients * 3 / 4]; }) /
        kSeconds;
  }
  RecordProperty("rates", std::to_string(undisturbed) + ", then " + std::to_string(rarer) +
                              ": small " + std::to_string(small) + ", large " +
                              std::to_string(large) + ", near " + std::to_string(near) + ", far " +
                              std::to_string(far));
  RecordProperty("overruns", std::to_string(model_->overruns));
  EXPECT_GT(rarer, 0.25 * undisturbed);
  EXPECT_LT(rarer, 0.5 * undisturbed);
  EXPECT_GT(small, 1.2 * large) << "the largest views wait longest";
  EXPECT_GT(near, 1.2 * far) << "views on the oldest bases wait longest";
  EXPECT_EQ(harness_.slipped(), 0U);
  EXPECT_LE(model_->overruns, 36U) << "of 3,600 ticks";

  const std::size_t late = add(kNear);
  harness_.run_for(seconds{2});
  EXPECT_EQ(state_of(late), Connection::State::Connected) << "there is a place for it";
  EXPECT_EQ(lines_with("overloaded level=fewer_snapshots"), 1U);
  expect_all_play_on();

  set_load(0.3, 0.5);
  harness_.run_for(seconds{3});
  EXPECT_EQ(metrics().load.overload, Overload::None);
  const std::uint64_t put_off = snapshots().put_off;
  EXPECT_GT(mean_of(rates_in(2)), 0.9 * undisturbed);
  EXPECT_EQ(snapshots().put_off, put_off);
  EXPECT_EQ(lines_with("overload_over"), 1U);
  expect_all_play_on();
}

// The step alone takes 120 % of a tick: no number of snapshots is small enough.
TEST_F(OverloadTest, JoinsAreRefusedAndTicksSlipWhenRarerSnapshotsDoNotSuffice) {
  const net::ConnectToken held = harness_.make_token(77);
  const std::size_t by_token = harness_.add_client(kNear, held);
  harness_.run_for(seconds{1});
  const double undisturbed = mean_of(rates_in(2));
  set_load(1.2, 0.3);
  harness_.run_for(milliseconds{900});
  EXPECT_NE(metrics().load.overload, Overload::RefusesJoins) << "not at once";
  harness_.run_for(seconds{3});
  EXPECT_EQ(metrics().load.overload, Overload::RefusesJoins);
  EXPECT_GT(harness_.slipped(), 0U);

  const net::ConnectToken unused = harness_.make_token(88);
  const std::size_t late = harness_.add_client(kNear, unused);
  const std::size_t by_ticket = 1;
  harness_.restart_with_ticket(by_ticket);
  restart(by_token, harness_.make_token(77));
  harness_.run_for(seconds{3});
  EXPECT_EQ(state_of(late), Connection::State::Refused);
  EXPECT_EQ(harness_.client(late).connection().refused(), net::RefuseReason::Overloaded);
  EXPECT_EQ(state_of(by_ticket), Connection::State::Connected) << "its seat is held";
  EXPECT_EQ(state_of(by_token), Connection::State::Connected) << "its seat is held";
  const std::vector<double> rates = rates_in(kSeconds - 14);
  EXPECT_EQ(metrics().load.overload, Overload::RefusesJoins);
  RecordProperty("least_rate", std::to_string(std::ranges::min(rates)));
  EXPECT_GE(std::ranges::min(rates), 5.5) << "ticks that are caught up have no snapshots";
  expect_all_play_on(2);

  set_load(0.3, 0.5);
  harness_.run_for(seconds{3});
  EXPECT_EQ(metrics().load.overload, Overload::None);
  const std::uint64_t slipped = harness_.slipped();
  EXPECT_GT(mean_of(rates_in(2)), 0.9 * undisturbed);
  EXPECT_EQ(harness_.slipped(), slipped);
  restart(late, unused);
  harness_.run_for(seconds{2});
  EXPECT_EQ(state_of(late), Connection::State::Connected) << "its token is not used";
  expect_all_play_on(2);
}

}  // namespace
}  // namespace tickbox::tests::overload_test
