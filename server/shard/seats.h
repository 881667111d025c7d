#pragma once
// The seats of a room and their sessions. A seat is held from the ACCEPT until its body leaves. It
// has up to two sessions: the one that plays, and the one that is about to take over from it.

#include "core/clock.h"
#include "core/entropy.h"
#include "core/ids.h"
#include "game/entity_state.h"
#include "net/connect_token.h"
#include "server/shard/session.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

/// The time that a body waits for a client that has fallen silent.
inline constexpr Duration kBodyKept = std::chrono::seconds{30};

inline constexpr std::size_t kSessionsPerSeat = 2;

/// The copies of a client's DISCONNECT, and packets sent just before it, arrive within this time.
inline constexpr Duration kLastPackets = std::chrono::seconds{2};

struct Seat {
  bool held = false;
  bool in_world = false;  ///< its join has been stepped
  PlayerId player;
  BodyId body;
  std::uint64_t client = 0;              ///< client number from its token
  std::uint8_t rights = 0;               ///< rights from its token
  std::optional<std::uint32_t> playing;  ///< the index of its playing session
  std::optional<Instant> orphaned;       ///< when its body lost its client
  std::uint32_t serials = 0;             ///< tickets issued so far, to all its players
  std::uint32_t good_ticket = 0;         ///< serial of the only valid ticket; 0: none
};

class Seats {
 public:
  explicit Seats(std::uint32_t count);

  [[nodiscard]] std::span<Seat> all() { return seats_; }

  [[nodiscard]] Seat& of(PlayerId player) { return seats_[player.value]; }

  [[nodiscard]] Seat& of(const Session& session) { return of(session.seat); }

  /// Returns a seat that is not held, or nullptr.
  [[nodiscard]] Seat* find_free();

  [[nodiscard]] std::uint32_t held() const;

  /// Returns the session that plays in a seat, or nullptr.
  [[nodiscard]] Session* playing(const Seat& seat);

  /// Returns the session of a seat that does not play: the pending one if there is one.
  [[nodiscard]] Session& spare(const Seat& seat);

  [[nodiscard]] std::span<Session> sessions() { return sessions_; }

  [[nodiscard]] std::span<Session> sessions_of(const Seat& seat) {
    return std::span{sessions_}.subspan(kSessionsPerSeat * seat.player.value, kSessionsPerSeat);
  }

  /// Returns a connection id that nobody can guess, different from the last one of this session.
  [[nodiscard]] std::uint32_t new_connection(const Session& session, Entropy& entropy);

  /// Returns the session that has this connection id, or nullptr.
  [[nodiscard]] Session* find(std::uint32_t connection);

  /// Remembers for kLastPackets that the client of `session` has left; only the last departure of
  /// each session is kept.
  void depart(const Session& session, Instant now);

  /// Returns whether a packet is from a client that left just now, by its connection id and address
  /// alone: such a packet is ignored.
  [[nodiscard]] bool has_departed(std::uint32_t connection, const net::Address& from,
                                  Instant now) const;

  /// Makes `session` the one that plays in a seat. Only its ticket is valid from now on.
  void take_over(Seat& seat, const Session& session);

  void reset(Session& session) { session = {.seat = session.seat}; }

  /// Makes a seat free, and its sessions.
  void release(Seat& seat);

 private:
  struct Departure {
    std::uint32_t connection = 0;
    net::Address address;
    Instant at;
  };

  [[nodiscard]] std::uint32_t index_of(const Session& session) const {
    return static_cast<std::uint32_t>(&session - sessions_.data());
  }

  std::vector<Seat> seats_;
  std::vector<Session> sessions_;                     ///< two sessions of each seat
  std::vector<std::uint32_t> connections_;            ///< the last id of each session
  std::vector<std::optional<Departure>> departures_;  ///< the last of each session
};

}  // namespace tickbox::server
