#include "server/shard.h"

#include "core/assert.h"
#include "net/crypto.h"
#include "net/handshake.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tickbox::server {
namespace {

/// A goodbye is sent this often, for UDP loses some.
constexpr int kGoodbyes = 3;

/// By how much a count that only grows has grown: packets may arrive in another order than they
/// were sent.
std::uint32_t grown(std::uint32_t before, std::uint32_t now) {
  return now > before ? now - before : 0;
}

}  // namespace

Shard::Shard(const ShardOptions& options, const ShardParts& parts)
    : options_(options),
      transport_(parts.transport),
      entropy_(parts.entropy),
      log_(parts.log),
      room_(parts.room),
      recorder_(parts.recorder),
      sessions_(options.max_clients),
      connections_(options.max_clients) {
  TICKBOX_ASSERT(options.max_clients <= room_.world().seats().size());
  for (std::uint32_t i = 0; i < sessions_.size(); ++i) {
    sessions_[i].seat = {static_cast<std::uint16_t>(i)};
    connections_[i] = i;
  }
  metrics_.tick_rate = options.tick_rate;
  metrics_.clients_max = options.max_clients;
  metrics_.rooms = 1;
}

// --- receive ---

void Shard::receive(Instant now, Instant next_deadline) {
  for (std::size_t taken = 0; taken < kReceiveBudget; ++taken) {
    const std::optional<net::Datagram> datagram = transport_.receive();
    if (!datagram) {
      return;
    }
    ++metrics_.traffic.packets_in;
    metrics_.traffic.bytes_in += datagram->bytes.size();
    on_datagram(*datagram, {.now = now, .next_deadline = next_deadline});
  }
}

void Shard::on_datagram(const net::Datagram& datagram, const Arrival& arrival) {
  if (datagram.bytes.size() > net::kDatagramBytesMax) {
    return metrics_.drops.count(net::DropReason::TooLong);
  }
  const std::optional<net::PacketType> type = net::packet_type(datagram.bytes);
  if (type == net::PacketType::Connect) {
    on_connect(datagram, arrival.now);
  } else if (type == net::PacketType::Input || type == net::PacketType::Disconnect) {
    on_packet(datagram, arrival);
  } else {
    metrics_.drops.count(net::DropReason::UnknownType);
  }
}

void Shard::on_connect(const net::Datagram& datagram, Instant now) {
  const auto connect = net::decode_connect(datagram.bytes, net::published_key());
  if (!connect) {
    return metrics_.drops.count(connect.error());
  }
  if (connect->protocol != net::kProtocolVersion || connect->schema != net::schema_hash()) {
    metrics_.count(ConnectionResult::RefusedVersion);
    return refuse(datagram.from, *connect,
                  connect->protocol != net::kProtocolVersion ? net::RefuseReason::Protocol
                                                             : net::RefuseReason::Schema);
  }
  if (const Session* session = session_from(datagram.from, connect->client_nonce)) {
    return transmit(session->address, session->accept_datagram());
  }
  if (stopping_) {
    metrics_.count(ConnectionResult::RefusedDraining);
    return refuse(datagram.from, *connect, net::RefuseReason::Draining);
  }
  accept(datagram.from, *connect, now);
}

void Shard::accept(const net::Address& from, const net::Connect& connect, Instant now) {
  const auto free = std::ranges::find(sessions_, Session::State::Free, &Session::state);
  if (free == sessions_.end()) {
    metrics_.count(ConnectionResult::RefusedFull);
    return refuse(from, connect, net::RefuseReason::Full);
  }
  const PlayerId seat = free->seat;
  std::uint32_t& connection = connections_[seat.value];
  connection += game::kSeatsMax;
  const net::HandshakeNonce server_nonce = net::draw_nonce(entropy_);
  const net::SessionKeys keys =
      net::derive_session_keys(net::published_key(), connect.client_nonce, server_nonce);

  Session& session = *free;
  session = {.state = Session::State::Accepted,
             .seat = seat,
             .address = from,
             .client_nonce = connect.client_nonce};
  session.channel = net::PacketChannel{keys, connection, net::Direction::ToClient};
  session.heard = now;
  session.newest_arrival = now;
  session.inputs = InputBuffer{room_.world().tick};

  const net::Accept message{
      .player = seat,
      .body = game::player_body(seat, room_.world().seat(seat).generation + 1),
      .tick_rate = options_.tick_rate,
      .tick = room_.world().tick,
      .rules = std::string{room_.rules().name()},
      .map_seats = room_.world().map()->seats,
      .map_hash = game::map_hash(*room_.world().map())};
  session.accept_bytes =
      net::encode_accept(message, connection, server_nonce, keys, session.accept).size();
  metrics_.count(ConnectionResult::Accepted);
  transmit(from, session.accept_datagram());
}

