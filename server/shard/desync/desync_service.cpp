#include "server/shard/desync/desync_service.h"

#include "protocol/messages.h"
#include "server/shard/hosted_room.h"

#include <fmt/core.h>

#include <bit>

namespace tickbox::server {

void log_mismatch(LimitedLog& log, Session& session, Instant now) {
  if (!session.unlogged) return;
  log.event(LogKind::Mismatch, Severity::Error, now, [&] {
    return LogEvent{"state_hash_mismatch",
                    {{"room", session.room->id().value},
                     {"seat", session.player.value},
                     {"tick", session.unlogged->tick.value}}};
  });
  session.unlogged.reset();
}

std::expected<void, net::DropReason> DesyncService::receive(
    Session& session, const net::PacketChannel::Opened& opened, Instant now) {
  Metrics& metrics = context_.metrics;
  const auto part = protocol::decode_view_part(opened.message);
  if (!part) return std::unexpected(part.error());
  const std::size_t bytes = opened.message.size() + net::kPacketOverheadBytes;
  auto taken = reports_.receive(session, session.room->match(), *part, bytes, now);
  if (!taken) {
    if (taken.error().is_limited) metrics.count(DesyncResult::Limited);
    return std::unexpected(taken.error().reason);
  }
  const auto encode = [&](const protocol::ViewPart& answer) {
    return protocol::encode_view_part(answer, context_.message_buffer);
  };
  if (taken->is_forgotten) {
    metrics.count(DesyncResult::Forgotten);
    const ConstBytes answer = encode({.view = part->view, .parts = 0, .bytes = {}});
    if (answer.size() + net::kPacketOverheadBytes > bytes) {
      return std::unexpected(net::DropReason::Malformed);
    }
    context_.send(session, net::PacketType::DesyncState, answer);
    return {};
  }
  session.unlogged.reset();  // the report has a line when it ends
  while (const auto next = reports_.next_answer(session)) {
    context_.send(session, net::PacketType::DesyncState, encode(*next));
  }
  if (!taken->compared) return {};
  taken->compared->client = session.room->seats().seat_of(session.player).client;
  record_compared(*taken->compared, now);
  return {};
}

void DesyncService::end(Session& session, Instant now) {
  if (const auto unfinished = reports_.remove(session)) record_unfinished(*unfinished, now);
  log_mismatch(context_.log, session, now);
}

void DesyncService::expire(Instant now) {
  while (const auto unfinished = reports_.expire(now)) {
    record_unfinished(*unfinished, now);
  }
}

void DesyncService::record_compared(const desync::Desync& desync, Instant now) {
  context_.metrics.count(DesyncResult::Compared);
  context_.log.event(LogKind::Desync, Severity::Error, now,
                     [&] { return LogEvent{"desync", desync::fields_of(desync)}; });
  if (sink_ != nullptr) sink_->record(desync);
}

void DesyncService::record_unfinished(const DesyncReports::Unfinished& report, Instant now) {
  context_.metrics.count(DesyncResult::Unfinished);
  context_.log.event(LogKind::Desync, Severity::Warning, now, [&] {
    return LogEvent{"desync_unfinished",
                    {{"room", report.room.value},
                     {"seat", report.seat.value},
                     {"tick", report.view.tick.value},
                     {"server_hash", fmt::format("{:08x}", report.view.server_hash)},
                     {"client_hash", fmt::format("{:08x}", report.view.client_hash)},
                     {"parts", std::popcount(report.arrived)},
                     {"of", report.parts}}};
  });
}

}  // namespace tickbox::server
