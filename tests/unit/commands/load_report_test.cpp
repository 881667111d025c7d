#include "client/commands/load/load_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace tickbox::commands {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

ServerSample sample(double ticks, double slipped, std::chrono::seconds at) {
  return {.number = 1,
          .at = Instant{at},
          .tick_seconds = {.bounds = {0.001, 0.002, kInfinite}, .counts = {ticks, ticks, ticks}},
          .ticks = ticks,
          .slipped = slipped,
          .overruns = 0,
          .tick_rate = 60,
          .cpu_seconds = ticks / 600,
          .resident_bytes = 5'000};
}

std::optional<double> figure(const Figures& figures, std::string_view path) {
  const auto found = std::ranges::find(figures, path, &Figure::path);
  EXPECT_NE(found, figures.end()) << path;
  return found != figures.end() ? number_of(found->value) : std::nullopt;
}

TEST(LoadReport, MeasuresTheServerBetweenTwoSamples) {
  const auto figures = figures_between(sample(100, 0, std::chrono::seconds{10}),
                                       sample(1'300, 0, std::chrono::seconds{30}), 1'200, 20);
  ASSERT_TRUE(figures);
  EXPECT_DOUBLE_EQ(figures->rate_held, 1);
  EXPECT_DOUBLE_EQ(figures->cpu_percent, 10);
  EXPECT_EQ(figures->tick_seconds.total(), 1'200);
}

TEST(LoadReport, SeesTicksThatTheServerGaveUpAndTicksThatNeverCame) {
  const auto slipped = figures_between(sample(0, 0, std::chrono::seconds{0}),
                                       sample(900, 300, std::chrono::seconds{20}), 1'200, 20);
  ASSERT_TRUE(slipped);
  EXPECT_DOUBLE_EQ(slipped->rate_held, 0.75);
  const auto slow = figures_between(sample(0, 0, std::chrono::seconds{0}),
                                    sample(600, 0, std::chrono::seconds{20}), 600, 20);
  ASSERT_TRUE(slow);
  EXPECT_DOUBLE_EQ(slow->rate_held, 0.5) << "the clients' clocks tell";
}

TEST(LoadReport, SaysNothingOfAServerThatStartedAnew) {
  EXPECT_FALSE(figures_between(sample(1'300, 0, std::chrono::seconds{10}),
                               sample(100, 0, std::chrono::seconds{30}), 1'200, 20));
}

TEST(LoadReport, HasEveryPathOnceAndNullWhereNothingIsKnown) {
  const Figures figures = figures_of({});
  std::set<std::string> paths;
  for (const Figure& each : figures) {
    EXPECT_TRUE(paths.insert(each.path).second) << each.path;
    EXPECT_FALSE(is_told_by_server(each.path) && number_of(each.value)) << each.path;
  }
  for (const char* path :
       {"tick_ms.p99", "tick_rate_held", "server.cpu_percent", "generator.late_p99_ms",
        "clients.dropped", "prediction.touched.exact", "rtt_ms.p50"}) {
    EXPECT_TRUE(paths.contains(path)) << path;
  }
  EXPECT_FALSE(is_told_by_server("generator.cpu_percent"));
}

TEST(LoadReport, TakesTheLeastAndTheMedianOfRates) {
  const LoadReport report{.clients_asked = 3,
                          .clients_connected = 2,
                          .seconds = 10,
                          .snapshot_rates = {60, 20, 58},
                          .bytes_down = 4'000};
  const Figures figures = figures_of(report);
  EXPECT_EQ(figure(figures, "snapshots_per_client_per_second.min"), 20);
  EXPECT_EQ(figure(figures, "snapshots_per_client_per_second.p50"), 58);
  EXPECT_EQ(figure(figures, "bytes_per_client_per_second.down"), 200);
}

TEST(LoadReport, IsSaturatedWhenOneInAHundredIsLaterThanATick) {
  LoadReport report{.tick_ms = 1'000.0 / 60};
  for (int i = 0; i < 1'000; ++i)
    report.lateness.add(i < 985 ? 100 : 20'000);
  EXPECT_TRUE(is_saturated(report));
  report.lateness = {};
  for (int i = 0; i < 1'000; ++i)
    report.lateness.add(i < 995 ? 100 : 20'000);
  EXPECT_FALSE(is_saturated(report));
}

}  // namespace
}  // namespace tickbox::commands
