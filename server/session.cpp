#include "server/session.h"

#include <algorithm>
#include <limits>

namespace tickbox::server {

net::SnapshotHead snapshot_head(const Session& session) {
  using Margin = std::numeric_limits<std::int8_t>;
  const int margin = std::clamp<int>(session.margin, Margin::min(), Margin::max());
  return {.input_tick = static_cast<std::uint16_t>(session.inputs.complete_to().value & 0xffff),
          .margin = static_cast<std::int8_t>(margin),
          .substituted = session.substituted,
          .newest_packet = static_cast<std::uint8_t>(session.channel.received().newest() & 0xff)};
}

net::LinkStatus link_status(const Session& session) {
  return {.newest_packet = static_cast<std::uint32_t>(session.channel.received().newest()),
          .packets_received = static_cast<std::uint32_t>(session.channel.received().count()),
          .late = session.late};
}

}  // namespace tickbox::server
