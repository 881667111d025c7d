#pragma once
// A match that goes on at another server: the world, and what its room knows of the players.

#include "core/clock.h"
#include "core/ids.h"
#include "engine/identity.h"
#include "net/transport.h"
#include "server/shard/seats.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// The longest time for which a match that moves stands still, at each of both servers. A client
/// needs two round trips, and a second more if its DRAIN is lost.
inline constexpr Duration kFrozenMax = std::chrono::seconds{3};

/// A server to which clients are handed over, and the room in which their match goes on there.
struct Onward {
  net::Address server;
  RoomId room;  ///< 0: none
};

/// A client that has left the match.
struct Departure {
  std::uint64_t client = 0;
  Tick tick;  ///< in which its player left
};

/// The seat of a player in the world.
struct MovedSeat {
  PlayerId player;
  std::uint64_t client = 0;  ///< as in Seat, as what follows
  std::uint32_t key_id = 0;
  UserBytes user;
};

struct MovedMatch {
  engine::Identity identity;
  std::uint32_t tick_rate = 0;
  std::vector<MovedSeat> seats;  ///< by player, ascending
  std::vector<Departure> departures;
  std::vector<std::byte> keyframe;
};

}  // namespace tickbox::server
