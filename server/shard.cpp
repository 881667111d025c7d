#include "server/shard.h"

#include "core/assert.h"
#include "net/crypto.h"
#include "net/handshake.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tickbox::server {
namespace {

/// Between two lines about what was dropped.
constexpr Duration kDropsInterval = std::chrono::seconds{10};

/// By how much a count that only grows has grown: packets may arrive in another order than they
/// were sent.
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
      map_hash_(game::map_hash(*room_.world().map())),
      began_{.instant = now, .today = parts.calendar.now()},
      reception_(options.reception, parts.entropy, began_),
      seats_(options.max_clients),
      drops_logged_at_(now) {
  TICKBOX_ASSERT(options.max_clients <= room_.world().seats().size());
  metrics_.tick_rate = options.tick_rate;
  metrics_.clients_max = options.max_clients;
  metrics_.rooms = 1;
}

// --- receive ---

void Shard::receive(Instant now, Instant next_deadline) {
  for (std::size_t taken = 0; taken < kDatagramsPerReceive && taken_in_tick_ < kDatagramsPerTick;
       ++taken) {
    const std::optional<net::Datagram> datagram = transport_.receive();
    if (!datagram) {
      return;
    }
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
  Session* session = seats_.find(net::packet_connection(datagram.bytes));
  if (session == nullptr) {
    return metrics_.drops.count(net::DropReason::UnknownConnection);
  }
  const bool from_elsewhere = session->address != datagram.from;
  if (from_elsewhere && !reception_.may_open_moved(datagram.from, arrival.now)) {
    return metrics_.drops.count(net::DropReason::RateLimited);
  }
  const auto opened = session->channel.open_packet(datagram.bytes, opened_);
  if (!opened) {
    return metrics_.drops.count(opened.error());
  }
  const bool is_newest = opened->sequence == session->channel.received().newest();
  if (is_newest) session->newest_arrival = arrival.now;
  const auto size = static_cast<std::int64_t>(datagram.bytes.size());
  if (!session->packets.take(packets_of_session(options_.tick_rate), arrival.now) ||
      !session->bytes.take(bytes_of_session(options_.tick_rate), arrival.now, size)) {
    return metrics_.drops.count(net::DropReason::RateLimited);
  }
  session->heard = arrival.now;
  if (session->state == Session::State::Accepted) {
    begin_to_play(*session, arrival.now);
  }
  if (from_elsewhere && is_newest) {
    check_path(*session, datagram, arrival.now);
  } else if (is_newest) {
    session->path = std::nullopt;  // it is where it was
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
    if (const auto reason = net::decode_disconnect(opened.message); !reason) {
      return metrics_.drops.count(reason.error());
    }
    return close(session, net::DisconnectReason::ClientLeft, arrival.now);
  }
  const auto message = net::decode_input(opened.message);
  if (!message) {
    return metrics_.drops.count(message.error());
  }
  if (opened.sequence == session.channel.received().newest() && !message->inputs.empty()) {
    const auto last = static_cast<std::uint32_t>(message->inputs.size() - 1);
    session.margin = margin_of(message->first_tick + last, arrival);
  }
  on_inputs(session, *message, arrival.now);
}

void Shard::on_inputs(Session& session, const net::InputMessage& message, Instant now) {
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
    // The first of a session calls somebody; the counter holds the truth.
    log_.event(LogKind::Mismatch, Severity::Error, now, [&] {
      return fmt::format("state_hash_mismatch seat={} tick={}", session.seat.value,
                         room_.world().tick.value);
    });
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

// --- tick ---

void Shard::tick(Instant now) {
  taken_in_tick_ = 0;
  close_silent_sessions(now);
  log_drops(now);
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

void Shard::log_drops(Instant now) {
  if (now - drops_logged_at_ < kDropsInterval) return;
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

/// Seats are in order, so every list comes out sorted by player; leaves are gathered as they
/// happen.
void Shard::gather_commands() {
  std::ranges::sort(left_);
  joins_.clear();
  inputs_.clear();
  sources_.clear();
  const Tick next = room_.world().tick + 1;
  for (Seat& seat : seats_.all()) {
    if (seat.playing || seat.orphaned) take_input(seat, next);
  }
}

/// The input of a body whose client is gone is rest.
void Shard::take_input(Seat& seat, Tick next) {
  TakenInput taken;
  if (!seat.in_world) {
    seat.in_world = true;
    joins_.push_back(seat.player);
  }
  if (Session* session = seats_.playing(seat)) {
    taken = session->inputs.take(next);
    const bool is_given = taken.source == InputSource::Given;
    session->substituted = static_cast<std::uint16_t>(session->substituted + (is_given ? 0 : 1));
  }
  metrics_.count(taken.source == InputSource::Given ? InputResult::Given
                                                    : InputResult::Substituted);
  inputs_.push_back({.player = seat.player, .input = taken.input});
  sources_.push_back(taken.source);
}

// --- send ---

void Shard::send(Instant now) {
  interest_.look(room_);
  for (Seat& seat : seats_.all()) {
    if (seat.playing && seat.in_world) send_snapshot(*seats_.playing(seat), now);
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

}  // namespace tickbox::server
