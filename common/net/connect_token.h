#pragma once
// The connect token: a game's backend issues it to a player, and a server admits the player with
// it.
//
// Only the servers can read its sealed part, which the client sends in CONNECT. Beside this part
// the token has two keys, from which the keys of the session are derived, and the addresses of the
// servers that accept it. The keys that seal tokens are those of a ring.
// Source: netcode's published standard, for content and life cycle; the sizes are our own.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/inplace_vector.h"
#include "core/rng.h"
#include "net/crypto.h"
#include "net/transport.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tickbox::net {

/// The id of the published key; no ring that was read from a file has it.
inline constexpr std::uint32_t kPublishedKeyId = 0;

/// The most keys of a ring: more would mean that nobody removes old ones.
inline constexpr std::size_t kRingKeysMax = 16;

struct RingKey {
  std::uint32_t id = kPublishedKeyId;
  SecretKey key{};
};

/// The keys that seal connect tokens, each with an id. A server opens tokens with all of them, so
/// that a new key can be distributed before the old one is removed.
class KeyRing {
 public:
  /// Returns a ring with the published key alone.
  [[nodiscard]] static KeyRing published();

  /// Returns a ring with one fresh key, of id 1.
  [[nodiscard]] static KeyRing fresh(Entropy& entropy);

  /// Reads the text that text() writes: on each line an id from 1 and 64 hexadecimal digits, the
  /// newest key first. Skips blank lines and the text after a #. Fails: with one message, which
  /// names the line unless the text has no key.
  [[nodiscard]] static std::expected<KeyRing, std::string> parse(std::string_view text);

  [[nodiscard]] std::string text() const;

  /// Puts a fresh key with an unused id in front. Requires: not is_published(). Fails: false, if
  /// the ring is full.
  [[nodiscard]] bool rotate(Entropy& entropy);

  /// Returns the key that seals: the first.
  [[nodiscard]] const RingKey& newest() const { return keys_.front(); }

  /// Returns the key with this id, or nullptr.
  [[nodiscard]] const SecretKey* find(std::uint32_t id) const;

  [[nodiscard]] std::span<const RingKey> keys() const { return keys_; }

  [[nodiscard]] bool is_published() const { return keys_.front().id == kPublishedKeyId; }

 private:
  explicit KeyRing(SecretVector<RingKey> keys) : keys_(std::move(keys)) {}

  SecretVector<RingKey> keys_;  ///< at least one, ids unique
};

inline constexpr std::size_t kTokenServersMax = 8;
/// The most bytes that a backend may send to the server in a token, such as a name.
inline constexpr std::size_t kTokenUserBytesMax = 128;

/// The bytes of the head, which is in clear but authenticated: version, key id, issue and expiry.
/// The nonce follows.
inline constexpr std::size_t kTokenHeadBytes = 21;
inline constexpr std::size_t kTokenSecretBytes = 350;
inline constexpr std::size_t kSealedTokenBytes =
    kTokenHeadBytes + kLongNonceBytes + kTokenSecretBytes + kTagBytes;
static_assert(kSealedTokenBytes == 411);

using SealedToken = std::array<std::byte, kSealedTokenBytes>;

/// The identity of a token: the end of its seal.
using TokenId = std::array<std::byte, kTagBytes>;

using TokenServers = InplaceVector<Address, kTokenServersMax>;

/// The claims of a token: which client it admits, and where.
struct TokenClaims {
  std::uint64_t client = 0;  ///< the backend's number for its player
  std::uint32_t room = 0;    ///< 0: any room
  TokenServers servers;      ///< at least one
  InplaceVector<std::byte, kTokenUserBytesMax> user;
};

/// The head of a token, which anybody can read.
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

/// The content of a sealed token, as a server opens it.
struct OpenedToken {
  TokenHead head;
  TokenClaims claims;
  KeyPair keys;
};

enum class TokenFault : std::uint8_t {
  UnknownKey,  ///< sealed with a key that the ring does not have
  Forged,      ///< altered, of another version, sealed with another key of the same id, or
               ///< sealed with invalid claims
};

/// Makes a token with fresh keys, sealed with the ring's newest key. Requires: 1 to
/// kTokenServersMax servers.
[[nodiscard]] ConnectToken issue_token(const TokenClaims& claims, WallTime issued, WallTime expires,
                                       const KeyRing& ring, Entropy& entropy);

/// Opens a sealed token. Requires: kSealedTokenBytes bytes, here and below. Cost: one AEAD open;
/// no allocation.
[[nodiscard]] std::expected<OpenedToken, TokenFault> open_token(ConstBytes sealed,
                                                                const KeyRing& ring);

/// Returns the head, which is not authenticated until the token has been opened.
[[nodiscard]] TokenHead token_head(ConstBytes sealed);

[[nodiscard]] TokenId token_id(ConstBytes sealed);

/// Formats a token as one line of text, for delivery and storage.
[[nodiscard]] std::string to_text(const ConnectToken& token);
/// Fails: one line that says what is wrong.
[[nodiscard]] std::expected<ConnectToken, std::string> parse_token(std::string_view text);

// The name of a server, in place of its address in a token. A server whose address is known only
// once it runs, as in a fleet, still has a name before.

/// As long as the name of a host may be.
inline constexpr std::size_t kServerNameMax = 64;

/// Returns whether a server may have this name: 1 to kServerNameMax printable ASCII characters
/// without blanks.
[[nodiscard]] bool is_server_name(std::string_view name);

/// Returns the address that stands for a name: in 100::/64, to which nothing can be sent, with the
/// first 8 bytes of the name's BLAKE2b of 16 bytes, and port 1.
/// Source: RFC 6666, a discard prefix for IPv6.
[[nodiscard]] Address address_of_name(std::string_view name);

}  // namespace tickbox::net
