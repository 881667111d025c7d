#pragma once
// All cryptography in one place, all of it libsodium's: key derivation, sealing and opening, tags.

#include "core/bytes.h"
#include "core/entropy.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tickbox::net {

inline constexpr std::size_t kKeyBytes = 32;
inline constexpr std::size_t kNonceBytes =
    32;  ///< of a handshake's nonces: two never meet by chance
inline constexpr std::size_t kTagBytes = 16;

using Key = std::array<std::byte, kKeyBytes>;
using HandshakeNonce = std::array<std::byte, kNonceBytes>;

/// One key for each direction; a key is never used in both.
struct SessionKeys {
  Key client_to_server{};
  Key server_to_client{};
};

/// Makes libsodium ready; call once before anything else here.   Fails: false, when it cannot be
/// (no kernel randomness).
[[nodiscard]] bool crypto_ready();

/// The key that everyone knows, for servers that only this machine can reach. It proves that a
/// datagram arrived as it was sent, and nothing about who sent it.
[[nodiscard]] const Key& published_key();

/// Keys that no other session has: keyed BLAKE2b over direction and both nonces.
[[nodiscard]] SessionKeys derive_session_keys(const Key& key, const HandshakeNonce& client,
                                              const HandshakeNonce& server);

/// A fresh handshake nonce.
[[nodiscard]] HandshakeNonce draw_nonce(Entropy& entropy);

/// ChaCha20-Poly1305-IETF. Writes plaintext.size() + kTagBytes bytes to `out`, which may not
/// overlap the plaintext. Requires: out.size() ≥ plaintext.size() + kTagBytes; (key, sequence)
/// never used before.
void seal(const Key& key, std::uint64_t sequence, ConstBytes clear, ConstBytes plaintext,
          MutableBytes out);

/// The inverse of seal(); writes sealed.size() − kTagBytes bytes to `out`.   Fails: false, when any
/// bit differs; `out` is then of no meaning.
[[nodiscard]] bool open(const Key& key, std::uint64_t sequence, ConstBytes clear, ConstBytes sealed,
                        MutableBytes out);

/// Keyed BLAKE2b, 16 bytes.
[[nodiscard]] std::array<std::byte, kTagBytes> tag_of(const Key& key, ConstBytes bytes);
/// In constant time.
[[nodiscard]] bool tag_matches(const Key& key, ConstBytes bytes, ConstBytes tag);

}  // namespace tickbox::net
