#pragma once
// Moves a session to a new address of its client: from Wi-Fi to a mobile network, or behind a
// router that forgot its port. The packets still open, but the address can be an attacker's, who
// replays packets. So the address is challenged before anything larger is sent there.

#include "core/bytes.h"
#include "core/clock.h"
#include "net/transport.h"
#include "server/shard/context.h"
#include "server/shard/session.h"

namespace tickbox::server {

class PathValidator {
 public:
  explicit PathValidator(ShardContext& context) : context_(context) {}

  /// Challenges the address of a packet that came from elsewhere than the session's address.
  void challenge(Session& session, const net::Datagram& datagram, Instant now);

  /// Takes the answer to a challenge. The session moves to `from` if the answer is right.
  void on_response(Session& session, const net::Address& from, ConstBytes message, Instant now);

 private:
  ShardContext& context_;
  net::PacketBuffer packet_{};
};

}  // namespace tickbox::server
