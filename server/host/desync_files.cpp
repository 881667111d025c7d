#include "server/host/desync_files.h"

#include "cli/build_info.h"
#include "cli/desync_file.h"
#include "os/process/steady_clock.h"

#include <utility>

namespace tickbox::server {

std::expected<std::unique_ptr<DesyncFiles>, std::string> DesyncFiles::open(
    const std::string& folder, const Clock& clock) {
  auto drop = os::FileDrop::open({.folder = folder, .flag = "--desync-dir"});
  if (!drop) return std::unexpected(std::move(drop.error()));
  return std::unique_ptr<DesyncFiles>{new DesyncFiles{*std::move(drop), clock}};
}

void DesyncFiles::note(const protocol::Desync& desync) {
  const cli::BuildInfo& build = cli::build_info();
  auto file = cli::file_of(
      desync, os::SystemCalendar{}.now(),
      {.version = build.version, .commit = build.commit, .simulation_hash = build.simulation_hash});
  drop_->drop(std::move(file.name), std::move(file.text), clock_.now());
}

}  // namespace tickbox::server
