#include "server/host/closing.h"

#include <fmt/core.h>

namespace tickbox::server {
namespace {

/// The wait for the disk after which a warning is logged.
constexpr Duration kClosingTold = std::chrono::seconds{2};
/// The time that is left for the last lines of the log and of stdout.
constexpr Duration kSpared = std::chrono::milliseconds{500};

std::uint64_t waiting_bytes(const Server& server) {
  std::uint64_t bytes = 0;
  for (const auto& host : server.shards) {
    bytes += host->status.recording().queue_bytes;
  }
  return bytes;
}

/// Closes the recordings of all open rooms. Returns the first failure.
std::expected<void, std::string> close_recordings(Server& server) {
  std::expected<void, std::string> all;
  for (const auto& host : server.shards) {
    for (const auto& room : host->rooms) {
      auto closed = room->recordings->close();
      if (!closed && all) all = std::move(closed);
    }
  }
  return all;
}

}  // namespace

Closing::Closing(Server& server) : server_(server) {
  begin("recording_not_closed_yet",
        fmt::format("the recording in {}: the disk does not answer; written records are complete, "
                    "but {} waiting bytes may be lost",
                    server.options.record, waiting_bytes(server)),
        [&server] { return close_recordings(server); });
  for (const auto& room : server.closing) {
    parts_.push_back(
        {.slow = "recording_not_closed_yet",
         .what = fmt::format("the recording of room {} in {}: the disk does not answer",
                             room->room->id.value, server.options.record),
         .closing = std::move(room->call)});
  }
  if (server.results) {
    begin("results_not_closed_yet",
          fmt::format("the results in {}: nothing takes them; waiting results may be lost",
                      server.options.match_results),
          [&server] { return server.results->close(); });
  }
  if (server.desyncs) {
    begin("desync_files_not_closed_yet",
          fmt::format("the desync files in {}: the disk does not answer; waiting files may be lost",
                      server.options.desync_dir),
          [&server] {
            server.desyncs.reset();
            return Result{};
          });
  }
}

std::expected<void, std::string> Closing::wait(StopDeadline& deadline) {
  bool is_told = false;
  const bool all_closed = deadline.wait({.reserve = kSpared}, [&] {
    if (remove_closed()) return true;
    if (server_.clock.now() - deadline.begun() >= kClosingTold && !std::exchange(is_told, true)) {
      for (const Part& part : parts_) {
        server_.log.event(Severity::Warning,
                          {part.slow,
                           {{"reason", part.what},
                            {"waits_seconds", StopDeadline::kMost / std::chrono::seconds{1}}}});
      }
    }
    return false;
  });
  if (!all_closed && ended_) ended_ = std::unexpected{"cannot close " + parts_.front().what};
  return ended_;
}

/// Removes the parts that are closed, and keeps the first failure. Returns whether all are.
bool Closing::remove_closed() {
  std::erase_if(parts_, [this](Part& part) {
    auto result = part.closing.poll();
    if (result && !*result && ended_) ended_ = std::move(*result);
    return result.has_value();
  });
  return parts_.empty();
}

}  // namespace tickbox::server
