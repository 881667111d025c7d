#pragma once
// All cryptography in one place, all of it libsodium's: keys and how they follow from each other,
// sealing and opening, tags, short keyed hashes, and the texts in which keys are written down.

#include "core/bytes.h"
#include "core/entropy.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::net {

inline constexpr std::size_t kKeyBytes = 32;
inline constexpr std::size_t kNonceBytes =
    32;  ///< of a handshake's nonces: two never meet by chance
inline constexpr std::size_t kTagBytes = 16;
inline constexpr std::size_t kLongNonceBytes = 24;
inline constexpr std::size_t kShortKeyBytes = 16;

using Key = std::array<std::byte, kKeyBytes>;
using HandshakeNonce = std::array<std::byte, kNonceBytes>;
using LongNonce = std::array<std::byte, kLongNonceBytes>;
using ShortKey = std::array<std::byte, kShortKeyBytes>;

/// One key for each direction; a key is never used in both.
struct KeyPair {
  Key to_server{};
  Key to_client{};

  friend bool operator==(const KeyPair&, const KeyPair&) = default;
};

/// Makes libsodium ready; call once before anything else here.   Fails: false, when it cannot be
/// (no kernel randomness).
[[nodiscard]] bool crypto_ready();

/// The key that everyone knows, for servers that only this machine can reach. It proves that a
/// datagram arrived as it was sent, and nothing about who sent it.
[[nodiscard]] const Key& published_key();

/// Overwrites bytes that nobody shall find later.
void wipe(MutableBytes bytes);

/// An array of fresh bytes: a key, a nonce.
template <class Array>
[[nodiscard]] Array draw(Entropy& entropy) {
  Array drawn{};
  entropy.fill(drawn);
  return drawn;
}

/// Keyed BLAKE2b-256 over label, `first` and `second`.  Requires: at most 96 bytes in all.
[[nodiscard]] Key derive_key(const Key& key, std::string_view label, ConstBytes first = {},
                             ConstBytes second = {});

/// Keys that no other session has, from those of a token or a ticket and both sides' nonces.
[[nodiscard]] KeyPair derive_session_keys(const KeyPair& keys, const HandshakeNonce& client,
                                          const HandshakeNonce& server);

/// The keys with which a session is resumed, from those with which it began.
[[nodiscard]] KeyPair derive_resume_keys(const KeyPair& session);

/// The key of the next epoch; there is no way back.
[[nodiscard]] Key derive_next_key(const Key& key);

/// ChaCha20-Poly1305-IETF. Writes plaintext.size() + kTagBytes bytes to `out`, which may not
/// overlap the plaintext. Requires: out.size() ≥ plaintext.size() + kTagBytes; (key, sequence)
/// never used before.
void seal(const Key& key, std::uint64_t sequence, ConstBytes clear, ConstBytes plaintext,
          MutableBytes out);

/// The inverse of seal(); writes sealed.size() − kTagBytes bytes to `out`.   Fails: false, when any
/// bit differs; `out` is then of no meaning.
[[nodiscard]] bool open(const Key& key, std::uint64_t sequence, ConstBytes clear, ConstBytes sealed,
                        MutableBytes out);

/// XChaCha20-Poly1305-IETF, whose nonce is long enough to be drawn; else as seal().
void seal_drawn(const Key& key, const LongNonce& nonce, ConstBytes clear, ConstBytes plaintext,
                MutableBytes out);
/// The inverse of seal_drawn(); else as open().
[[nodiscard]] bool open_drawn(const Key& key, const LongNonce& nonce, ConstBytes clear,
                              ConstBytes sealed, MutableBytes out);

/// Keyed BLAKE2b, 16 bytes.
[[nodiscard]] std::array<std::byte, kTagBytes> tag_of(const Key& key, ConstBytes bytes);
/// In constant time.
[[nodiscard]] bool tag_matches(const Key& key, ConstBytes bytes, ConstBytes tag);

/// SipHash-2-4: for cookies, and for tables that a stranger must not be able to aim at.
[[nodiscard]] std::uint64_t short_hash(const ShortKey& key, ConstBytes bytes);
/// Whether two are the same, in constant time.
[[nodiscard]] bool same_hash(std::uint64_t a, std::uint64_t b);

/// base64url without padding.
[[nodiscard]] std::string to_base64(ConstBytes bytes);
/// Fills `out` with what to_base64() wrote.   Fails: false, when the text is anything else or of
/// another length.
[[nodiscard]] bool from_base64(std::string_view text, MutableBytes out);

/// Lower-case hexadecimal.
[[nodiscard]] std::string to_hex(ConstBytes bytes);
/// Fills `out`; both cases are read.   Fails: false, as from_base64().
[[nodiscard]] bool from_hex(std::string_view text, MutableBytes out);

}  // namespace tickbox::net
