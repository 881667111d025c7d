// Traces of desyncs: receives the parts of a client's view, sends the room's state of it, and logs
// and counts the result.

#include "protocol/messages.h"
#include "server/shard/shard.h"

#include <fmt/core.h>

#include <bit>

namespace tickbox::server {

void Shard::on_trace(Session& session, const net::PacketChannel::Opened& opened, Instant now) {
  const auto part = protocol::decode_view_part(opened.message);
  if (!part) return metrics_.drops.count(part.error());
  const std::size_t bytes = opened.message.size() + net::kPacketOverheadBytes;
  const auto taken = tracer_.take(session, room_, *part, bytes, now);
  if (!taken) {
    if (taken.error().is_limited) metrics_.count(TraceResult::Limited);
    return metrics_.drops.count(taken.error().reason);
  }
  if (taken->is_forgotten) {
    metrics_.count(TraceResult::Forgotten);
    return send_packet(session, net::PacketType::Traced,
                       encoder_.view_part({.view = part->view, .parts = 0, .bodies = {}}));
  }
  while (const auto answer = tracer_.next_answer(session)) {
    send_packet(session, net::PacketType::Traced, encoder_.view_part(*answer));
  }
  if (taken->compared) note_compared(*taken->compared, now);
}

void Shard::note_compared(const protocol::Desync& desync, Instant now) {
  metrics_.count(TraceResult::Compared);
  log_.event(LogKind::Trace, Severity::Error, now,
             [&] { return "desync " + protocol::in_words(desync); });
  if (desyncs_ != nullptr) desyncs_->note(desync);
}

void Shard::note_unfinished(const DesyncTracer::Unfinished& trace, Instant now) {
  metrics_.count(TraceResult::Unfinished);
  log_.event(LogKind::Trace, Severity::Warning, now, [&] {
    return fmt::format(
        "desync_untraced seat={} tick={} server_hash={:08x} client_hash={:08x} parts={} of={}",
        trace.seat.value, trace.view.tick.value, trace.view.said, trace.view.made,
        std::popcount(trace.arrived), trace.parts);
  });
}

void Shard::expire_traces(Instant now) {
  while (const auto unfinished = tracer_.expire(now)) {
    note_unfinished(*unfinished, now);
  }
}

}  // namespace tickbox::server
