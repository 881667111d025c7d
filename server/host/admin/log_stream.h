#pragma once
// The log of a room over HTTP: GET /rooms/N/log, a recording that grows.

#include "core/clock.h"
#include "os/http/http.h"
#include "server/host/admin/places.h"
#include "server/recording/log_tail.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace tickbox::server {

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

}  // namespace tickbox::server
