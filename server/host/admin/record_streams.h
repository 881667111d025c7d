#pragma once
// What is recorded, over HTTP: the logs of rooms, and the recordings of a directory.

#include "core/clock.h"
#include "os/http/http.h"
#include "server/recording/log_tail.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::server {

// --- a limit on what may be under way at once, such as streams ---

/// A place that is taken until the last copy of it is destroyed; nullptr: none is free.
using Place = std::shared_ptr<const void>;

/// Thread: one reserves places; any may give them back.
class Places {
 public:
  explicit Places(std::size_t count) : free_(std::make_shared<std::atomic<std::size_t>>(count)) {}

  [[nodiscard]] Place reserve() {
    if (free_->load(std::memory_order_relaxed) == 0) return nullptr;
    free_->fetch_sub(1, std::memory_order_relaxed);
    const void* const any = free_.get();
    return {any, [free = free_](const void*) { free->fetch_add(1, std::memory_order_relaxed); }};
  }

 private:
  std::shared_ptr<std::atomic<std::size_t>> free_;
};

// --- the log of a room: GET /rooms/N/log, a recording that grows ---

/// The logs that a server sends at once, of all rooms, if the limit of descriptors allows it.
inline constexpr std::size_t kLogStreamsMax = 256;

/// The most that a stream may be late on request.
inline constexpr Duration kLogDelayMax = std::chrono::minutes{2};

/// Returns the number in "/rooms/N" with `behind` after it; nothing for another path.
[[nodiscard]] std::optional<std::uint32_t> room_in(std::string_view path,
                                                   std::string_view behind = {});

/// Returns the number in "/rooms/N/log"; nothing for another path.
[[nodiscard]] inline std::optional<std::uint32_t> room_of_log(std::string_view path) {
  return room_in(path, "/log");
}

/// Answers a GET of a room's log: the newest whole segment, then all that follows. With `delay` in
/// the query, such as delay=10s, every byte is sent that much later, until the log ends. Answers
/// 400 for another delay, 503 without a place or while kFollowersMax follow the log. A follower
/// that is too slow is cut. `clock` must outlive the answer's source.
[[nodiscard]] os::HttpResponse stream_log(const LogTail& tail, std::string_view query,
                                          const Clock& clock, Place place);

// --- the recordings of a directory: GET /recordings and GET /recordings/NAME ---
//
// Threads of their own read the disk, because the thread of the admin side must answer probes
// meanwhile.

/// The recordings that may be listed and downloaded at once, together.
inline constexpr std::size_t kDownloadsMax = 8;
/// The most recordings of a list: the newest.
inline constexpr std::size_t kRecordingsListed = 1'000;
/// The most bytes of a download that wait in memory: half are sent while half are read.
inline constexpr std::size_t kDownloadBytesMax = std::size_t{1} << 20U;

/// Returns NAME in "/recordings/NAME"; nothing for another path. Only names that a server gives to
/// recordings are: no directory, no other file.
[[nodiscard]] std::optional<std::string_view> recording_of(std::string_view path);

/// Answers with the recordings directly in `folder`, the newest first, as JSON; with none for an
/// empty `folder`. Answers 503 without a place.
[[nodiscard]] os::HttpResponse list_recordings(const std::string& folder, const Place& place);

/// Answers with the bytes of a recording. One that is being written ends with its last whole record
/// of the moment when it was opened. Answers 404 if it is not there, 503 without a place.
/// Requires: `name` is one of recording_of().
[[nodiscard]] os::HttpResponse send_recording(const std::string& folder, std::string_view name,
                                              const Place& place);

}  // namespace tickbox::server
