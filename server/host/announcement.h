#pragma once
// The words of a server about itself: to the log and stdout when clients can connect, and to stdout
// when it has stopped.

#include "server/host/base/background_call.h"
#include "server/host/server.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tickbox::server {

struct Announcement {
  bool json = false;   ///< ready and stopped on stdout, each as a line of JSON
  bool quiet = false;  ///< no hints on stdout
};

/// Writes to stdout on a thread of its own, because the reader of a pipe may not read.
class StdoutWriter {
 public:
  /// Writes all of `text`, and waits for it at most a second. Requires: the text before is written.
  /// Fails: with one line, if the text cannot be written. A text that still waits is no failure.
  [[nodiscard]] std::expected<void, std::string> write(std::string text);

  /// Returns whether the text still waits for its reader.
  [[nodiscard]] bool is_stuck();

 private:
  BackgroundCall<std::expected<void, std::string>> writing_;
};

/// Publishes that the server is ready, logs it with warnings about its setting, and writes the JSON
/// document or the commands to try next. Fails: with one line, if the document cannot be written.
[[nodiscard]] std::expected<void, std::string> announce_ready(Server& server,
                                                              const Announcement& announcement,
                                                              StdoutWriter& out);

/// Returns the last line of JSON output. Requires: the recording is closed.
[[nodiscard]] std::string stopped_document(const Server& server, std::uint64_t ticks);

}  // namespace tickbox::server
