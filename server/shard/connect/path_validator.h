#pragma once
// Moves a session to a new address of its client: from Wi-Fi to a mobile network, or behind a
// router that forgot its port. The packets open, but an attacker can have forwarded them. So two
// addresses are asked before the session moves. The new one must answer: else the server would send
// to anybody. The old one must be silent: else the client is still there, and the packets were
// forwarded.

#include "core/bytes.h"
#include "core/clock.h"
#include "net/reasons.h"
#include "net/transport.h"
#include "server/shard/context.h"
#include "server/shard/session.h"
#include "server/shard/session_table.h"

#include <expected>

namespace tickbox::server {

class PathValidator {
 public:
  /// Borrows both.
  PathValidator(ShardContext& context, SessionTable& sessions)
      : context_(context), sessions_(sessions) {}

  /// Takes note of a packet that the session's keys have opened. `is_newest`: it has the session's
  /// newest sequence. Begins a check, asks again, or moves the session.
  void on_packet(Session& session, const net::Datagram& datagram, bool is_newest, Instant now);

  /// Takes the answer to a CHALLENGE. Fails: Malformed; Unexpected, if it answers nothing asked.
  [[nodiscard]] std::expected<void, net::DropReason> on_response(Session& session,
                                                                 const net::Address& from,
                                                                 ConstBytes message, Instant now);

 private:
  void ask(Session& session, Instant now);
  void challenge(Session& session, const net::Route& route, std::uint64_t number);
  void move(Session& session, Instant now);
  void end(Session& session, Instant now);

  ShardContext& context_;
  SessionTable& sessions_;
  net::PacketBuffer packet_{};
};

}  // namespace tickbox::server
