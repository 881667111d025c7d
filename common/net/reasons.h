#pragma once
// Why a datagram is dropped, and why a client is refused: two closed lists, whose names metrics
// use.

#include "core/text.h"
#include "net/crypto.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

namespace tickbox::net {

/// Why a received datagram is dropped.
enum class DropReason : std::uint8_t {
  TooShort,           ///< shorter than any datagram of its type
  TooLong,            ///< longer than any datagram of its type
  UnknownType,        ///< an unknown type byte, or a type of the other direction
  UnknownConnection,  ///< a connection id or address of no session here
  Replayed,           ///< a sequence that has arrived before, or is too old or too far ahead
  Forged,             ///< does not open under the key: altered, truncated or made up
  Malformed,          ///< opens, but is no valid message of its type
  Unexpected,         ///< a message that the present state does not accept
  RateLimited,        ///< beyond what one source, or all together, may send
  BadCookie,          ///< a CONNECT with a cookie of another sender, too old, or made up
};
inline constexpr std::size_t kDropReasons = 10;

/// Returns the name of a reason, in snake_case, as metrics use it.
[[nodiscard]] constexpr std::string_view name_of(DropReason reason) {
  return name_among<DropReason::BadCookie>(
      {"too_short", "too_long", "unknown_type", "unknown_connection", "replayed", "forged",
       "malformed", "unexpected", "rate_limited", "bad_cookie"},
      reason);
}

/// A count for each reason.
class DropCounts {
 public:
  void count(DropReason reason) { ++counts_[static_cast<std::size_t>(reason)]; }

  [[nodiscard]] std::uint64_t of(DropReason reason) const {
    return counts_[static_cast<std::size_t>(reason)];
  }

  [[nodiscard]] std::uint64_t total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }

  void add_all(const DropCounts& other) {
    for (std::size_t i = 0; i < kDropReasons; ++i) {
      counts_[i] += other.counts_[i];
    }
  }

 private:
  std::array<std::uint64_t, kDropReasons> counts_{};
};

/// Why a server refuses a client, with the numbers that explain it.
enum class RefuseReason : std::uint8_t {
  Full = 1,             ///< numbers: seats taken, seats in total
  Protocol = 2,         ///< numbers: the server's version, the client's
  Schema = 3,           ///< same protocol, other schema
  Draining = 4,         ///< the server is stopping
  KeyUnknown = 5,       ///< sealed with a key that this server does not have; numbers: its id
  TokenForged = 6,      ///< altered, or made by somebody else
  TokenExpired = 7,     ///< numbers: seconds ago
  TokenBeforeBoot = 8,  ///< issued before this server started; numbers: seconds before
  TokenElsewhere = 9,   ///< issued for other servers
  TokenRoom = 10,       ///< for a room that this server does not have; numbers: the room
  TokenUsed = 11,       ///< used; or a newer token of this client was used, or is pending
  TokenTaken = 12,      ///< a client at another address is connecting with it
  TokensFull = 13,      ///< the server has no memory for more tokens
  Restarted = 14,       ///< the ticket is from before this server's restart
  TicketForged = 15,    ///< altered, or made by somebody else
  TicketOver = 16,      ///< its player has left, or a newer ticket or token of its seat counts
  Denied = 17,          ///< the server does not admit this client
  TokenEarly = 18,      ///< issued after the server's time; numbers: seconds after
  TokenLong = 19,       ///< lives too long; numbers: its life in seconds, the longest allowed
  Overloaded = 20,      ///< the server's ticks take more than their time

  // The client refuses: it does not have what the ACCEPT names. No REFUSE has these.
  GameVersion = 21,  ///< the game, or its version
  GameRules = 22,    ///< same version and map, other rules
  Map = 23,          ///< same version
};
inline constexpr std::size_t kRefuseReasons = 24;   ///< with 0, which is no reason
inline constexpr std::size_t kServerRefusals = 21;  ///< reasons below are the server's

/// Returns the name of a reason, in snake_case, as metrics use it.
[[nodiscard]] std::string_view name_of(RefuseReason reason);

/// Returns whether the server refuses the same request later, too. Otherwise time, or a new token
/// of the same kind, can help.
[[nodiscard]] bool is_final(RefuseReason reason);

struct Refuse {
  HandshakeNonce client_nonce{};
  RefuseReason reason{};
  std::uint32_t have = 0;
  std::uint32_t limit = 0;

  friend bool operator==(const Refuse&, const Refuse&) = default;
};

/// Returns a sentence for people: "server full 64/64"; "token expired 12 s ago".
[[nodiscard]] std::string describe(const Refuse& refuse);

}  // namespace tickbox::net
