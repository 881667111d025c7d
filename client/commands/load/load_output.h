#pragma once
// What a load run prints, and the files that it writes: --results, a line each second, and
// --report, a page at the end.
//
// The page is report/report.html with the lines of --results in it, of which its script makes all
// that it shows. Of a long run it has fewer, longer seconds, and of --find none.

#include "cli/exit_code.h"
#include "client/commands/load/load_seconds.h"
#include "client/commands/load/load_verdict.h"
#include "client/commands/output.h"
#include "core/clock.h"
#include "os/files/file_sink.h"
#include "os/process/process.h"

#include <cstdint>
#include <expected>
#include <memory>
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

/// Returns the first line of --results.
[[nodiscard]] std::string first_line(const LoadFacts& facts);

/// Returns the last line of --results.
[[nodiscard]] std::string last_line(const LoadResult& result);

/// Returns the page of --report with these lines.
[[nodiscard]] std::string report_page(std::string_view lines);

class LoadFiles {
 public:
  struct Paths {
    std::string results{};  ///< empty: none, as the report
    std::string report{};
    bool report_has_seconds = true;
  };

  /// Begins the files. Fails: with one line, if one exists or cannot be created.
  [[nodiscard]] static std::expected<std::unique_ptr<LoadFiles>, std::string> open(
      const Paths& paths);

  /// Writes the first line. Requires: called once, before the other functions.
  void begin(const LoadFacts& facts);

  /// Writes the line of a second. A disk that has failed or is slow does not delay the caller.
  void add(LoadSecond&& second);

  /// Writes the last line and the report, and closes the files. A failure becomes part of the
  /// verdict.
  void end(LoadResult& result);

 private:
  void write_line(std::string_view line);
  [[nodiscard]] std::expected<void, std::string> end_results(const LoadResult& result);
  [[nodiscard]] std::expected<void, std::string> end_report(const LoadResult& result);

  std::unique_ptr<os::FileSink> results_{};
  std::unique_ptr<NewFile> report_{};
  bool report_has_seconds_ = true;
  bool is_line_missing_ = false;
  std::string first_line_{};
  std::optional<LoadTimeline> timeline_{};
};

/// Prints the result. Returns the exit code.
[[nodiscard]] cli::ExitCode print_result(const Output& output, const LoadResult& result);

}  // namespace tickbox::commands