void Shard::refuse(const net::Address& to, const net::Connect& connect, net::RefuseReason reason) {
  net::Refuse message{.client_nonce = connect.client_nonce, .reason = reason};
  if (reason == net::RefuseReason::Full) {
    message.have = static_cast<std::uint32_t>(sessions_.size());
    message.limit = message.have;
  } else if (reason == net::RefuseReason::Protocol) {
    message.have = net::kProtocolVersion;
    message.limit = connect.protocol;
  }
  transmit(to, net::encode_refuse(message, net::published_key(), packet_));
}

void Shard::on_packet(const net::Datagram& datagram, const Arrival& arrival) {
  if (datagram.bytes.size() < net::kPacketOverheadBytes) {
    return metrics_.drops.count(net::DropReason::TooShort);
  }
  Session* session = session_of(net::packet_connection(datagram.bytes));
  if (session == nullptr || session->address != datagram.from) {
    return metrics_.drops.count(net::DropReason::UnknownConnection);
  }
  const auto opened = session->channel.open_packet(datagram.bytes, opened_);
  if (!opened) {
    return metrics_.drops.count(opened.error());
  }
  session->heard = arrival.now;
  if (opened->type == net::PacketType::Disconnect) {
    return close(*session, net::DisconnectReason::ClientLeft, arrival.now);
  }
  const auto message = net::decode_input(opened->message);
  if (!message) {
    return metrics_.drops.count(message.error());
  }
  if (session->state == Session::State::Accepted) {
    session->state = Session::State::Playing;
    ++clients_;
    log_.event(Severity::Info,
               fmt::format("session_opened seat={} address={} clients={}", session->seat.value,
                           net::to_string(session->address), clients_));
  }
  const bool newest = opened->sequence == session->channel.received().newest();
  if (newest) {
    session->newest_arrival = arrival.now;
    if (!message->inputs.empty()) {
      const auto last = static_cast<std::uint32_t>(message->inputs.size() - 1);
      session->margin = margin_of(message->first_tick + last, arrival);
    }
  }
  on_inputs(*session, *message);
}

void Shard::on_inputs(Session& session, const net::InputMessage& message) {
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
    // The first of a session calls somebody; the counter holds the truth, and no client can flood
    // the log.
    log_.event(Severity::Error, fmt::format("state_hash_mismatch seat={} tick={}",
                                            session.seat.value, room_.world().tick.value));
  }
  session.mismatches += more;
  metrics_.hash_mismatches += more;
}

/// How long before its use an input arrived: ticks until it is stepped, and the rest of the present
/// one.
std::int16_t Shard::margin_of(Tick newest, const Arrival& arrival) const {
  const std::int64_t period = tick_duration(options_.tick_rate).count();
  const std::int64_t ticks = newest - (room_.world().tick + 1);
  const std::int64_t sixteenths =
      ticks * 16 + (arrival.next_deadline - arrival.now).count() * 16 / period;
  return static_cast<std::int16_t>(std::clamp<std::int64_t>(sixteenths, INT16_MIN, INT16_MAX));
}

Session* Shard::session_of(std::uint32_t connection) {
  const std::size_t index = connection % game::kSeatsMax;
  const bool known = index < sessions_.size() && connections_[index] == connection &&
                     sessions_[index].state != Session::State::Free;
  return known ? &sessions_[index] : nullptr;
}

Session* Shard::session_from(const net::Address& address, const net::HandshakeNonce& client_nonce) {
  const auto found = std::ranges::find_if(sessions_, [&](const Session& session) {
    return session.state != Session::State::Free && session.address == address &&
           session.client_nonce == client_nonce;
  });
  return found != sessions_.end() ? &*found : nullptr;
}

// --- tick ---

void Shard::tick(Instant now) {
  close_silent_sessions(now);
  gather_commands();
  const game::TickCommands commands{.leaves = left_, .joins = joins_, .inputs = inputs_};
  room_.tick(commands);
  if (recorder_ != nullptr) {
    recorder_->ticked(room_, commands, sources_);
  }
  left_.clear();
  ++metrics_.ticks;
  metrics_.clients = clients_;
  metrics_.entities = room_.entities().size();
}

