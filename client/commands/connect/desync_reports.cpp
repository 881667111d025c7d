#include "client/commands/connect/desync_reports.h"

#include "cli/build_info.h"
#include "cli/desync_file.h"
#include "os/process/standard_output.h"
#include "os/process/steady_clock.h"

#include <fmt/core.h>

#include <utility>

namespace tickbox::commands {
namespace {

/// Of hundreds of clients that are wrong at once, these say enough.
constexpr std::size_t kLinesMax = 10;

}  // namespace

std::expected<std::unique_ptr<DesyncReports>, std::string> DesyncReports::open(
    const std::string& folder, std::string_view command, DesyncLines lines, const Clock& clock) {
  std::unique_ptr<DesyncReports> reports{new DesyncReports{command, lines, clock}};
  if (folder.empty()) return reports;
  auto drop = os::FileDrop::open({.folder = folder, .flag = "--desync-dir"});
  if (!drop) return std::unexpected(std::move(drop.error()));
  reports->drop_ = *std::move(drop);
  return reports;
}

void DesyncReports::note(const protocol::Desync& desync) {
  if (lines_ == DesyncLines::Printed && printed_ < kLinesMax) {
    ++printed_;
    os::write_to_stderr(fmt::format("{}: desync {}\n", command_, protocol::in_words(desync)));
  }
  if (drop_ == nullptr) return;
  const cli::BuildInfo& build = cli::build_info();
  auto file = cli::file_of(
      desync, os::SystemCalendar{}.now(),
      {.version = build.version, .commit = build.commit, .simulation_hash = build.simulation_hash});
  drop_->drop(std::move(file.name), std::move(file.text), clock_.now());
}

}  // namespace tickbox::commands
