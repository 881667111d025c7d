// The alerts of docker/monitoring: promtool accepts them and their test, and each fires at a real
// server with that fault, and at no other.

#include "tests/integration/admin_token.h"
#include "tests/monitoring/prometheus.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::integration {
namespace {

class AlertsTest : public MonitoringTest {
 protected:
  static std::set<std::string> names() {
    const auto found = matches(os::text_of(monitoring_file("alerts.yml")), R"(- alert: (\w+))");
    return {found.begin(), found.end()};
  }
};

TEST_F(AlertsTest, PassPromtool) {
  const auto promtool = [](std::vector<std::string> arguments, std::string_view file) {
    arguments.push_back(monitoring_file(file));
    const Finished finished = run({.program = kPromtool, .arguments = std::move(arguments)});
    EXPECT_EQ(finished.exit_code, 0) << finished;
  };
  promtool({"check", "rules"}, "alerts.yml");
  promtool({"test", "rules"}, "alerts_test.yml");
  promtool({"check", "config", "--syntax-only"}, "prometheus.yml");
}

TEST_F(AlertsTest, EachHasATestAndALineOfThePage) {
  const std::string tests = os::text_of(monitoring_file("alerts_test.yml"));
  const std::string page = os::text_of(monitoring_file("README.md"));
  EXPECT_GT(names().size(), 7U);
  for (const std::string& name : names()) {
    EXPECT_TRUE(tests.contains("{alertname=\"" + name + "\", instance=\"sick\"}")) << name;
    EXPECT_TRUE(page.contains("| `" + name + "` |")) << name;
  }
}

/// The alerts that have fired so far.
class FiredAlerts {
 public:
  explicit FiredAlerts(const Prometheus& prometheus) : prometheus_(prometheus) {}

  /// Returns whether an alert has fired for a server before patience ends.
  [[nodiscard]] bool wait_for(const std::string& name, const RunningServer& server) {
    return eventually([&] {
      for (FiringAlert& alert : prometheus_.firing()) {
        fired_[alert.name].try_emplace(alert.server, std::move(alert));
      }
      return fired_[name].contains(server.admin());
    });
  }

  using ByServer = std::map<std::string, FiringAlert>;

  [[nodiscard]] const std::map<std::string, ByServer>& by_name() const { return fired_; }

 private:
  const Prometheus& prometheus_;
  std::map<std::string, ByServer> fired_;
};

TEST_F(AlertsTest, FireAtTheServerWithThatFaultAlone) {
  const std::string token = write_admin_token(folder_);
  const auto load = [](const RunningServer& server, const std::string& clients) {
    return tickbox(
        {"load", server.address(), "--clients", clients, "--ramp", "0", "--seconds", "60"});
  };
  // Its bits flip ten seconds after the start, when clients play and Prometheus has seen that
  // nothing is wrong. Its files end at 4 KiB.
  const Command flips = faulty_server({}, "FAULT_FLIP_AT=600");
  const Command flipping{
      .program = "/bin/bash",
      .arguments = {"-c", "ulimit -f 4 && exec \"$0\" \"$@\"", flips.program, "--record",
                    folder_.file("recordings"), "--admin-token-file", token},
      .environment = flips.environment};
  const RunningServer flipped{flipping};
  const Process at_flipped{load(flipped, "2")};
  const RunningServer slow{faulty_server({"--admin-token-file", token}, "FAULT_SLOW_MS=40")};
  RunningServer full{{"--max-clients", "2", "--admin-token-file", token}};

  const Prometheus prometheus{folder_, {flipped.admin(), slow.admin(), full.admin()}};
  ASSERT_TRUE(eventually([&] { return prometheus.query("up == 1").size() == 3; }));
  const Process at_slow{load(slow, "2")};
  const Process at_full{load(full, "2")};

  FiredAlerts fired{prometheus};
  EXPECT_TRUE(fired.wait_for("TickboxFull", full));
  const Process refused{load(full, "30")};
  EXPECT_TRUE(fired.wait_for("TickboxRefusals", full));
  const std::string keys = folder_.file("keys");
  EXPECT_EQ(run(tickbox({"token", "keygen", "--out", keys})).exit_code, kDone);
  expect_ended(run(tickbox({"connect", full.address(), "--key-file", keys})), kNotConnected,
               {"which this server does not have"});
  EXPECT_TRUE(fired.wait_for("TickboxUnknownKeys", full));
  for (const char* const of_time :
       {"TickboxSlowTicks", "TickboxSkippedTicks", "TickboxOverloaded"}) {
    EXPECT_TRUE(fired.wait_for(of_time, slow)) << of_time;
  }
  EXPECT_TRUE(fired.wait_for("TickboxRecording", flipped));
  EXPECT_TRUE(fired.wait_for("TickboxDesync", flipped));
  EXPECT_EQ(full.stop().exit_code, kDone);
  EXPECT_TRUE(fired.wait_for("TickboxDown", full));

  std::set<std::string> names_of_fired;
  for (const auto& [name, by_server] : fired.by_name()) {
    names_of_fired.insert(name);
    for (const auto& [server, alert] : by_server) {
      SCOPED_TRACE(name + ": " + alert.summary);
      EXPECT_TRUE(alert.severity == "critical" || alert.severity == "warning");
      EXPECT_TRUE(alert.summary.contains(server));
      EXPECT_FALSE(alert.summary.contains("error")) << "in the template";
      EXPECT_TRUE(alert.description.ends_with('.'));
    }
  }
  EXPECT_EQ(names_of_fired, names());
  // A busy machine may slow down the other two as well.
  for (const char* const name : {"TickboxFull", "TickboxRefusals", "TickboxUnknownKeys",
                                 "TickboxRecording", "TickboxDesync"}) {
    EXPECT_EQ(fired.by_name().at(name).size(), 1U) << name;
  }
}

}  // namespace
}  // namespace tickbox::integration
