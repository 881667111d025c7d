#include "server/session.h"

#include <algorithm>

namespace tickbox::server {

net::SnapshotHead snapshot_head(const Session& session, Instant now) {
  constexpr std::int64_t kLongest = 0xffff;
  const std::int64_t delay = (now - session.newest_arrival) / std::chrono::microseconds{10};
  return {.input_tick = session.inputs.complete_to(),
          .newest_packet = static_cast<std::uint32_t>(session.channel.received().newest()),
          .packets_received = static_cast<std::uint32_t>(session.channel.received().count()),
          .ack_delay = static_cast<std::uint16_t>(std::clamp<std::int64_t>(delay, 0, kLongest)),
          .substituted = session.substituted,
          .late = session.late,
          .margin = session.margin};
}

}  // namespace tickbox::server
