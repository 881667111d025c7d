#include "server/shard/audit_service.h"

#include "core/assert.h"
#include "server/shard/limits.h"

#include <algorithm>

namespace tickbox::server {
namespace {

bool audits(const Session* session) {
  return session != nullptr && session->mode == net::ConnectMode::Audit;
}

/// Returns whether a session of the seat audits, or is about to.
bool has_auditor(const Seat& seat) {
  return audits(seat.playing) || audits(seat.pending);
}

}  // namespace

AuditService::AuditService(ShardContext& context, std::span<HostedRoom> rooms, const SendPace& pace)
    : context_(context), rooms_(rooms), pace_(pace) {
  std::size_t seats = 0;
  for (const HostedRoom& room : rooms_) {
    seats = std::max(seats, room.world().seats().size());
  }
  entry_.reserve(protocol::tick_entry_bytes_of(rooms_.front().world().game(), seats));
}

std::optional<net::Refuse> AuditService::objection_to(std::uint8_t rights, const Seat* own) const {
  if ((rights & net::kRightToAudit) == 0) {
    return net::Refuse{.reason = net::RefuseReason::MayNotAudit};
  }
  std::uint32_t others = 0;
  for (HostedRoom& room : rooms_) {
    for (const Seat& seat : room.seats().all()) {
      if (&seat != own && has_auditor(seat)) ++others;
    }
  }
  if (others < kAuditorsMax) return std::nullopt;
  return net::Refuse{
      .reason = net::RefuseReason::AuditorsFull, .have = others, .limit = kAuditorsMax};
}

void AuditService::append(HostedRoom& room) {
  if (room.auditors() == 0) return;
  const engine::TickEntry tick = room.match().tick_entry();
  protocol::encode_tick_entry(tick.state_hash, tick.bytes, entry_);
  for (const Seat& seat : room.seats().all()) {
    match::AuditStream* stream = seat.playing != nullptr ? seat.playing->audit.get() : nullptr;
    if (stream == nullptr || !stream->is_running()) continue;
    if (!stream->append(entry_, tick.tick)) ++context_.metrics.audit.behind;
  }
}

void AuditService::on_ack(Session& session, const protocol::AuditAck& ack, Instant now) {
  if (session.audit == nullptr) return;
  session.audit->acknowledge(ack, now);
  if (!session.audit->requests_new_run(ack)) return;
  if (!session.limits.audit_runs.take(kAuditRunRequests, now)) {
    return context_.metrics.drops.count(net::DropReason::RateLimited);
  }
  session.audit->end();
  ++context_.metrics.audit.asked;
}

void AuditService::send(Session& session, Instant now) {
  match::AuditStream& stream = *session.audit;
  const Tick tick = session.room->tick();
  if (!stream.is_running()) begin_run(stream, *session.room);
  const std::int64_t quiet_interval = pace_.tick_rate / kQuietSnapshotsPerSecond;
  const bool is_due = pace_.has_turn(tick, session.player) &&
                      (stream.has_news() || tick - stream.cut_at() >= quiet_interval);
  while (session.limits.sent.available(kAuditBytes, now) >=
         static_cast<std::int64_t>(net::kDatagramBytesMax)) {
    const auto piece =
        stream.next(is_due ? match::AuditStream::Cut::All : match::AuditStream::Cut::Full, now);
    if (!piece) return;
    send_piece(session, *piece, now);
  }
  ++context_.metrics.audit.held_back;
}

void AuditService::begin_run(match::AuditStream& stream, HostedRoom& room) {
  const match::Match& match = room.match();
  match.tick_log().keyframe(match.world(), match.hash(), keyframe_);
  protocol::encode_keyframe_entry(keyframe_, entry_);
  stream.begin(entry_, room.tick());
  ++context_.metrics.audit.runs;
}

void AuditService::send_piece(Session& session, const match::AuditStream::Piece& piece,
                              Instant now) {
  const Tick tick = session.room->tick();
  const protocol::AuditHead head{
      .report = input_report(session, tick), .run = piece.run, .segment = piece.segment};
  const protocol::AuditExtras extras{.status = pace_.take_status(session, tick),
                                     .commands = take_command_ack(session)};
  const ConstBytes message =
      protocol::encode_audit(head, piece.bytes, extras, context_.message_buffer);
  const std::size_t bytes = message.size() + net::kPacketOverheadBytes;
  const bool paid = session.limits.sent.take(kAuditBytes, now, static_cast<std::int64_t>(bytes));
  TICKBOX_ASSERT(paid);
  AuditMetrics& audit = context_.metrics.audit;
  ++(piece.is_again ? audit.sent_again : audit.sent);
  audit.bytes += bytes;
  ++session.hashes_sent;
  context_.send(session, net::PacketType::Audit, message);
}

}  // namespace tickbox::server
