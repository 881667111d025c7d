#pragma once
// The connect token: what a game's backend hands to a player, and what lets the player in.
//
// Its sealed part is for the servers alone, and travels in CONNECT. Beside it the player gets the
// two keys of the session to be, and the servers to try. Source: netcode's published standard, in
// content and life cycle; sizes are our own.

#include "core/bounded.h"
#include "core/bytes.h"
#include "core/clock.h"
#include "net/address.h"
#include "net/crypto.h"
#include "net/key_ring.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tickbox::net {

inline constexpr std::size_t kTokenServersMax = 8;
/// Bytes a backend may have carried to the server, such as a name.
inline constexpr std::size_t kTokenUserBytesMax = 128;

/// What is in clear, authenticated: version, key id, issue and expiry; then the nonce.
inline constexpr std::size_t kTokenHeadBytes = 21;
inline constexpr std::size_t kTokenSecretBytes = 350;
inline constexpr std::size_t kSealedTokenBytes =
    kTokenHeadBytes + kLongNonceBytes + kTokenSecretBytes + kTagBytes;
static_assert(kSealedTokenBytes == 411);

using SealedToken = std::array<std::byte, kSealedTokenBytes>;

/// Tells two tokens apart: the end of their seals.
using TokenId = std::array<std::byte, kTagBytes>;

using TokenServers = BoundedVector<Address, kTokenServersMax>;

/// What a token may allow beside to play; bits of TokenClaims::rights.
inline constexpr std::uint8_t kRightToAudit = 1;
inline constexpr std::uint8_t kRightsKnown = kRightToAudit;

/// What a token says of whom it lets in, and where.
struct TokenClaims {
  std::uint64_t client = 0;  ///< whatever number the backend knows its player by
  std::uint32_t room = 0;    ///< 0: any
  std::uint8_t rights = 0;   ///< bits of kRightsKnown
  TokenServers servers;      ///< at least one
  BoundedVector<std::byte, kTokenUserBytesMax> user;
};

/// What anybody can read of a token.
struct TokenHead {
  std::uint32_t key_id = 0;
  WallTime issued;
  WallTime expires;
};

/// A player's token.
struct ConnectToken {
  SealedToken sealed{};
  KeyPair keys;
  TokenServers servers;
};

/// What a server finds in a sealed token.
struct OpenedToken {
  TokenHead head;
  TokenClaims claims;
  KeyPair keys;
};

enum class TokenFault : std::uint8_t {
  UnknownKey,  ///< sealed with a key that the ring has not
  Forged,      ///< altered, or sealed with another key of that id
};

/// Makes a token with fresh keys, sealed with the ring's newest.   Requires: 1 to kTokenServersMax
/// servers, rights of kRightsKnown.
[[nodiscard]] ConnectToken issue_token(const TokenClaims& claims, WallTime issued, WallTime expires,
                                       const KeyRing& ring, Entropy& entropy);

/// Requires: kSealedTokenBytes bytes, here and below.  Cost: one AEAD open; no allocation.
[[nodiscard]] std::expected<OpenedToken, TokenFault> open_token(ConstBytes sealed,
                                                                const KeyRing& ring);

/// Unproven until the token has been opened.
[[nodiscard]] TokenHead token_head(ConstBytes sealed);

[[nodiscard]] TokenId token_id(ConstBytes sealed);

/// One line of text, as it is handed out and stored.
[[nodiscard]] std::string to_text(const ConnectToken& token);
/// Fails: one line that says what is wrong.
[[nodiscard]] std::expected<ConnectToken, std::string> parse_token(std::string_view text);

}  // namespace tickbox::net
