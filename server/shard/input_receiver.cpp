#include "server/shard/input_receiver.h"

#include "server/shard/desync_reports.h"
#include "server/shard/hosted_room.h"
#include "server/shard/limits.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {

std::expected<void, net::DropReason> InputReceiver::receive(
    Session& session, const net::PacketChannel::Opened& opened, const Arrival& arrival) {
  const auto decoded = protocol::decode_input(opened.message, session.room->tick(), message_);
  if (!decoded) return decoded;
  const GameTable& game = session.room->world().game();
  if (!inputs_.read(game, message_.inputs, protocol::kInputsPerMessageMax) ||
      !commands_.read(game, message_.commands)) {
    return std::unexpected(net::DropReason::Malformed);
  }
  const bool is_newest = opened.sequence == session.channel.received().newest();
  if (is_newest) {
    if (inputs_.size() > 0) {
      const auto last = static_cast<std::uint32_t>(inputs_.size() - 1);
      session.margin = margin_of(session, message_.first_tick + last, arrival);
      context_.metrics.input_margin.add(session.margin);
    }
    receive_acks(session, message_, arrival);
  }
  receive_inputs(session, is_newest ? InputBuffer::Packet::Newest : InputBuffer::Packet::Overtaken);
  receive_commands(session, arrival.now);
  count_mismatches(session, message_.mismatches, arrival.now);
  if (session.unlogged && arrival.now - session.unlogged->since >= kDesyncReportKept) {
    log_mismatch(context_.log, session, arrival.now);
  }
  return {};
}

/// Receives the acknowledgements of views and events. An acknowledgement of a view does not
/// count without the receipt of the view.
void InputReceiver::receive_acks(Session& session, const protocol::InputMessage& message,
                                 const Arrival& arrival) {
  Metrics& metrics = context_.metrics;
  const bool is_proven = message.view && session.snapshots.receipts.proves(*message.view);
  session.snapshots.events->acknowledge(message.events, is_proven ? message.view->tick : Tick{});
  if (!message.view) return receive_full_view_request(session, arrival.now);
  if (!is_proven) {
    ++metrics.snapshots.unproven;
    return;
  }
  const bool is_news = session.snapshots.receipts.on_proof(message.view->tick, arrival.at);
  const bool is_base = session.snapshots.views->acknowledge(message.view->tick);
  if (!is_news || !is_base) return;
  session.snapshots.base_age.on_acknowledged(message.view->tick, session.room->tick());
  if (const Instant* sent = session.room->sent_at(message.view->tick)) {
    // Nothing arrives before it was sent, except by a real-time clock that was set.
    const Duration round_trip = std::max(Duration::zero(), arrival.at - *sent);
    const auto rtt = std::chrono::duration_cast<std::chrono::microseconds>(round_trip).count();
    metrics.client_rtt.add(rtt);
    session.rtt_us = session.rtt_us == 0 ? rtt : session.rtt_us + (rtt - session.rtt_us) / 8;
    session.is_far = std::chrono::microseconds{session.rtt_us} >=
                     (session.is_far ? kNearRoundTrip : kFarRoundTrip);
  }
}

/// A client that holds no view requests a full one, if it has acknowledged a view before.
void InputReceiver::receive_full_view_request(Session& session, Instant now) {
  if (!session.snapshots.views->has_acknowledged()) return;
  if (!session.limits.full_views.consume(kFullViewRequests, now)) {
    return context_.metrics.drops.count(net::DropReason::RateLimited);
  }
  session.snapshots.views->clear_base();
  ++context_.metrics.snapshots.asked;
}

void InputReceiver::receive_inputs(Session& session, InputBuffer::Packet packet) {
  Tick tick = message_.first_tick;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    switch (session.inputs->push(tick, inputs_[i], packet)) {
      case InputBuffer::Pushed::TooLate:
        ++session.late;
        context_.metrics.count(InputResult::Late);
        break;
      case InputBuffer::Pushed::TooEarly:
        context_.metrics.count(InputResult::TooEarly);
        break;
      case InputBuffer::Pushed::Replaced:
        context_.metrics.count(InputResult::Replaced);
        break;
      case InputBuffer::Pushed::Stored:
      case InputBuffer::Pushed::Ignored:
        break;
    }
    tick = tick + 1;
  }
}

/// Receives the commands that follow those taken before; the client repeats the others.
void InputReceiver::receive_commands(Session& session, Instant now) {
  if (commands_.size() == 0) return;
  session.owes_command_ack = true;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const auto number = static_cast<std::uint16_t>(commands_.first() + i);
    if (number != static_cast<std::uint16_t>(session.commands + 1)) continue;
    if (!session.limits.commands.consume(kCommandsOfSession, now)) return;
    session.room->add_command(session.player, commands_[i]);
    session.commands = number;
    ++context_.metrics.commands;
  }
}

/// Notes only the first mismatch of a client in its seat for the log. Counts all of them, but no
/// more than the hashes that were sent to the client since its last report. `reported`: the
/// client's count, which only grows; smaller if packets arrived out of order.
void InputReceiver::count_mismatches(Session& session, std::uint32_t reported, Instant now) {
  if (reported <= session.mismatches) return;
  if (!std::exchange(session.room->seats().seat_of(session.player).has_reported, true)) {
    ++context_.metrics.mismatch_reporters;
    session.unlogged = {.tick = session.room->tick(), .since = now};
  }
  context_.metrics.hash_mismatches +=
      std::min(reported - session.mismatches, std::exchange(session.hashes_sent, 0U));
  session.mismatches = reported;
}

/// Returns how long before its use an input arrived, in 1/16 ticks: the ticks until it is stepped,
/// and the rest of the present one.
std::int16_t InputReceiver::margin_of(const Session& session, Tick newest,
                                      const Arrival& arrival) const {
  const std::int64_t period = tick_duration(tick_rate_).count();
  const std::int64_t ticks = newest - (session.room->tick() + 1);
  const std::int64_t sixteenths =
      ticks * 16 + (arrival.next_deadline - arrival.at).count() * 16 / period;
  return static_cast<std::int16_t>(std::clamp<std::int64_t>(sixteenths, INT16_MIN, INT16_MAX));
}

}  // namespace tickbox::server
