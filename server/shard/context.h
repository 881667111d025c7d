#pragma once
// What all parts of a shard share: entropy, log, counters, and the functions that send.

#include "core/bytes.h"
#include "core/rng.h"
#include "net/packet.h"
#include "net/transport.h"
#include "protocol/message_buffer.h"
#include "server/shard/log.h"
#include "server/shard/metrics.h"
#include "server/shard/session.h"

namespace tickbox::server {

class ShardContext {
 public:
  ShardContext(net::Transport& transport, Entropy& entropy_source, Log& log_sink)
      : entropy(entropy_source), log(log_sink), transport_(transport) {}

  /// Seals a message for a session and sends it.
  void send(Session& session, net::PacketType type, ConstBytes message) {
    send(session.route, session.channel.seal_packet(type, message, packet_));
  }

  /// Sends a whole datagram.
  void send(const net::Route& route, ConstBytes datagram) {
    ++metrics.traffic.packets_out;
    metrics.traffic.bytes_out += datagram.size();
    transport_.send(route, datagram);
  }

  Entropy& entropy;
  LimitedLog log;
  Metrics metrics;
  protocol::MessageBuffer message_buffer;

 private:
  net::Transport& transport_;
  net::PacketBuffer packet_{};
};

}  // namespace tickbox::server
