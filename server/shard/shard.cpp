#include "server/shard/shard.h"

#include "core/assert.h"
#include "core/processor.h"
#include "engine/log/words.h"
#include "net/handshake.h"
#include "protocol/messages.h"
#include "server/shard/desync_reports.h"
#include "server/shard/hosted_room.h"
#include "server/shard/limits.h"
#include "server/shard/paced_logs.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

namespace tickbox::server {
namespace {

SendPace pace_of(const ShardOptions& options) {
  return {.tick_rate = options.tick_rate,
          .snapshot_rate = options.snapshot_rate,
          .snapshot_rate_far = options.snapshot_rate_far,
          .plan_work = options.plan_work};
}

/// Returns `[{"seat":3,"client":"7"},…]` of the players in a room. An id is text, because not every
/// reader of JSON represents 64 bits.
std::string players_json(const HostedRoom& room) {
  std::string players = "[";
  for (const Seat& seat : room.seats().all()) {
    if (!seat.in_world) continue;
    players += fmt::format(R"({}{{"seat":{},"client":"{}"}})", players.size() > 1 ? "," : "",
                           seat.player.value, seat.client);
  }
  return players + "]";
}

}  // namespace

Shard::Shard(const ShardOptions& options, const ShardParts& parts, Instant now)
    : transport_(parts.transport),
      began_{.instant = now, .today = parts.calendar.now()},
      context_(parts.transport, parts.entropy, parts.log),
      options_(options),
      admission_(options.admission, parts.entropy, began_),
      desyncs_(context_, parts.desyncs),
      lifecycle_(context_, {sessions_, rooms_, admission_, desyncs_}, options.tick_rate, now),
      connects_(context_, {rooms_, admission_, sessions_, lifecycle_}, options.tick_rate,
                options.best_cipher),
      paths_(context_, sessions_),
      inputs_(context_, options.tick_rate),
      replicator_(context_, pace_of(options), options.snapshot_bytes),
      results_(context_, parts.calendar, parts.results),
      load_(options.tick_rate, options.plan_work / options.tick_rate),
      drops_logged_at_(now) {
  context_.metrics.tick_rate = options.tick_rate;
  for (const RoomParts& room : parts.rooms) {
    open_room(room);
  }
}

void Shard::open_room(const RoomParts& parts) {
  TICKBOX_ASSERT(parts.id != RoomId{} &&
                 std::ranges::find(rooms_, parts.id, &HostedRoom::id) == rooms_.end());
  rooms_.emplace_back(parts, options_.max_clients, options_.tick_rate);
  sessions_.grow(kSessionsPerSeat * options_.max_clients * rooms_.size());
  admission_.add_room(parts.id);
}

bool Shard::close_room(RoomId id, Instant now) {
  const auto room = std::ranges::find(rooms_, id, &HostedRoom::id);
  if (room == rooms_.end()) return false;
  lifecycle_.end_room(*room, now);
  admission_.remove_room(id);
  rooms_.erase(room);
  return true;
}

std::optional<RoomId> Shard::find_empty_room(Instant now) {
  const auto room =
      std::ranges::find_if(rooms_, [now](HostedRoom& each) { return each.poll_empty(now); });
  if (room == rooms_.end()) return std::nullopt;
  return room->id();
}

void Shard::copy_rooms(std::vector<RoomStatus>& to) const {
  to.resize(rooms_.size());
  auto status = to.begin();
  for (const HostedRoom& room : rooms_) {
    const engine::World& world = room.world();
    status->id = room.id();
    status->game = &world.game();
    status->map = world.map();
    status->tick = room.tick();
    status->players = room.seats().playing();
    status->seats_held = room.seats().held();
    status->seats = room.seats().count();
    status->entities_of_kind.fill(0);
    for (std::size_t kind = 0; kind < world.game().kinds.size(); ++kind) {
      status->entities_of_kind[kind] = world.rows_of_kind(kind);
    }
    ++status;
  }
}

std::uint64_t Shard::entities() const {
  std::uint64_t entities = 0;
  for (const HostedRoom& room : rooms_) {
    entities += room.world().size();
  }
  return entities;
}

void Shard::copy_clients(std::vector<ClientStatus>& to, Instant now) const {
  to.clear();
  for (const HostedRoom& room : rooms_) {
    for (const Seat& seat : room.seats().all()) {
      if (seat.playing == nullptr) continue;
      const Session& session = *seat.playing;
      const net::ReplayWindow& received = session.channel.received();
      to.push_back({.client = seat.client,
                    .room = room.id(),
                    .seat = seat.player,
                    .played = now - session.began,
                    .rtt_us = session.rtt_us,
                    .packets_sent = received.newest(),
                    .packets_received = received.count(),
                    .snapshots = session.snapshots.sent,
                    .snapshot_bytes = session.snapshots.bytes,
                    .margin = session.margin,
                    .late = session.late,
                    .substituted = session.substituted,
                    .mismatches = session.mismatches});
    }
  }
}

void Shard::copy_seat_holders(std::vector<std::uint64_t>& to) const {
  to.clear();
  for (const HostedRoom& room : rooms_) {
    for (const Seat& seat : room.seats().all()) {
      if (seat.held) to.push_back(seat.client);
    }
  }
}

std::uint32_t Shard::seats_held() const {
  std::uint32_t held = 0;
  for (const HostedRoom& room : rooms_) {
    held += room.seats().held();
  }
  return held;
}

// --- who may play ---

std::size_t Shard::set_keys(net::KeyRing keys, Instant now) {
  const std::vector<std::uint32_t> removed = admission_.set_keys(std::move(keys));
  return lifecycle_.kick(
      [&](std::uint64_t /*client*/, std::uint32_t key_id) {
        return std::ranges::find(removed, key_id) != removed.end();
      },
      now);
}

std::size_t Shard::set_denied(DenyList denied, Instant now) {
  admission_.set_denied(std::move(denied));
  return lifecycle_.kick(
      [this](std::uint64_t client, std::uint32_t /*key_id*/) { return admission_.denies(client); },
      now);
}

std::size_t Shard::kick(std::uint64_t client, Instant now) {
  return lifecycle_.kick(
      [client](std::uint64_t each, std::uint32_t /*key_id*/) { return each == client; }, now);
}

// --- receive ---

void Shard::receive(Instant now, Instant next_deadline) {
  Traffic& traffic = context_.metrics.traffic;
  for (std::size_t taken = 0; taken < kDatagramsPerReceive && taken_in_tick_ < kDatagramsPerTick;
       ++taken) {
    const std::optional<net::Datagram> datagram = transport_.receive();
    if (!datagram) break;
    ++taken_in_tick_;
    ++traffic.packets_in;
    traffic.bytes_in += datagram->bytes.size();
    on_datagram(*datagram,
                {.at = now - datagram->waited, .now = now, .next_deadline = next_deadline});
  }
  transport_.flush();
}

void Shard::on_datagram(const net::Datagram& datagram, const Arrival& arrival) {
  net::DropCounts& drops = context_.metrics.drops;
  // Nobody has port 0, and an answer to it fails.
  if (datagram.from.port == 0) return drops.count(net::DropReason::Unexpected);
  if (datagram.bytes.size() > net::kDatagramBytesMax) return drops.count(net::DropReason::TooLong);
  if (datagram.bytes.size() < net::kPacketOverheadBytes) {
    return drops.count(net::DropReason::TooShort);
  }
  const std::optional<net::PacketType> type = net::packet_type(datagram.bytes);
  if (type == net::PacketType::Hello || type == net::PacketType::Connect ||
      type == net::PacketType::Resume) {
    connects_.receive(datagram, {.instant = arrival.now, .today = today(arrival.now)});
  } else if (type && net::travels_sealed(*type, net::Direction::ToServer)) {
    on_packet(datagram, arrival);
  } else {
    drops.count(net::DropReason::UnknownType);
  }
}

void Shard::on_packet(const net::Datagram& datagram, const Arrival& arrival) {
  net::DropCounts& drops = context_.metrics.drops;
  const std::uint32_t connection = net::packet_connection(datagram.bytes);
  Session* session = sessions_.find(connection);
  if (session == nullptr) {
    // A client sends its DISCONNECT three times: the second and third copy are normal.
    if (sessions_.has_departed(connection, datagram.from, arrival.now)) return;
    return drops.count(net::DropReason::UnknownConnection);
  }
  prefetch(session, sizeof(Session));  // the packet is opened meanwhile
  const bool from_elsewhere = session->route.peer != datagram.from;
  if (from_elsewhere) {
    const auto fresh = session->channel.check_packet(datagram.bytes);
    if (!fresh) return drops.count(fresh.error());
    if (!session->limits.opens_elsewhere.consume(kOpensOfSession, arrival.now) ||
        !admission_.may_open_moved(datagram.from, arrival.now)) {
      return drops.count(net::DropReason::RateLimited);
    }
  }
  const auto opened = session->channel.open_packet(datagram.bytes, opened_);
  if (!opened) return drops.count(opened.error());
  const bool is_newest = opened->sequence == session->channel.received().newest();
  const auto size = static_cast<std::int64_t>(datagram.bytes.size());
  if (!session->limits.packets.consume(packets_of_session(options_.tick_rate), arrival.now) ||
      !session->limits.bytes.consume(bytes_of_session(options_.tick_rate), arrival.now, size)) {
    return drops.count(net::DropReason::RateLimited);
  }
  session->heard = arrival.now;
  session->snapshots.receipts.on_received(datagram.bytes.size());
  if (session->state == Session::State::Accepted) {
    if (const auto refusal = refusal_in(*opened)) {
      return connects_.on_refused(*session, *refusal, arrival.now);
    }
    lifecycle_.begin_to_play(*session, arrival.now);
  }
  paths_.on_packet(*session, datagram, is_newest, arrival.now);
  const auto taken = on_message(*session, datagram, *opened, arrival);
  if (taken) return;
  drops.count(taken.error());
  if (taken.error() == net::DropReason::Malformed) on_malformed(*session, arrival.now);
}

/// Returns why a client refuses its session, if the packet says so.
std::optional<net::RefuseReason> Shard::refusal_in(const net::PacketChannel::Opened& opened) {
  if (opened.type != net::PacketType::Disconnect) return std::nullopt;
  const auto reason = protocol::decode_disconnect(opened.message);
  return reason ? net::refusal_in(*reason) : std::nullopt;
}

/// No link damages a message behind its seal: its sender is hostile or broken.
void Shard::on_malformed(Session& session, Instant now) {
  if (++session.malformed < kMalformedMax) return;
  lifecycle_.close(session, net::DisconnectReason::Kicked, now);
}

std::expected<void, net::DropReason> Shard::on_message(Session& session,
                                                       const net::Datagram& datagram,
                                                       const net::PacketChannel::Opened& opened,
                                                       const Arrival& arrival) {
  switch (opened.type) {
    case net::PacketType::Input:
      return inputs_.receive(session, opened, arrival);
    case net::PacketType::Response:
      return paths_.on_response(session, datagram.from, opened.message, arrival.at);
    case net::PacketType::Disconnect:
      return on_disconnect(session, opened.message, arrival.now);
    case net::PacketType::DesyncReport:
      return desyncs_.receive(session, opened, arrival.now);
    case net::PacketType::Hello:
    case net::PacketType::Cookie:
    case net::PacketType::Connect:
    case net::PacketType::Accept:
    case net::PacketType::Resume:
    case net::PacketType::Refuse:
    case net::PacketType::Snapshot:
    case net::PacketType::Challenge:
    case net::PacketType::Drain:
    case net::PacketType::DesyncState:
      break;  // a server opens none of these
  }
  TICKBOX_ASSERT(net::travels_sealed(opened.type, net::Direction::ToServer));
  return {};
}

std::expected<void, net::DropReason> Shard::on_disconnect(Session& session, ConstBytes message,
                                                          Instant now) {
  const auto reason = protocol::decode_disconnect(message);
  if (!reason) return std::unexpected(reason.error());
  lifecycle_.close(session, net::DisconnectReason::ClientLeft, now);
  return {};
}

// --- tick ---

void Shard::tick(Instant now) {
  taken_in_tick_ = 0;
  lifecycle_.expire(now);
  desyncs_.expire(now);
  log_drops(now);
  connects_.log_refusals(now);
  Metrics& metrics = context_.metrics;
  ++metrics.ticks;
  metrics.clients = clients();
  for (HostedRoom& room : rooms_) {
    if (room.poll_frozen(now)) continue;
    // Ends the match one tick after the game has closed the room: the snapshots of the closing tick
    // are sent first, to the clients whose turn it is.
    if (room.closes_match()) lifecycle_.end_match(room, now);
    room.step(metrics);
    if (!room.is_idle()) {
      replicator_.queue_events(room);
      results_.publish(room, now);
    }
  }
  if (!stopping()) stop_at_end(now);
}

void Shard::stop_at_end(Instant now) {
  const auto over = std::ranges::find_if(
      rooms_, [this](const HostedRoom& room) { return room.tick().value >= options_.tick_end; });
  if (over == rooms_.end()) return;
  context_.log.event(LogKind::Ended, Severity::Warning, now, [&] {
    return LogEvent{"room_over",
                    {{"room", over->id().value},
                     {"tick", over->tick().value},
                     {"clients", clients()},
                     {"reason", "tick_limit"}}};
  });
  stop(now);
}

void Shard::log_drops(Instant now) {
  const net::DropCounts& drops = context_.metrics.drops;
  if (now - drops_logged_at_ < kCountInterval) return;
  for (std::size_t i = 0; i < net::kDropReasons; ++i) {
    const auto reason = static_cast<net::DropReason>(i);
    const std::uint64_t more = drops.of(reason) - drops_logged_.of(reason);
    if (more == 0) continue;
    context_.log.event(LogKind::Dropped, Severity::Info, now, [&] {
      return LogEvent{"datagrams_dropped", {{"reason", net::name_of(reason)}, {"count", more}}};
    });
  }
  drops_logged_ = drops;
  drops_logged_at_ = now;
}

// --- send ---

void Shard::send(Instant now) {
  send_drain(now);
  replicator_.choose_due(rooms_, now);
  for (HostedRoom& room : rooms_) {
    if (room.is_idle()) continue;
    room.on_sent(now);
    replicator_.send(room, now);
  }
  transport_.flush();
}

void Shard::add_tick_time(const TickTime& time, Instant now) {
  load_.add_tick(time, replicator_.consume_work());
  replicator_.set_work_limit(load_.work_limit());
  connects_.set_refuses_joins(load_.level() == Overload::RefusesJoins);
  context_.metrics.load = {.overload = load_.level(), .share = load_.load()};
  overload_log_.write(context_.log, context_.metrics, now);
}

// --- stop ---

void Shard::drain(Instant end) {
  connects_.drain();
  drains_to_ = end;
  drain_told_.reset();
}

std::vector<RoomId> Shard::hand_over(const net::Address& next, Instant now) {
  std::vector<RoomId> moving;
  for (HostedRoom& room : rooms_) {
    if (room.can_move()) {
      moving.push_back(room.id());
    } else {
      hand_over_room(room.id(), {.server = next, .room = {}}, now);
    }
  }
  return moving;
}

std::optional<MovedMatch> Shard::freeze_match(RoomId id, Instant now) {
  HostedRoom* const room = find_room(id);
  if (room == nullptr || !room->can_move()) return std::nullopt;
  room->freeze(now + kFrozenMax);
  return room->moved_match();
}

void Shard::hand_over_room(RoomId id, const Onward& onward, Instant now) {
  TICKBOX_ASSERT(drains_to_);
  HostedRoom* const room = find_room(id);
  if (room == nullptr) return;
  room->set_onward(onward);
  if (onward.room == RoomId{}) room->thaw();
  lifecycle_.send_drain(*room, *drains_to_ - now, today(now));
}

void Shard::seat_players(RoomId id, const MovedMatch& moved, Instant now) {
  HostedRoom* const room = find_room(id);
  TICKBOX_ASSERT(room != nullptr);
  room->seat_players(moved, now);
  room->freeze(now + kFrozenMax);
}

HostedRoom* Shard::find_room(RoomId id) {
  const auto room = std::ranges::find(rooms_, id, &HostedRoom::id);
  return room != rooms_.end() ? &*room : nullptr;
}

void Shard::send_drain(Instant now) {
  if (!drains_to_) return;
  const bool hands_over =
      std::ranges::any_of(rooms_, [](const HostedRoom& room) { return room.onward().has_value(); });
  if (drain_told_ && now - *drain_told_ < (hands_over ? kHandOverTold : kDrainTold)) return;
  drain_told_ = now;
  for (HostedRoom& room : rooms_) {
    lifecycle_.send_drain(room, *drains_to_ - now, today(now));
  }
}

void Shard::stop(Instant now) {
  connects_.stop();
  lifecycle_.close_all(now);
  transport_.flush();
}

// --- the INPUT messages ---

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

// --- the results of matches ---

void MatchResults::publish(const HostedRoom& room, Instant now) {
  const GameTable& game = room.world().game();
  if (game.results.empty()) return;
  const engine::TickRecord& record = room.match().record();
  for (const engine::Outcome& outcome : record.outcomes) {
    if (outcome.kind != engine::OutcomeKind::Published) continue;
    const TypeInfo& type = game.results[outcome.type];
    publish(room, type, engine::value_json(type, record.bytes_of(outcome)), now);
  }
}

void MatchResults::publish(const HostedRoom& room, const TypeInfo& type, std::string_view values,
                           Instant now) {
  ++context_.metrics.results.published;
  context_.log.event(LogKind::Result, Severity::Info, now, [&] {
    return LogEvent{"match_result",
                    {{"room", room.id().value},
                     {"tick", room.tick().value},
                     {"type", type.name},
                     {"values", JsonText{std::string{values}}}}};
  });
  if (sink_ == nullptr) return;
  const std::string line = fmt::format(
      R"({{"unix_ms":{},"game":"{}","room":{},"tick":{},"type":"{}","values":{},"players":{}}})"
      "\n",
      calendar_.now().time_since_epoch().count(), room.world().game().name, room.id().value,
      room.tick().value, type.name, values, players_json(room));
  if (sink_->write(as_bytes_of(line))) return;
  ++context_.metrics.results.lost;
  context_.log.event(LogKind::ResultLost, Severity::Error, now, [&] {
    return LogEvent{"match_result_lost", {{"room", room.id().value}, {"tick", room.tick().value}}};
  });
}

}  // namespace tickbox::server
