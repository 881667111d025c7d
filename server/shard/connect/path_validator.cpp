#include "server/shard/connect/path_validator.h"

#include "protocol/messages.h"
#include "server/shard/limits.h"

#include <fmt/core.h>

namespace tickbox::server {

void PathValidator::challenge(Session& session, const net::Datagram& datagram, Instant now) {
  if (!session.path || session.path->route.peer != datagram.from) {
    session.path = {.route = datagram.back(),
                    .data = draw_number<std::uint64_t>(context_.entropy),
                    .challenged = now - kChallengeInterval};
  }
  UnprovenPath& path = *session.path;
  path.heard += datagram.bytes.size();
  if (now - path.challenged < kChallengeInterval) return;
  const ConstBytes message = protocol::encode_path_check(path.data, context_.message_buffer);
  const std::uint64_t size = message.size() + net::kPacketOverheadBytes;
  if (path.sent + size > kUnprovenAnswers * path.heard) return;
  path.sent += size;
  path.challenged = now;
  context_.send(path.route,
                session.channel.seal_packet(net::PacketType::Challenge, message, packet_));
}

void PathValidator::on_response(Session& session, const net::Address& from, ConstBytes message,
                                Instant now) {
  Metrics& metrics = context_.metrics;
  const auto data = protocol::decode_path_check(message);
  if (!data) return metrics.drops.count(data.error());
  const bool answers =
      session.path && session.path->route.peer == from && session.path->data == *data;
  if (!answers) return metrics.drops.count(net::DropReason::Unexpected);
  session.route = session.path->route;
  session.path = std::nullopt;
  metrics.count(ConnectionResult::Moved);
  context_.log.event(LogKind::Moved, Severity::Info, now, [&] {
    return fmt::format("session_moved seat={} address={}", session.player.value,
                       net::to_string(from));
  });
}

}  // namespace tickbox::server
