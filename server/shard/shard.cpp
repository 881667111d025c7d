#include "server/shard/shard.h"

#include "core/assert.h"
#include "net/handshake.h"
#include "protocol/cause_codec.h"
#include "protocol/event_codec.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tickbox::server {
namespace {

/// The time between two reports to a client about its packets.
constexpr std::uint32_t kStatusSeconds = 2;

/// Returns by how much a count that only grows has grown; 0 if packets arrived out of order.
std::uint32_t grown(std::uint32_t before, std::uint32_t now) {
  return now > before ? now - before : 0;
}

}  // namespace

Shard::Shard(const ShardOptions& options, const ShardParts& parts, Instant now)
    : options_(options),
      transport_(parts.transport),
      entropy_(parts.entropy),
      log_(parts.log),
      room_(parts.room),
      recorder_(parts.recorder),
      black_box_(parts.black_box),
      desyncs_(parts.desyncs),
      map_hash_(game::map_hash(*room_.world().map())),
      began_{.instant = now, .today = parts.calendar.now()},
      reception_(options.reception, parts.entropy, began_),
      seats_(options.max_clients),
      lag_compensation_(options.tick_rate),
      notices_(options.sight),
      planner_(options.sight),
      drops_logged_at_(now),
      listened_(now) {
  TICKBOX_ASSERT(options.max_clients <= room_.world().seats().size());
  audit_entry_.reserve(protocol::tick_entry_bytes_max(room_.world().seats().size()));
  metrics_.tick_rate = options.tick_rate;
  metrics_.clients_max = options.max_clients;
  metrics_.rooms = 1;
}

// --- receive ---

void Shard::receive(Instant now, Instant next_deadline) {
  for (std::size_t taken = 0; taken < kDatagramsPerReceive && taken_in_tick_ < kDatagramsPerTick;
       ++taken) {
    const std::optional<net::Datagram> datagram = transport_.receive();
    if (!datagram) return;
    ++taken_in_tick_;
    ++metrics_.traffic.packets_in;
    metrics_.traffic.bytes_in += datagram->bytes.size();
    on_datagram(*datagram, {.now = now, .next_deadline = next_deadline});
  }
}

void Shard::on_datagram(const net::Datagram& datagram, const Arrival& arrival) {
  if (datagram.bytes.size() > net::kDatagramBytesMax) {
    return metrics_.drops.count(net::DropReason::TooLong);
  }
  if (datagram.bytes.size() < net::kPacketOverheadBytes) {
    return metrics_.drops.count(net::DropReason::TooShort);
  }
  const std::optional<net::PacketType> type = net::packet_type(datagram.bytes);
  if (type == net::PacketType::Hello || type == net::PacketType::Connect ||
      type == net::PacketType::Resume) {
    on_stranger(datagram, arrival.now);
  } else if (type && net::travels_sealed(*type, net::Direction::ToServer)) {
    on_packet(datagram, arrival);
  } else {
    metrics_.drops.count(net::DropReason::UnknownType);
  }
}

void Shard::on_packet(const net::Datagram& datagram, const Arrival& arrival) {
  const std::uint32_t connection = net::packet_connection(datagram.bytes);
  Session* session = seats_.find(connection);
  if (session == nullptr) {
    // A client sends its DISCONNECT three times: the second and third copy are normal.
    if (seats_.has_departed(connection, datagram.from, arrival.now)) return;
    return metrics_.drops.count(net::DropReason::UnknownConnection);
  }
  const bool from_elsewhere = session->route.peer != datagram.from;
  if (from_elsewhere && !reception_.may_open_moved(datagram.from, arrival.now)) {
    return metrics_.drops.count(net::DropReason::RateLimited);
  }
  const auto opened = session->channel.open_packet(datagram.bytes, opened_);
  if (!opened) return metrics_.drops.count(opened.error());
  const bool is_newest = opened->sequence == session->channel.received().newest();
  const auto size = static_cast<std::int64_t>(datagram.bytes.size());
  if (!session->packets.take(packets_of_session(options_.tick_rate), arrival.now) ||
      !session->bytes.take(bytes_of_session(options_.tick_rate), arrival.now, size)) {
    return metrics_.drops.count(net::DropReason::RateLimited);
  }
  session->heard = arrival.now;
  if (session->state == Session::State::Accepted) begin_to_play(*session, arrival.now);
  if (from_elsewhere && is_newest) {
    check_path(*session, datagram, arrival.now);
  } else if (is_newest) {
    session->path = std::nullopt;  // the client is at its old address
  }
  if (opened->type == net::PacketType::Response) {
    on_response(*session, datagram.from, opened->message, arrival.now);
  } else {
    on_message(*session, *opened, arrival);
  }
}

