#pragma once
// A server from its first log line to its last.

#include "cli/exit_code.h"
#include "engine/identity.h"
#include "os/process/log.h"
#include "server/host/announcement.h"
#include "server/host/options.h"

namespace tickbox::server {

/// Serves until a signal or the room's last tick, or for options.ticks ticks. Fails: Failed,
/// after one line on stderr.
[[nodiscard]] cli::ExitCode serve(const Options& options, engine::Games games,
                                  const Announcement& announcement, const os::Log& log);

}  // namespace tickbox::server
