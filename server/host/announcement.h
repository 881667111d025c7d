#pragma once
// The words of a server about itself: to the log and stdout when clients can connect, and to stdout
// when it has stopped.

#include "server/host/server.h"

#include <cstdint>
#include <expected>
#include <string>

namespace tickbox::server {

struct Announcement {
  bool json = false;   ///< ready and stopped on stdout, each as a line of JSON
  bool quiet = false;  ///< no hints on stdout
};

/// Publishes that the server is ready, logs it with warnings about its setting, and writes the JSON
/// document or the commands to try next. Fails: with one line, if the document cannot be written.
[[nodiscard]] std::expected<void, std::string> announce_ready(Server& server,
                                                              const Announcement& announcement);

/// Returns the last line of JSON output. Requires: the recording is closed.
[[nodiscard]] std::string stopped_document(const Server& server, std::uint64_t ticks);

}  // namespace tickbox::server