void Shard::on_message(Session& session, const net::PacketChannel::Opened& opened,
                       const Arrival& arrival) {
  if (opened.type == net::PacketType::Disconnect) {
    if (const auto reason = protocol::decode_disconnect(opened.message); !reason) {
      return metrics_.drops.count(reason.error());
    }
    return close(session, net::DisconnectReason::ClientLeft, arrival.now);
  }
  if (opened.type == net::PacketType::Trace) return on_trace(session, opened, arrival.now);
  const auto message = protocol::decode_input(opened.message);
  if (!message) return metrics_.drops.count(message.error());
  if (opened.sequence == session.channel.received().newest() && !message->inputs.empty()) {
    const auto last = static_cast<std::uint32_t>(message->inputs.size() - 1);
    session.margin = margin_of(message->first_tick + last, arrival);
    metrics_.input_margin.add(session.margin);
  }
  if (opened.sequence == session.channel.received().newest()) {
    on_acks(session, *message, arrival.now);
    if (message->audit) on_audit_ack(session, *message->audit, arrival.now);
  }
  on_inputs(session, *message, arrival.now);
}

/// A client without a view sends 0: if it had one before, it requests a full view with this.
void Shard::on_acks(Session& session, const protocol::InputMessage& message, Instant now) {
  session.events.acknowledge(message.events, message.newest_snapshot);
  if (message.newest_snapshot.value != 0) {
    const bool is_news = session.views->acknowledge(message.newest_snapshot);
    if (const Instant* sent = is_news ? sent_at_.find(message.newest_snapshot) : nullptr) {
      metrics_.client_rtt.add(
          std::chrono::duration_cast<std::chrono::microseconds>(now - *sent).count());
    }
  } else if (session.views->has_acknowledged()) {
    if (!session.full_views.take(kFullViewRequests, now)) {
      return metrics_.drops.count(net::DropReason::RateLimited);
    }
    session.views->forget();
    ++metrics_.snapshots.asked;
  }
}

void Shard::on_inputs(Session& session, const protocol::InputMessage& message, Instant now) {
  Tick tick = message.first_tick;
  for (const game::Input& input : message.inputs) {
    switch (session.inputs.push(tick, input)) {
      case InputBuffer::Pushed::TooLate:
        ++session.late;
        metrics_.count(InputResult::Late);
        break;
      case InputBuffer::Pushed::TooEarly:
        metrics_.count(InputResult::TooEarly);
        break;
      case InputBuffer::Pushed::Stored:
      case InputBuffer::Pushed::Repeated:
        break;
    }
    tick = tick + 1;
  }
  const std::uint32_t more = grown(session.mismatches, message.mismatches);
  if (more > 0 && session.mismatches == 0) {
    // Only the first mismatch of a session is logged; the counter has all of them.
    log_.event(LogKind::Mismatch, Severity::Error, now, [&] {
      return fmt::format("state_hash_mismatch seat={} tick={}", session.seat.value,
                         room_.world().tick.value);
    });
  }
  session.mismatches += more;
  metrics_.hash_mismatches += more;
}

/// Returns how long before its use an input arrived, in 1/16 ticks: the ticks until it is stepped,
/// and the rest of the present one.
std::int16_t Shard::margin_of(Tick newest, const Arrival& arrival) const {
  const std::int64_t period = tick_duration(options_.tick_rate).count();
  const std::int64_t ticks = newest - (room_.world().tick + 1);
  const std::int64_t sixteenths =
      ticks * 16 + (arrival.next_deadline - arrival.now).count() * 16 / period;
  return static_cast<std::int16_t>(std::clamp<std::int64_t>(sixteenths, INT16_MIN, INT16_MAX));
}

// --- tick ---

void Shard::tick(Instant now) {
  taken_in_tick_ = 0;
  forgive_stall(now);
  close_silent_sessions(now);
  expire_traces(now);
  log_drops(now);
  refusals_.write(log_, now);
  gather_commands();
  const game::TickCommands commands{.leaves = left_,
                                    .joins = joins_,
                                    .inputs = inputs_,
                                    .strikes = lag_compensation_.judge(room_, inputs_)};
  if (black_box_ != nullptr) black_box_->prepare(room_);
  room_.log_commands(commands, {.sources = sources_, .clients = clients_joining_});
  if (black_box_ != nullptr) black_box_->stepping(room_.log());
  room_.tick(commands);
  if (black_box_ != nullptr) black_box_->stepped(room_);
  announce();
  if (recorder_ != nullptr) recorder_->ticked(room_);
  tell_auditors();
  left_.clear();
  ++metrics_.ticks;
  metrics_.audit.auditors = auditors_;
  metrics_.clients = clients_;
  metrics_.entities = room_.entities().size();
}

