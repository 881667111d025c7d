#include "server/host/recordings/recording_close.h"

#include "os/process/process.h"
#include "os/process/steady_clock.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tickbox::server {
namespace {

/// The most time for closing the recording, and the most from a second signal on. Kubernetes kills
/// the process after 30 s.
constexpr Duration kClosingMost = std::chrono::seconds{20};
constexpr Duration kHurriedMost = std::chrono::seconds{1};
/// The wait for the disk after which a warning is logged; then the interval between two checks.
constexpr Duration kClosingTold = std::chrono::seconds{2};
constexpr Duration kClosingLook = std::chrono::milliseconds{1};

}  // namespace

RecordingClose::RecordingClose(Server& server)
    : server_(server),
      waiting_bytes_(server.recordings->look().queue_bytes),
      thread_(os::start_thread("closing", [this] {
        result_ = server_.recordings->close();
        is_done_ = true;
      })) {}

std::expected<void, std::string> RecordingClose::wait() {
  const Instant begun = server_.clock.now();
  Instant deadline = begun + kClosingMost;
  bool is_told = false;
  for (Instant now = begun; !is_done_; now = server_.clock.now()) {
    if (server_.signals->stops() > 1) deadline = std::min(deadline, now + kHurriedMost);
    if (now >= deadline) {
      return std::unexpected(
          fmt::format("cannot close the recording in {}: the disk does not answer; written records "
                      "are complete, but {} waiting bytes may be lost",
                      server_.options.record, waiting_bytes_));
    }
    if (now - begun >= kClosingTold && !std::exchange(is_told, true)) {
      server_.log.event(Severity::Warning,
                        fmt::format("recording_not_closed_yet reason=\"the disk does not answer\" "
                                    "waits_seconds={}",
                                    kClosingMost / std::chrono::seconds{1}));
    }
    os::sleep_until(now + kClosingLook);
  }
  thread_.join();
  return std::move(result_);
}

}  // namespace tickbox::server
