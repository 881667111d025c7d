// Auditors: they need a right in their token, and are sent everything that enters each tick.

#include "core/assert.h"
#include "server/shard/shard.h"

#include <algorithm>

namespace tickbox::server {

/// Returns whether a session of the seat audits, or is about to.
bool Shard::has_auditor(const Seat& seat) {
  return std::ranges::any_of(seats_.sessions_of(seat), [](const Session& session) {
    return session.state != Session::State::Free && session.wish == net::Wish::Audit;
  });
}

/// Returns why a client may not audit, or nothing. The session it would replace does not count.
std::optional<net::Refuse> Shard::objection_to_audit(std::uint8_t rights, const Seat* own) {
  if ((rights & net::kRightToAudit) == 0) {
    return net::Refuse{.reason = net::RefuseReason::MayNotAudit};
  }
  const auto others = static_cast<std::uint32_t>(std::ranges::count_if(
      seats_.all(), [this, own](const Seat& seat) { return &seat != own && has_auditor(seat); }));
  if (others < kAuditorsMax) return std::nullopt;
  return net::Refuse{
      .reason = net::RefuseReason::AuditorsFull, .have = others, .limit = kAuditorsMax};
}

/// Adds the tick that was just stepped to the streams of auditors.
void Shard::tell_auditors() {
  if (auditors_ == 0) return;
  const game::TickEntry told = room_.log_entry();
  protocol::encode_tick_entry(told.state_hash, told.bytes, audit_entry_);
  for (Seat& seat : seats_.all()) {
    Session* session = seats_.playing(seat);
    if (session == nullptr || session->audit == nullptr || !session->audit->is_running()) continue;
    if (!session->audit->append(audit_entry_, told.tick)) ++metrics_.audit.behind;
  }
}

void Shard::on_audit_ack(Session& session, const protocol::AuditAck& ack, Instant now) {
  if (session.audit == nullptr) return;
  session.audit->acknowledge(ack, now);
  if (!session.audit->asks_anew(ack)) return;
  if (!session.audit_runs.take(kAuditRunRequests, now)) {
    return metrics_.drops.count(net::DropReason::RateLimited);
  }
  session.audit->end();
  ++metrics_.audit.asked;
}

void Shard::send_audit(Session& session, Instant now) {
  AuditStream& stream = *session.audit;
  const Tick tick = room_.world().tick;
  if (!stream.is_running()) {
    room_.log().keyframe(room_.world(), room_.hash(), audit_keyframe_);
    protocol::encode_keyframe_entry(audit_keyframe_, audit_entry_);
    stream.begin(audit_entry_, tick);
    ++metrics_.audit.runs;
  }
  const std::int64_t quiet_interval = options_.tick_rate / kQuietSnapshotsPerSecond;
  const bool is_due =
      has_turn(session) && (stream.has_news() || tick - stream.cut_at() >= quiet_interval);
  while (session.snapshot_bytes.available(kAuditBytes, now) >=
         static_cast<std::int64_t>(net::kDatagramBytesMax)) {
    const auto piece = stream.next(is_due ? AuditStream::Cut::All : AuditStream::Cut::Full, now);
    if (!piece) return;
    send_piece(session, *piece, now);
  }
  ++metrics_.audit.held_back;
}

void Shard::send_piece(Session& session, const AuditStream::Piece& piece, Instant now) {
  const protocol::SnapshotHead heard = snapshot_head(session);
  const protocol::AuditHead head{
      .tick = static_cast<std::uint16_t>(room_.world().tick.value & 0xffff),
      .input_tick = heard.input_tick,
      .margin = heard.margin,
      .substituted = heard.substituted,
      .newest_packet = heard.newest_packet,
      .run = piece.run,
      .segment = piece.segment};
  const ConstBytes message = encoder_.audit(head, piece.bytes, status_for(session));
  const std::size_t bytes = message.size() + net::kPacketOverheadBytes;
  const bool paid = session.snapshot_bytes.take(kAuditBytes, now, static_cast<std::int64_t>(bytes));
  TICKBOX_ASSERT(paid);
  ++(piece.is_again ? metrics_.audit.sent_again : metrics_.audit.sent);
  metrics_.audit.bytes += bytes;
  send_packet(session, net::PacketType::Audit, message);
}

}  // namespace tickbox::server