/// Queues the events of the room's last tick for the clients that saw them or that they concern.
/// Auditors step the tick themselves.
void Shard::announce() {
  notices_.gather(room_, joins_);
  if (notices_.all().empty()) return;
  for (const Seat& seat : seats_.all()) {
    if (!seat.playing || !seat.in_world || has_auditor(seat)) continue;
    const BodyId body = room_.world().body_of(seat.player);
    const Vec2 place = room_.world().physics().find(body)->min;
    for (const Notice& notice : notices_.all()) {
      if (!notices_.reaches(notice, seat.player, place)) continue;
      const bool waits = seats_.playing(seat)->events.add(room_.world().tick, notice.event);
      ++(waits ? metrics_.events.told : metrics_.events.lost);
    }
  }
}

void Shard::log_drops(Instant now) {
  if (now - drops_logged_at_ < kCountInterval) return;
  for (std::size_t i = 0; i < net::kDropReasons; ++i) {
    const auto reason = static_cast<net::DropReason>(i);
    const std::uint64_t more = metrics_.drops.of(reason) - drops_logged_.of(reason);
    if (more == 0) continue;
    log_.event(LogKind::Dropped, Severity::Info, now, [&] {
      return fmt::format("datagrams_dropped reason={} count={}", net::name_of(reason), more);
    });
  }
  drops_logged_ = metrics_.drops;
  drops_logged_at_ = now;
}

/// Gathers the commands of the next tick. Seats are in order, so every list is sorted by player;
/// leaves were gathered as they happened, so they are sorted here.
void Shard::gather_commands() {
  std::ranges::sort(left_);
  auditors_ = 0;
  joins_.clear();
  clients_joining_.clear();
  inputs_.clear();
  sources_.clear();
  const Tick next = room_.world().tick + 1;
  for (Seat& seat : seats_.all()) {
    if (seat.playing || seat.orphaned) take_input(seat, next);
  }
}

/// A body whose client is gone gets the neutral input.
void Shard::take_input(Seat& seat, Tick next) {
  TakenInput taken;
  if (!seat.in_world) {
    seat.in_world = true;
    joins_.push_back(seat.player);
    clients_joining_.push_back(seat.client);
  }
  if (Session* session = seats_.playing(seat)) {
    taken = session->inputs.take(next);
    const bool is_given = taken.source == game::InputSource::Received;
    session->substituted = static_cast<std::uint8_t>(session->substituted + (is_given ? 0 : 1));
    if (session->audit != nullptr) ++auditors_;
  }
  metrics_.count(taken.source == game::InputSource::Received ? InputResult::Given
                                                             : InputResult::Substituted);
  inputs_.push_back({.player = seat.player, .input = taken.input});
  sources_.push_back(taken.source);
}

// --- send ---

void Shard::send(Instant now) {
  planner_.look(room_);
  sent_at_.insert(room_.world().tick) = now;
  for (Seat& seat : seats_.all()) {
    if (!seat.playing || !seat.in_world) continue;
    Session& session = *seats_.playing(seat);
    if (session.audit != nullptr) {
      send_audit(session, now);
    } else {
      send_snapshot(session, now);
    }
  }
}

/// Returns whether it is a client's turn: clients take turns if snapshots are rarer than ticks.
bool Shard::has_turn(const Session& session) const {
  const std::uint64_t rate = options_.snapshot_rate;
  const std::uint64_t turn = std::uint64_t{room_.world().tick.value} + session.seat.value;
  return rate == 0 || turn * rate / options_.tick_rate != (turn - 1) * rate / options_.tick_rate;
}

bool Shard::is_due(const Session& session, const ViewMembers* base) const {
  const Tick tick = room_.world().tick;
  if (!has_turn(session)) return false;
  const std::uint32_t full_interval = options_.tick_rate / kFullViewsPerSecond;
  return base != nullptr || session.last_snapshot.value == 0 ||
         tick - session.last_snapshot >= full_interval;
}

