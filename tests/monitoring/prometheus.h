#pragma once
// Debian's Prometheus with the files of docker/monitoring, at the pace of a test: it scrapes twice
// a second, and its alerts count the last ten seconds and fire at once.

#include "tests/integration/programs.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tickbox::integration {

/// Debian's package prometheus has both.
inline constexpr const char* kPrometheus = "/usr/bin/prometheus";
inline constexpr const char* kPromtool = "/usr/bin/promtool";

/// A test with a folder, which is skipped where the package is missing.
class MonitoringTest : public testing::Test {
 protected:
  void SetUp() override;

  const os::TemporaryFolder folder_;
};

/// Returns the path of a file of docker/monitoring.
[[nodiscard]] std::string monitoring_file(std::string_view name);

/// Returns the first group of each match.
[[nodiscard]] std::vector<std::string> matches(const std::string& text, const std::string& regex);

/// A sample of the answer to a query.
struct QueryValue {
  std::string labels;  ///< as JSON, without those that all samples of a server have
  double value = 0;
};

struct FiringAlert {
  std::string name;
  std::string server;  ///< its admin side
  std::string severity;
  std::string summary;
  std::string description;
};

class Prometheus {
 public:
  /// Starts it on a free loopback port, with its data and copies of the files in `folder`.
  /// `targets`: the admin sides to scrape, with the token of the folder. Throws std::runtime_error
  /// when it does not get ready.
  Prometheus(const os::TemporaryFolder& folder, const std::vector<std::string>& targets);

  /// Evaluates an expression, now. Throws std::runtime_error with the error of Prometheus.
  [[nodiscard]] std::vector<QueryValue> query(const std::string& expression) const;

  [[nodiscard]] std::vector<FiringAlert> firing() const;

 private:
  /// Returns the body of an answer. Throws std::runtime_error if it has another status than 200.
  [[nodiscard]] std::string get(std::string_view path, const std::string& query = {}) const;

  Process process_;
  std::string address_;
};

}  // namespace tickbox::integration
