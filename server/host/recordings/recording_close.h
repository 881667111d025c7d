#pragma once
// Ends the recording of a server that stops, within a time limit.

#include "server/host/server.h"

#include <atomic>
#include <cstdint>
#include <expected>
#include <string>
#include <thread>

namespace tickbox::server {

/// Closes the recording on a thread of its own: a call to a disk that does not answer may not
/// return.
class RecordingClose {
 public:
  /// Begins to close the recording.
  explicit RecordingClose(Server& server);

  /// Waits until the recording is closed, at most 20 s, and at most 1 s from a second stop signal
  /// on. Requires: called once. Fails: with one line, if accepted data is lost, or may be.
  [[nodiscard]] std::expected<void, std::string> wait();

  /// Returns whether wait() has failed while the thread waited for the disk. Nobody joins the
  /// thread then: the process ends as it is.
  [[nodiscard]] bool is_stuck() const { return thread_.joinable(); }

 private:
  Server& server_;
  std::uint64_t waiting_bytes_;  ///< of the recording, when the close began
  std::expected<void, std::string> result_;
  std::atomic<bool> is_done_ = false;
  std::thread thread_;  ///< declared last: it uses the other members
};

}  // namespace tickbox::server
