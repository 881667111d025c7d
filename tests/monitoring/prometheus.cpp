#include "tests/monitoring/prometheus.h"

#include "net/transport.h"
#include "os/http/http.h"
#include "tests/integration/admin_token.h"
#include "tests/support/paths.h"

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <utility>

namespace tickbox::integration {
namespace {

using nlohmann::json;

/// Throws std::runtime_error if nothing matches.
std::string replaced(const std::string& text, const std::string& regex, const std::string& with) {
  const std::regex expression{regex};
  if (!std::regex_search(text, expression)) {
    throw std::runtime_error{regex + " is not in:\n" + text};
  }
  return std::regex_replace(text, expression, with);
}

Command prometheus_in(const os::TemporaryFolder& folder, const std::vector<std::string>& targets) {
  std::string config = os::text_of(monitoring_file("prometheus.yml"));
  config = replaced(config, "_interval: 5s", "_interval: 500ms");
  config =
      replaced(config, "credentials_file: .*", "credentials_file: " + write_admin_token(folder));
  config = replaced(config, "targets: .*", "targets: " + json(targets).dump());
  std::string alerts = os::text_of(monitoring_file("alerts.yml"));
  alerts = replaced(alerts, R"(\[5m\])", "[10s]");
  alerts = replaced(alerts, R"(for: \d+m)", "for: 0s");
  (void)folder.write("alerts.yml", alerts);
  return {.program = kPrometheus,
          .arguments = {"--config.file=" + folder.write("prometheus.yml", config),
                        "--storage.tsdb.path=" + folder.file("data"),
                        "--web.listen-address=127.0.0.1:0"}};
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      encoded += c;
    } else {
      encoded += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return encoded;
}

}  // namespace

void MonitoringTest::SetUp() {
  if (!std::filesystem::exists(kPrometheus)) {
    GTEST_SKIP() << "Debian's package prometheus is missing";
  }
}

std::string monitoring_file(std::string_view name) {
  return tests::source_file(std::string{"docker/monitoring/"}.append(name));
}

std::vector<std::string> matches(const std::string& text, const std::string& regex) {
  const std::regex expression{regex};
  std::vector<std::string> found;
  for (std::sregex_iterator at{text.begin(), text.end(), expression}; at != std::sregex_iterator{};
       ++at) {
    found.push_back(at->str(1));
  }
  return found;
}

Prometheus::Prometheus(const os::TemporaryFolder& folder, const std::vector<std::string>& targets)
    : process_(prometheus_in(folder, targets)) {
  const auto addresses = [](const Output& output) {
    return matches(output.err, R"(Listening on" address=(127\.0\.0\.1:\d+))");
  };
  const bool listens = process_.wait_for_output(
      [&](const Output& output) { return !addresses(output).empty(); }, kPatience);
  if (!listens) throw std::runtime_error{"no Prometheus:\n" + process_.output().err};
  address_ = addresses(process_.output()).front();
  const bool is_ready = eventually([this] {
    const auto response =
        os::http_send(net::parse_address(address_).value(), {.path = "/-/ready"}, kPatience);
    return response && response->status == 200;
  });
  if (!is_ready) throw std::runtime_error{"Prometheus is not ready:\n" + process_.output().err};
}

std::vector<QueryValue> Prometheus::query(const std::string& expression) const {
  const json answer = json::parse(get("/api/v1/query", "query=" + percent_encoded(expression)));
  std::vector<QueryValue> values;
  for (const json& sample : answer.at("data").at("result")) {
    json labels = sample.at("metric");
    for (const char* const of_all : {"__name__", "instance", "job"}) {
      labels.erase(of_all);
    }
    values.push_back({labels.dump(), std::stod(sample.at("value").at(1).get<std::string>())});
  }
  return values;
}

std::vector<FiringAlert> Prometheus::firing() const {
  const json answer = json::parse(get("/api/v1/alerts"));
  std::vector<FiringAlert> alerts;
  for (const json& alert : answer.at("data").at("alerts")) {
    if (alert.at("state") != "firing") continue;
    const json& labels = alert.at("labels");
    const json& annotations = alert.at("annotations");
    alerts.push_back({.name = labels.at("alertname"),
                      .server = labels.at("instance"),
                      .severity = labels.at("severity"),
                      .summary = annotations.at("summary"),
                      .description = annotations.at("description")});
  }
  return alerts;
}

std::string Prometheus::get(std::string_view path, const std::string& query) const {
  auto response = os::http_send(net::parse_address(address_).value(),
                                {.path = path, .query = query}, kPatience);
  if (!response) throw std::runtime_error{response.error()};
  if (response->status != 200) throw std::runtime_error{response->body};
  return std::move(response->body);
}

}  // namespace tickbox::integration
