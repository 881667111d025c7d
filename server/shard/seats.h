#pragma once
// The seats of one room. A seat is held from the ACCEPT until its player leaves. It has up to two
// sessions: the one that plays, and a pending one that is about to take over from it.

#include "core/clock.h"
#include "core/ids.h"
#include "core/inplace_vector.h"
#include "net/connect_token.h"
#include "server/shard/limits.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

struct Session;

/// The time that a player waits for a client that has fallen silent.
inline constexpr Duration kBodyKept = std::chrono::seconds{30};

/// What the backend says to the game about a player.
using UserBytes = InplaceVector<std::byte, net::kTokenUserBytesMax>;

struct Seat {
  PlayerId player;
  bool held = false;                  ///< set by Seats alone
  bool in_world = false;              ///< its join has been stepped
  std::uint32_t generation = 0;       ///< of its player
  Session* playing = nullptr;         ///< the session whose inputs move its entities
  Session* pending = nullptr;         ///< a session whose client has not proven its keys yet
  std::optional<Instant> orphaned;    ///< when its player lost its client
  std::uint64_t client = 0;           ///< client id from its token
  std::uint32_t key_id = 0;           ///< id of the key that opened its token
  UserBytes user;                     ///< user bytes from its token
  std::optional<Instant> taken_over;  ///< when a newer token of its client took it over last
  bool has_reported = false;          ///< its client has reported a wrong hash
  std::uint32_t serials = 0;          ///< tickets issued so far, to all its players
  std::uint32_t good_ticket = 0;      ///< serial of the only valid ticket; 0: none
  RateLimit agreements;               ///< limit of key agreements, of all its players
};

class Seats {
 public:
  explicit Seats(std::uint32_t count);

  [[nodiscard]] std::span<Seat> all() { return seats_; }

  [[nodiscard]] std::span<const Seat> all() const { return seats_; }

  [[nodiscard]] Seat& seat_of(PlayerId player) { return seats_[player.value]; }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(seats_.size()); }

  /// Returns the number of seats that no newcomer gets. Cost: constant.
  [[nodiscard]] std::uint32_t held() const { return held_; }

  /// Returns the number of seats whose client plays.
  [[nodiscard]] std::uint32_t playing() const;

  /// Returns the number of players in the world.
  [[nodiscard]] std::uint32_t in_world() const;

  /// Returns a seat that is not held, or nullptr.
  [[nodiscard]] Seat* find_free();

  /// Makes the pending session of a seat the one that plays. Only its ticket is valid from now on.
  /// Requires: the seat has a pending session.
  static void promote_pending(Seat& seat);

  /// Makes a free seat that of a client.
  void hold(Seat& seat, std::uint64_t client);

  /// Makes a held seat free. Requires: its sessions are closed.
  void release(Seat& seat);

 private:
  std::vector<Seat> seats_;
  std::uint32_t held_ = 0;
};

/// The time that a room or a server may be without players.
class EmptyTime {
 public:
  /// `limit`: 0: without end.
  explicit EmptyTime(Duration limit) : limit_(limit) {}

  /// Call it while a player is there: the time begins with the next poll().
  void restart() { since_.reset(); }

  /// Returns whether the time is over. Call it while no player is there.
  [[nodiscard]] bool poll(Instant now) {
    if (!since_) since_ = now;
    return limit_ != Duration::zero() && now - *since_ >= limit_;
  }

 private:
  Duration limit_;
  std::optional<Instant> since_;
};

}  // namespace tickbox::server
