#pragma once
// The texts of a run's files: the first and the last line of --results, and the page of --report.
//
// The page is made of report/report.html, whose places are filled here: the verdict, the
// requirements and all final figures as HTML, so that it is readable without JavaScript, and the
// samples as JSON, of which its script draws the charts.

#include "client/commands/document.h"
#include "client/commands/load/load_report.h"
#include "client/commands/load/load_timeline.h"
#include "core/clock.h"
#include "os/process/process.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// What a run is, as it begins.
struct LoadFacts {
  std::vector<std::string> command{};  ///< its words
  WallTime started{};
  std::string server{};                         ///< HOST:PORT
  std::optional<std::string> server_version{};  ///< empty without --admin
  std::uint64_t clients = 0;
  std::string players{};  ///< "bot wander", or the file of --inputs
  double ramp_seconds = 0;
  double seconds = 0;
  std::uint64_t seed = 0;
  std::vector<std::string> net{};  ///< the links of --net, as given
  os::Machine machine{};
};

/// How a run ended.
enum class LoadOutcome : std::uint8_t {
  Passed,
  Failed,        ///< a requirement is missed, or a hash differs
  NotConnected,  ///< some or all clients
  Disconnected,
  Stopped,  ///< before its time was up
  TooSlow,  ///< the load generator
  Apart,    ///< the parts of a merge did not play at once
};

struct LoadEnd {
  LoadOutcome outcome = LoadOutcome::Passed;
  std::string why{};                 ///< in words
  std::string document{};            ///< as --json prints it
  const Figures* figures = nullptr;  ///< of the document
  std::vector<RequirementResult> requirements{};
  const LoadReport* report = nullptr;
};

/// Returns the first line of --results.
[[nodiscard]] std::string first_line(const LoadFacts& facts);

/// Returns the last line of --results.
[[nodiscard]] std::string last_line(const LoadEnd& end);

/// Returns the page of --report.
[[nodiscard]] std::string report_page(const LoadFacts& facts, const LoadTimeline& timeline,
                                      const LoadEnd& end);

}  // namespace tickbox::commands
