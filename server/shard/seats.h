#pragma once
// Who sits where. A seat is a place in the room; it is held from the ACCEPT until its body leaves,
// and has up to two sessions: the one that plays, and the one that is about to take over from it.

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

/// A body whose client has fallen silent waits for it for this long.
inline constexpr Duration kBodyKept = std::chrono::seconds{30};

inline constexpr std::size_t kSessionsPerSeat = 2;

/// The copies of a client's goodbye, and what it sent just before, arrive within this.
inline constexpr Duration kLastPackets = std::chrono::seconds{2};

struct Seat {
  bool held = false;
  bool in_world = false;  ///< its join has been stepped
  PlayerId player;
  BodyId body;
  std::uint64_t client = 0;              ///< as its token said
  std::uint8_t rights = 0;               ///< as its token said
  std::optional<std::uint32_t> playing;  ///< which of its sessions
  std::optional<Instant> orphaned;       ///< since when its body has had no client
  std::uint32_t serials = 0;             ///< tickets given out, ever
  std::uint32_t good_ticket = 0;         ///< serial of the only one that is good; 0: none
};

class Seats {
 public:
  explicit Seats(std::uint32_t count);

  [[nodiscard]] std::span<Seat> all() { return seats_; }

  [[nodiscard]] Seat& of(PlayerId player) { return seats_[player.value]; }

  [[nodiscard]] Seat& of(const Session& session) { return of(session.seat); }

  /// One that nobody holds, or nullptr.
  [[nodiscard]] Seat* find_free();

  [[nodiscard]] std::uint32_t held() const;

  /// The session that a seat plays by, or nullptr.
  [[nodiscard]] Session* playing(const Seat& seat);

  /// A seat's session that is not the one it plays by: the pending one where there is one.
  [[nodiscard]] Session& spare(const Seat& seat);

  [[nodiscard]] std::span<Session> sessions() { return sessions_; }

  [[nodiscard]] std::span<Session> sessions_of(const Seat& seat) {
    return std::span{sessions_}.subspan(kSessionsPerSeat * seat.player.value, kSessionsPerSeat);
  }

  /// A connection id that nobody can guess, and other than this session had last.
  [[nodiscard]] std::uint32_t new_connection(const Session& session, Entropy& entropy);

  /// The session that has this connection id, or nullptr.
  [[nodiscard]] Session* find(std::uint32_t connection);

  /// Remembers for kLastPackets that the client of `session` has left: the last one of each
  /// session.
  void depart(const Session& session, Instant now);

  /// Whether a packet is of a client that left just now, by its connection id and address alone:
  /// such a packet is ignored.
  [[nodiscard]] bool has_departed(std::uint32_t connection, const net::Address& from,
                                  Instant now) const;

  /// Makes a seat play by `session`, and by no other. Its ticket is the good one from now on.
  void take_over(Seat& seat, const Session& session);

  void reset(Session& session) { session = {.seat = session.seat}; }

  /// Nobody holds it any more.
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
  std::vector<Session> sessions_;                     ///< two of each seat
  std::vector<std::uint32_t> connections_;            ///< the last id of each of them
  std::vector<std::optional<Departure>> departures_;  ///< the last of each of them
};

}  // namespace tickbox::server
