#pragma once
// A server from its first log line to its last.

#include "cli/exit_code.h"
#include "engine/identity.h"
#include "os/process/log.h"
#include "server/host/base/options.h"

#include <string>

namespace tickbox::server {

/// The words of a server about itself: to the log and stdout when clients can connect, and to
/// stdout when it has stopped.
struct Announcement {
  bool json = false;   ///< ready and stopped on stdout, each as a line of JSON
  bool quiet = false;  ///< no hints on stdout
};

/// Reports why the server cannot start or has failed: as cli::report_failure() does, but as an
/// event if the log is JSON, so that stderr has nothing but JSON. Returns `code`.
cli::ExitCode report_failure(const ProgramNames& programs, const Announcement& announcement,
                             const os::AsyncLog& log, cli::ExitCode code, const std::string& why);

/// Serves until a signal or the room's last tick, or for options.ticks ticks. Fails: Failed,
/// after one line on stderr.
[[nodiscard]] cli::ExitCode serve(const Options& options, engine::Games games,
                                  const Announcement& announcement, const os::AsyncLog& log);

}  // namespace tickbox::server
