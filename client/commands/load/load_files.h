#pragma once
// The files that a load run writes: --results, a line each second, and --report, a page at the end.

#include "client/commands/load/load_page.h"
#include "client/commands/load/load_sample.h"
#include "client/commands/load/load_timeline.h"
#include "client/commands/new_file.h"
#include "os/files/file_sink.h"

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::commands {

class LoadFiles {
 public:
  /// The paths of the files; empty: none.
  struct Paths {
    std::string results{};
    std::string report{};
  };

  /// Begins the files. Fails: with one line, if one exists or cannot be created.
  [[nodiscard]] static std::expected<std::unique_ptr<LoadFiles>, std::string> open(
      const Paths& paths);

  /// Whether there is any file.
  [[nodiscard]] bool wanted() const { return results_ != nullptr || report_ != nullptr; }

  /// Writes the first line. Requires: called once, before the other functions.
  void begin(LoadFacts&& facts);

  /// Writes the line of a second. A disk that has failed or is slow does not delay the caller.
  void add(LoadSample&& sample);

  /// Writes the last line, and closes the results. Fails: with one line, if a line is missing.
  [[nodiscard]] std::expected<void, std::string> end_results(const LoadEnd& end);

  /// Writes the report. Fails: with one line.
  [[nodiscard]] std::expected<void, std::string> end_report(const LoadEnd& end);

 private:
  void write_line(std::string_view line);

  std::unique_ptr<os::FileSink> results_{};
  std::unique_ptr<NewFile> report_{};
  bool is_line_missing_ = false;
  LoadFacts facts_{};
  std::optional<LoadTimeline> timeline_{};
};

}  // namespace tickbox::commands
