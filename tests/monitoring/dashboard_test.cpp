// The dashboard of docker/monitoring: each panel says what it shows, and a real server has a value
// for each of its queries.

#include "tests/integration/admin_token.h"
#include "tests/monitoring/prometheus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::integration {
namespace {

using nlohmann::json;

/// Where a panel is, on a grid of 24 columns.
struct PanelPlace {
  explicit PanelPlace(const json& panel)
      : left(panel.at("gridPos").at("x")),
        top(panel.at("gridPos").at("y")),
        right(left + panel.at("gridPos").at("w").get<int>()),
        bottom(top + panel.at("gridPos").at("h").get<int>()) {}

  [[nodiscard]] bool overlaps(const PanelPlace& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }

  int left;
  int top;
  int right;
  int bottom;
};

class DashboardTest : public MonitoringTest {
 protected:
  const std::string text_ = os::text_of(monitoring_file("dashboard.json"));
  const json dashboard_ = json::parse(text_);
  const json panels_ = dashboard_.at("panels");
};

TEST_F(DashboardTest, EachPanelSaysWhatItShows) {
  std::set<int> ids;
  for (const json& panel : panels_) {
    SCOPED_TRACE(panel.dump());
    EXPECT_TRUE(ids.insert(panel.at("id").get<int>()).second);
    EXPECT_FALSE(panel.at("title").get<std::string>().empty());
    EXPECT_TRUE(panel.at("description").get<std::string>().ends_with('.'));
    EXPECT_FALSE(panel.at("fieldConfig").at("defaults").at("unit").get<std::string>().empty());
    EXPECT_EQ(panel.at("datasource"), (json{{"type", "prometheus"}, {"uid", "${datasource}"}}));
    EXPECT_FALSE(panel.at("targets").empty());
    std::set<std::string> names;
    for (const json& target : panel.at("targets")) {
      EXPECT_TRUE(names.insert(target.at("refId").get<std::string>()).second);
      EXPECT_TRUE(names.insert(target.at("legendFormat").get<std::string>()).second);
      EXPECT_TRUE(target.at("expr").get<std::string>().contains("{instance=~\"$instance\""));
    }
  }
  std::set<std::string> variables;
  for (const json& variable : dashboard_.at("templating").at("list")) {
    variables.insert(variable.at("name").get<std::string>());
  }
  EXPECT_EQ(variables, (std::set<std::string>{"datasource", "instance"}));
  EXPECT_GE(dashboard_.at("schemaVersion"), 39);
}

TEST_F(DashboardTest, NoPanelCoversAnother) {
  std::vector<PanelPlace> places;
  for (const json& panel : panels_) {
    const PanelPlace place{panel};
    EXPECT_TRUE(place.left >= 0 && place.left < place.right && place.right <= 24 &&
                place.top >= 0 && place.top < place.bottom)
        << panel;
    EXPECT_TRUE(std::ranges::none_of(places, [&](const PanelPlace& other) {
      return place.overlaps(other);
    })) << panel;
    places.push_back(place);
  }
}

TEST_F(DashboardTest, NamesMetricsOfTheServerAndSoDoTheAlerts) {
  const RunningServer server;
  const std::string scrape = server.get("/metrics").body;
  const auto found = matches("\n" + scrape, R"(\n(?:# TYPE )?(\w+)[{ ])");
  const std::set<std::string> samples{found.begin(), found.end()};
  const auto named =
      matches(text_ + os::text_of(monitoring_file("alerts.yml")), R"(\b((?:tickbox|process)_\w+))");
  EXPECT_GT(named.size(), 40U);
  for (const std::string& name : named) {
    EXPECT_TRUE(samples.contains(name)) << name;
  }
  const std::string check = std::string{"exec "} + kPromtool + " check metrics <\"$0\"";
  const Finished checked =
      run({.program = "/bin/sh", .arguments = {"-c", check, folder_.write("scrape", scrape)}});
  EXPECT_EQ(checked.exit_code, 0) << checked;
}

/// The query as Grafana sends it: for every server, with a rate over eight seconds.
std::string without_variables(std::string query) {
  for (const auto& [variable, value] :
       {std::pair<std::string, std::string>{"$instance", ".*"}, {"$__rate_interval", "8s"}}) {
    for (auto at = query.find(variable); at != std::string::npos; at = query.find(variable)) {
      query.replace(at, variable.size(), value);
    }
  }
  return query;
}

TEST_F(DashboardTest, EachQueryHasAValueAtAServerInPlay) {
  const RunningServer server{{"--max-clients", "16", "--record", folder_.file("recordings"),
                              "--admin-token-file", write_admin_token(folder_)}};
  const Prometheus prometheus{folder_, {server.admin()}};
  ASSERT_TRUE(eventually([&] { return !prometheus.query("up == 1").empty(); }));
  // Views are sent in full to clients that join: some do in the eight seconds before the queries.
  const Process load{
      tickbox({"load", server.address(), "--clients", "8", "--ramp", "4", "--seconds", "60"})};
  ASSERT_TRUE(eventually([&] {
    return !prometheus.query("tickbox_clients == 8 and tickbox_ticks_total offset 7s").empty();
  }));
  for (const json& panel : panels_) {
    for (const json& target : panel.at("targets")) {
      const std::string query = target.at("expr");
      const auto values = prometheus.query(without_variables(query));
      EXPECT_FALSE(values.empty()) << query;
      std::cout << query << '\n';
      for (const auto& [labels, value] : values) {
        EXPECT_TRUE(std::isfinite(value)) << query << labels;
        std::cout << "    " << value << "  " << labels << '\n';
      }
    }
  }
  for (const FiringAlert& alert : prometheus.firing()) {
    // The machine may be busy with others: the alerts about time say so rightly.
    static const std::set<std::string> kOfTime = {"TickboxDown", "TickboxOverloaded",
                                                  "TickboxSkippedTicks", "TickboxSlowTicks"};
    EXPECT_TRUE(kOfTime.contains(alert.name)) << alert.summary;
  }
}

}  // namespace
}  // namespace tickbox::integration
