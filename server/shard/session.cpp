#include "server/shard/session.h"

namespace tickbox::server {

protocol::SnapshotHead snapshot_head(const Session& session) {
  return {.input_tick = static_cast<std::uint16_t>(session.inputs.complete_to().value & 0xffff),
          .margin = protocol::encode_margin(session.margin),
          .substituted = session.substituted,
          .newest_packet = static_cast<std::uint8_t>(session.channel.received().newest() & 0xff)};
}

protocol::LinkStatus link_status(const Session& session) {
  return {.newest_packet = static_cast<std::uint32_t>(session.channel.received().newest()),
          .packets_received = static_cast<std::uint32_t>(session.channel.received().count()),
          .late = session.late};
}

}  // namespace tickbox::server
