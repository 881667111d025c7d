// A client that moves: from Wi-Fi to a mobile network, or behind a router that forgot its port. Its
// packets open as ever, but come from an address that may be a liar's, who replays what it has
// seen. So the address is asked before anything larger goes there.

#include "net/handshake.h"
#include "server/shard/shard.h"

#include <fmt/core.h>

namespace tickbox::server {

void Shard::check_path(Session& session, const net::Datagram& datagram, Instant now) {
  if (!session.path || session.path->route.peer != datagram.from) {
    session.path = {.route = datagram.back(),
                    .data = draw_number<std::uint64_t>(entropy_),
                    .challenged = now - kChallengeInterval};
  }
  UnprovenPath& path = *session.path;
  path.heard += datagram.bytes.size();
  if (now - path.challenged < kChallengeInterval) return;
  const ConstBytes message = encoder_.path_check(path.data);
  const std::uint64_t size = message.size() + net::kPacketOverheadBytes;
  if (path.sent + size > kUnprovenAnswers * path.heard) return;
  path.sent += size;
  path.challenged = now;
  transmit(path.route, session.channel.seal_packet(net::PacketType::Challenge, message, packet_));
}

void Shard::on_response(Session& session, const net::Address& from, ConstBytes message,
                        Instant now) {
  const auto data = protocol::decode_path_check(message);
  if (!data) {
    return metrics_.drops.count(data.error());
  }
  const bool answers =
      session.path && session.path->route.peer == from && session.path->data == *data;
  if (!answers) {
    return metrics_.drops.count(net::DropReason::Unexpected);
  }
  session.route = session.path->route;
  session.path = std::nullopt;
  metrics_.count(ConnectionResult::Moved);
  log_.event(LogKind::Moved, Severity::Info, now, [&] {
    return fmt::format("session_moved seat={} address={}", session.seat.value,
                       net::to_string(from));
  });
}

}  // namespace tickbox::server
