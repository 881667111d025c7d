#pragma once
// Serves the auditors of a shard: clients that need a right in their token, and receive everything
// that enters each tick.

#include "core/clock.h"
#include "net/handshake.h"
#include "protocol/audit_codec.h"
#include "server/match/audit_stream.h"
#include "server/shard/context.h"
#include "server/shard/hosted_room.h"
#include "server/shard/send_pace.h"
#include "server/shard/session.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

class AuditService {
 public:
  /// Borrows the rooms.
  AuditService(ShardContext& context, std::span<HostedRoom> rooms, const SendPace& pace);

  /// Returns why a client may not audit, or nothing. `own`: its seat if it has one; the sessions
  /// there do not count against the limit.
  [[nodiscard]] std::optional<net::Refuse> objection_to(std::uint8_t rights, const Seat* own) const;

  /// Appends the tick that a room has just stepped to the streams of its auditors.
  void append(HostedRoom& room);

  /// Takes what an auditor has received, and its requests to begin again.
  void on_ack(Session& session, const protocol::AuditAck& ack, Instant now);

  /// Sends an auditor what its byte budget allows.
  void send(Session& session, Instant now);

 private:
  void begin_run(match::AuditStream& stream, HostedRoom& room);
  void send_piece(Session& session, const match::AuditStream::Piece& piece, Instant now);

  ShardContext& context_;
  std::span<HostedRoom> rooms_;
  SendPace pace_;
  std::vector<std::byte> keyframe_;
  std::vector<std::byte> entry_;  ///< the entry that was encoded last
};

}  // namespace tickbox::server