void Shard::send_snapshot(Session& session, Instant now) {
  const Tick tick = room_.world().tick;
  const ViewMembers* base = session.views->base(tick);
  const std::int64_t bytes = session.snapshot_bytes.available(options_.snapshot_bytes, now);
  if (!is_due(session, base)) return;
  if (bytes < static_cast<std::int64_t>(kSnapshotBytesMin)) {
    ++metrics_.snapshots.held_back;
    return;
  }
  const std::size_t own = room_.world().index_of(room_.world().body_of(session.seat));
  TICKBOX_ASSERT(own != room_.world().size());
  const std::size_t events = std::min(session.events.due(tick), protocol::kSnapshotEventsMax);
  const ViewRequest request{
      .own = static_cast<std::uint32_t>(own),
      .base = base,
      .base_tick = base != nullptr ? session.views->base_tick() : tick,
      .bytes_max = std::min(net::kDatagramBytesMax, static_cast<std::size_t>(bytes)),
      .bytes_kept = protocol::event_part_bytes(protocol::event_bytes_max(events))};
  const ViewPlan plan =
      planner_.plan(request, session.waiters, snapshot_, session.views->add(tick));
  if (!plan.fits) {
    session.views->withdraw(tick);
    ++metrics_.snapshots.held_back;
    return;
  }
  const std::uint32_t quiet_interval = options_.tick_rate / kQuietSnapshotsPerSecond;
  if (!plan.has_news && events == 0 && tick - session.last_snapshot < quiet_interval) {
    session.views->withdraw(tick);
    ++metrics_.snapshots.quiet;
    return;
  }
  snapshot_.head = snapshot_head(session);
  snapshot_.head.view_hash = static_cast<std::uint32_t>(plan.view_hash & 0xffff'ffff);
  snapshot_.head.tick = static_cast<std::uint16_t>(tick.value & 0xffff);
  snapshot_.head.base_age =
      plan.on_base ? static_cast<std::uint8_t>(tick - request.base_tick) : std::uint8_t{0};
  snapshot_.status = status_for(session);
  snapshot_.events.clear();
  session.events.tell(tick, events, snapshot_.events);
  session.last_snapshot = tick;
  const ConstBytes message = encoder_.snapshot(snapshot_);
  const bool paid = session.snapshot_bytes.take(
      options_.snapshot_bytes, now,
      static_cast<std::int64_t>(message.size() + net::kPacketOverheadBytes));
  TICKBOX_ASSERT(paid);
  count_snapshot(session, plan, message.size());
  send_packet(session, net::PacketType::Snapshot, message);
}

/// Returns the report about the client's packets, if it is due.
std::optional<protocol::LinkStatus> Shard::status_for(Session& session) const {
  const Tick tick = room_.world().tick;
  if (tick - session.last_status < std::int64_t{options_.tick_rate} * kStatusSeconds) {
    return std::nullopt;
  }
  session.last_status = tick;
  return link_status(session);
}

void Shard::count_snapshot(const Session& session, const ViewPlan& plan,
                           std::size_t message_bytes) {
  SnapshotMetrics& snapshots = metrics_.snapshots;
  ++(plan.on_base ? snapshots.on_base : snapshots.full);
  (plan.on_base ? snapshots.on_base_sizes : snapshots.full_sizes)
      .add(static_cast<std::int64_t>(message_bytes + net::kPacketOverheadBytes));
  snapshots.waiting += session.waiters.size();
  snapshots.deferred += plan.deferred;
  snapshots.members += plan.members;
  const std::size_t leaves = snapshot_.causes.leaves.size();
  const std::size_t causes = protocol::encoded_bytes(snapshot_.causes) - leaves;
  const std::size_t bodies = plan.enter_bytes + plan.set_bytes;
  snapshots.add(SnapshotPart::Packet, net::kPacketOverheadBytes);
  const std::size_t events = protocol::event_part_bytes(protocol::encoded_bytes(snapshot_.events));
  snapshots.add(SnapshotPart::Frame, message_bytes - causes - leaves - bodies - events);
  snapshots.add(SnapshotPart::Causes, causes);
  snapshots.add(SnapshotPart::Enters, plan.enter_bytes);
  snapshots.add(SnapshotPart::Sets, plan.set_bytes);
  snapshots.add(SnapshotPart::Leaves, leaves);
  snapshots.add(SnapshotPart::Events, events);
}

void Shard::send_packet(Session& session, net::PacketType type, ConstBytes message) {
  transmit(session.route, session.channel.seal_packet(type, message, packet_));
}

void Shard::transmit(const net::Route& route, ConstBytes datagram) {
  ++metrics_.traffic.packets_out;
  metrics_.traffic.bytes_out += datagram.size();
  transport_.send(route, datagram);
}

}  // namespace tickbox::server
