#pragma once
// How a server says no, with the numbers that explain it.

#include "net/crypto.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tickbox::net {

enum class RefuseReason : std::uint8_t {
  Full = 1,             ///< numbers: seats taken, seats there are
  Protocol = 2,         ///< numbers: the server's version, the client's
  Schema = 3,           ///< same protocol, other schema
  Draining = 4,         ///< the server is stopping
  KeyUnknown = 5,       ///< sealed with a key that this server has not; numbers: its id
  TokenForged = 6,      ///< altered, or made by somebody else
  TokenExpired = 7,     ///< numbers: seconds ago
  TokenBeforeBoot = 8,  ///< issued before this server started; numbers: seconds before
  TokenElsewhere = 9,   ///< for other servers
  TokenRoom = 10,       ///< for a room that is not here; numbers: which
  TokenUsed = 11,       ///< has let somebody in before
  TokenTaken = 12,      ///< somebody is coming in with it, from another address
  TokensFull = 13,      ///< more tokens are remembered than there is room for
  Restarted = 14,       ///< the ticket is of this server before it started anew
  TicketForged = 15,    ///< altered, or made by somebody else
  TicketOver = 16,      ///< its body is gone, or it has been used
  MayNotAudit = 17,     ///< the token does not give the right to
  AuditorsFull = 18,    ///< numbers: auditors there are, and may be
};
inline constexpr std::size_t kRefuseReasons = 19;  ///< with 0, which is none

/// snake_case, as metrics name it.
[[nodiscard]] std::string_view name_of(RefuseReason reason);

struct Refuse {
  HandshakeNonce client_nonce{};
  RefuseReason reason{};
  std::uint32_t have = 0;
  std::uint32_t limit = 0;

  friend bool operator==(const Refuse&, const Refuse&) = default;
};

/// A sentence for people: "server full 64/64"; "token expired 12 s ago".
[[nodiscard]] std::string describe(const Refuse& refuse);

}  // namespace tickbox::net
