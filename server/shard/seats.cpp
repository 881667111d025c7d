#include "server/shard/seats.h"

#include "core/assert.h"

#include <algorithm>
#include <bit>

namespace tickbox::server {
namespace {

/// A connection id is a random multiple of this, plus the session's index.
constexpr std::uint32_t kSessionsMax = kSessionsPerSeat * game::kSeatsMax;
static_assert(std::has_single_bit(kSessionsMax));

}  // namespace

Seats::Seats(std::uint32_t count)
    : seats_(count),
      sessions_(kSessionsPerSeat * count),
      connections_(sessions_.size()),
      departures_(sessions_.size()) {
  TICKBOX_ASSERT(count <= game::kSeatsMax);
  for (std::uint32_t i = 0; i < sessions_.size(); ++i) {
    sessions_[i].seat = {static_cast<std::uint16_t>(i / kSessionsPerSeat)};
    seats_[i / kSessionsPerSeat].player = sessions_[i].seat;
  }
}

Seat* Seats::find_free() {
  const auto free = std::ranges::find(seats_, false, &Seat::held);
  return free != seats_.end() ? &*free : nullptr;
}

std::uint32_t Seats::held() const {
  return static_cast<std::uint32_t>(std::ranges::count(seats_, true, &Seat::held));
}

Session* Seats::playing(const Seat& seat) {
  return seat.playing ? &sessions_[*seat.playing] : nullptr;
}

Session& Seats::spare(const Seat& seat) {
  const std::span<Session> both = sessions_of(seat);
  const Session* player = playing(seat);
  const bool is_second =
      player == both.data() || (player == nullptr && both[1].state != Session::State::Free);
  return is_second ? both[1] : both[0];
}

std::uint32_t Seats::new_connection(const Session& session, Entropy& entropy) {
  const std::uint32_t index = index_of(session);
  std::uint32_t& connection = connections_[index];
  const std::uint32_t last = connection;
  connection = (draw_number<std::uint32_t>(entropy) & ~(kSessionsMax - 1)) | index;
  if (connection == last) connection += kSessionsMax;
  return connection;
}

Session* Seats::find(std::uint32_t connection) {
  const std::uint32_t index = connection % kSessionsMax;
  if (index >= sessions_.size()) return nullptr;
  Session& session = sessions_[index];
  const bool is_it =
      session.state != Session::State::Free && session.channel.connection() == connection;
  return is_it ? &session : nullptr;
}

void Seats::depart(const Session& session, Instant now) {
  departures_[index_of(session)] = {session.channel.connection(), session.route.peer, now};
}

bool Seats::has_departed(std::uint32_t connection, const net::Address& from, Instant now) const {
  const std::uint32_t index = connection % kSessionsMax;
  if (index >= departures_.size() || !departures_[index]) return false;
  const Departure& departure = *departures_[index];
  return departure.connection == connection && departure.address == from &&
         now - departure.at <= kLastPackets;
}

void Seats::take_over(Seat& seat, const Session& session) {
  seat.playing = index_of(session);
  seat.orphaned = std::nullopt;
  seat.good_ticket = session.ticket_serial;
}

void Seats::release(Seat& seat) {
  for (Session& session : sessions_of(seat)) {
    reset(session);
  }
  const std::uint32_t serials = seat.serials;
  seat = {.player = seat.player, .serials = serials};
}

}  // namespace tickbox::server
