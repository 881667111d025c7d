#pragma once
// What the admin side answers: is the process alive, is it ready for clients, what has it counted.

#include "core/clock.h"
#include "server/host/metrics_text.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tickbox::server {

/// Without a tick for this long, the process hangs. Before the first it starts.
inline constexpr Duration kStalledAfter = std::chrono::seconds{2};

enum class ServerState : std::uint8_t { Starting, Ready, Draining };

/// What the tick thread tells the admin side, now and then.
struct Status {
  ServerState state = ServerState::Starting;
  Instant last_tick;
  std::uint32_t seats_held = 0;  ///< of metrics.clients_max
  Metrics metrics;
};

struct AdminReply {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

/// /livez, /readyz, /metrics, and a list of them at /.   Anything else is 404.
[[nodiscard]] AdminReply answer(std::string_view path, const Status& status,
                                const ProcessFacts& process, Instant now);

}  // namespace tickbox::server
