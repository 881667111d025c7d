#pragma once
// The answers of the admin side: is the process alive, is it ready for clients, and its metrics.

#include "core/clock.h"
#include "server/host/metrics_text.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tickbox::server {

/// A ready process without a tick for this long hangs. It is ready once clients can connect.
inline constexpr Duration kStalledAfter = std::chrono::seconds{2};

enum class ServerState : std::uint8_t { Starting, Ready, Draining };

/// The status that the tick thread publishes for the admin side, at intervals.
struct Status {
  ServerState state = ServerState::Starting;
  Instant last_tick;
  std::uint32_t seats_held = 0;  ///< seats held, of metrics.clients_max
  Metrics metrics;
};

struct AdminReply {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

/// Answers /livez, /readyz, /metrics, and a list of them at /. Any other path gets 404.
[[nodiscard]] AdminReply answer(std::string_view path, const Status& status,
                                const ProcessFacts& process, Instant now);

}  // namespace tickbox::server