void Shard::close_silent_sessions(Instant now) {
  for (Session& session : sessions_) {
    if (session.state != Session::State::Free && now - session.heard > kSessionTimeout) {
      close(session, net::DisconnectReason::TimedOut, now);
    }
  }
}

/// Sessions lie in the order of their seats, so every list comes out sorted by player; leaves are
/// gathered as they happen.
void Shard::gather_commands() {
  std::ranges::sort(left_);
  joins_.clear();
  inputs_.clear();
  sources_.clear();
  const Tick next = room_.world().tick + 1;
  for (Session& session : sessions_) {
    if (session.state != Session::State::Playing) {
      continue;
    }
    if (!session.in_world) {
      session.in_world = true;
      session.inputs.skip_to(room_.world().tick);
      joins_.push_back(session.seat);
    }
    const TakenInput taken = session.inputs.take(next);
    const bool given = taken.source == InputSource::Given;
    session.substituted = static_cast<std::uint16_t>(session.substituted + (given ? 0 : 1));
    metrics_.count(given ? InputResult::Given : InputResult::Substituted);
    inputs_.push_back({.player = session.seat, .input = taken.input});
    sources_.push_back(taken.source);
  }
}

// --- send ---

void Shard::send(Instant now) {
  interest_.look(room_);
  for (Session& session : sessions_) {
    if (session.state == Session::State::Playing && session.in_world) {
      send_snapshot(session, now);
    }
  }
}

void Shard::send_snapshot(Session& session, Instant now) {
  const std::size_t own = room_.world().index_of(room_.world().body_of(session.seat));
  TICKBOX_ASSERT(own != room_.world().size());
  const std::span<const std::uint32_t> view = interest_.view_of(static_cast<std::uint32_t>(own));
  game::ViewHash hash;
  for (const std::uint32_t index : view) {
    hash.add(room_.entity_hashes()[index]);
  }
  net::SnapshotHead head = snapshot_head(session, now);
  head.view_hash = hash.value();
  head.tick = room_.world().tick;
  head.view_size = static_cast<std::uint16_t>(view.size());
  head.touched = room_.ticks_since_touched(session.seat);
  head.fragments = static_cast<std::uint8_t>((view.size() + net::kEntitiesPerFragment - 1) /
                                             net::kEntitiesPerFragment);
  for (std::size_t first = 0; first < view.size(); first += net::kEntitiesPerFragment) {
    fragment_.clear();
    for (const std::uint32_t index :
         view.subspan(first, std::min(net::kEntitiesPerFragment, view.size() - first))) {
      fragment_.push_back(room_.entities()[index]);
    }
    send_packet(session, net::PacketType::Snapshot, encoder_.snapshot(head, fragment_));
    ++head.fragment;
  }
}

void Shard::send_packet(Session& session, net::PacketType type, ConstBytes message) {
  transmit(session.address, session.channel.seal_packet(type, message, packet_));
}

void Shard::transmit(const net::Address& to, ConstBytes datagram) {
  ++metrics_.traffic.packets_out;
  metrics_.traffic.bytes_out += datagram.size();
  transport_.send(to, datagram);
}

// --- close ---

void Shard::close(Session& session, net::DisconnectReason reason, Instant now) {
  if (reason != net::DisconnectReason::ClientLeft) {
    for (int i = 0; i < kGoodbyes; ++i) {
      send_packet(session, net::PacketType::Disconnect, encoder_.disconnect(reason));
    }
  }
  if (session.in_world) {
    left_.push_back(session.seat);
  }
  if (session.state == Session::State::Playing) {
    --clients_;
    metrics_.count(reason);
    const auto silent =
        std::chrono::duration_cast<std::chrono::milliseconds>(now - session.heard).count();
    log_.event(Severity::Info,
               fmt::format("session_closed seat={} reason={} silent_ms={} clients={}",
                           session.seat.value, net::name_of(reason), silent, clients_));
  }
  session = {.seat = session.seat};
}

void Shard::stop(Instant now) {
  stopping_ = true;
  for (Session& session : sessions_) {
    if (session.state != Session::State::Free) {
      close(session, net::DisconnectReason::ServerStopping, now);
    }
  }
}

}  // namespace tickbox::server
