#include "server/shard/seats.h"

#include "core/assert.h"
#include "engine/entity_id.h"
#include "server/shard/session.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {

Seats::Seats(std::uint32_t count) : seats_(count) {
  TICKBOX_ASSERT(count <= engine::kSeatsMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    seats_[i].player = {static_cast<std::uint16_t>(i)};
  }
}

void Seats::hold(Seat& seat, std::uint64_t client) {
  TICKBOX_ASSERT(!seat.held);
  seat.held = true;
  seat.client = client;
  ++held_;
}

std::uint32_t Seats::playing() const {
  if (held_ == 0) return 0;
  return static_cast<std::uint32_t>(
      std::ranges::count_if(seats_, [](const Seat& seat) { return seat.playing != nullptr; }));
}

std::uint32_t Seats::in_world() const {
  return static_cast<std::uint32_t>(std::ranges::count(seats_, true, &Seat::in_world));
}

Seat* Seats::find_free() {
  const auto free = std::ranges::find(seats_, false, &Seat::held);
  return free != seats_.end() ? &*free : nullptr;
}

void Seats::promote_pending(Seat& seat) {
  TICKBOX_ASSERT(seat.pending != nullptr);
  seat.playing = std::exchange(seat.pending, nullptr);
  seat.orphaned = std::nullopt;
  seat.good_ticket = seat.playing->attempt->ticket_serial;
}

void Seats::release(Seat& seat) {
  TICKBOX_ASSERT(seat.held);
  --held_;
  seat = {.player = seat.player, .serials = seat.serials, .agreements = seat.agreements};
}

}  // namespace tickbox::server
