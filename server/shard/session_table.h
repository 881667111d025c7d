#pragma once
// The sessions of a shard, found by connection id. A connection id is random, except for some bits
// that hold the session's slot in the table.

#include "core/clock.h"
#include "core/rng.h"
#include "engine/entity_id.h"
#include "net/crypto.h"
#include "net/transport.h"
#include "server/shard/session.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

inline constexpr std::size_t kSessionsPerSeat = 2;

/// The copies of a client's DISCONNECT, and packets sent just before it, arrive within this time.
inline constexpr Duration kLastPackets = std::chrono::seconds{2};

class SessionTable {
 public:
  /// A connection id is a random multiple of this, plus the session's slot.
  static constexpr std::size_t kSlotsMax = kSessionsPerSeat * engine::kSeatsMax;

  explicit SessionTable(std::size_t sessions_max = 0) { grow(sessions_max); }

  /// Makes space for this many sessions, at most kSlotsMax. It never shrinks: open sessions stay.
  void grow(std::size_t sessions_max);

  /// Returns whether every slot has an open session.
  [[nodiscard]] bool is_full() const { return free_.empty(); }

  /// Returns a session in state Accepted with a connection id that nobody can guess, different from
  /// the last one of its slot. Requires: not full.
  [[nodiscard]] Session& open(Entropy& entropy);

  /// Gives a session another connection id, different from its last two. Its previous id finds the
  /// session, too, until the next call.
  void renew(Session& session, Entropy& entropy);

  /// Closes a session: its connection ids find nothing any more.
  void close(Session& session);

  /// Returns the session that has this connection id, or had it before the last renew(), or
  /// nullptr.
  [[nodiscard]] Session* find(std::uint32_t connection);

  /// Returns the connection id of an open session.
  [[nodiscard]] std::uint32_t connection_of(const Session& session) const {
    return slots_[session.slot].connection;
  }

  /// Remembers for kLastPackets that the client of `session` has left. Only the last departure of
  /// each slot is kept.
  void record_departure(const Session& session, Instant now);

  /// Returns whether a packet is from a client that left just now, by its connection id and address
  /// alone: such a packet is ignored.
  [[nodiscard]] bool has_departed(std::uint32_t connection, const net::Address& from,
                                  Instant now) const;

 private:
  struct Departure {
    std::uint32_t connection = 0;
    std::uint32_t former = 0;
    net::Address address;
    Instant at;
  };

  struct Slot {
    std::uint32_t connection = 0;  ///< of the slot's last session
    std::uint32_t former = 0;      ///< the id before it, if renewed; else `connection`
  };

  void draw_connection(std::size_t index, Entropy& entropy);

  /// What neighbouring slots have; never resized, because seats point to the sessions. Secret
  /// memory takes whole pages, so there is none for a session alone.
  struct Block {
    net::SecretVector<Session> sessions;
    std::vector<std::optional<Departure>> departures;  ///< the last one of each slot
  };

  static constexpr std::size_t kSlotsPerBlock = 16;

  std::vector<Block> blocks_;  ///< by slot; each empty until a session of it is opened
  std::vector<Slot> slots_;  ///< each packet reads one: they are small, so that all stay in a cache
  std::vector<std::uint32_t> free_;  ///< numbers of free slots; the last is used next
};

}  // namespace tickbox::server
