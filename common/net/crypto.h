#pragma once
// All cryptography in one place, all of it from libsodium: keys, their agreement and derivation,
// sealing and opening, tags, short keyed hashes, the text forms of keys, and memory for them.

#include "core/bytes.h"
#include "core/rng.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::net {

inline constexpr std::size_t kKeyBytes = 32;
inline constexpr std::size_t kNonceBytes = kKeyBytes;  ///< of a handshake nonce
inline constexpr std::size_t kTagBytes = 16;
inline constexpr std::size_t kLongNonceBytes = 24;
inline constexpr std::size_t kShortKeyBytes = 16;

/// Overwrites bytes, so that nobody can find them later.
void wipe(MutableBytes bytes);

/// Bytes that are overwritten when the object is destroyed.
template <std::size_t Size>
struct Secret : std::array<std::byte, Size> {
  Secret() : std::array<std::byte, Size>{} {}

  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;

  ~Secret() { wipe(*this); }
};

using SecretKey = Secret<kKeyBytes>;
using ShortKey = Secret<kShortKeyBytes>;
using LongNonce = std::array<std::byte, kLongNonceBytes>;

/// The public key of a HandshakePair, which an end makes for one handshake. No two random ones are
/// equal, so the public key is the end's nonce, too.
using HandshakeNonce = std::array<std::byte, kNonceBytes>;

/// One key for each direction; a key is never used in both.
struct KeyPair {
  SecretKey to_server{};
  SecretKey to_client{};

  friend bool operator==(const KeyPair&, const KeyPair&) = default;
};

/// Initialises libsodium; call it once before anything else here. Fails: false, if the
/// initialisation fails (no kernel randomness).
[[nodiscard]] bool crypto_ready();
/// Says why crypto_ready() fails, and what to try.
inline constexpr std::string_view kNoCrypto =
    "cannot get random bytes from the kernel; does /dev/urandom exist?";

/// Returns the key that everyone knows, for servers without a key file. It proves that a datagram
/// arrived unchanged, but not who sent it.
[[nodiscard]] const SecretKey& published_key();

/// Returns an array of fresh random bytes: a key, a nonce.
template <class Array>
[[nodiscard]] Array draw(Entropy& entropy) {
  Array drawn{};
  entropy.fill(drawn);
  return drawn;
}

/// One end's part of a key agreement (X25519, RFC 7748), for one handshake.
struct HandshakePair {
  SecretKey secret;
  HandshakeNonce nonce{};  ///< its public key
};

[[nodiscard]] HandshakePair handshake_pair(const SecretKey& secret);

/// Returns the key on which both ends agree, and which nobody can compute from both nonces.
/// Fails: nothing, if the other end's nonce has a small order, so that anybody could compute it.
[[nodiscard]] std::optional<SecretKey> agree(const HandshakePair& own, const HandshakeNonce& other);

/// Returns keyed BLAKE2b-256 over the label and the other parts.
[[nodiscard]] SecretKey derive_key(const SecretKey& key, std::string_view label,
                                   std::initializer_list<ConstBytes> parts = {});

/// Returns keys that no other session has, from the keys of a token or a ticket, both ends' nonces
/// and agree(). An attacker who later learns the keys of the token or ticket cannot compute the
/// keys of the session.
[[nodiscard]] KeyPair derive_session_keys(const KeyPair& keys, const HandshakeNonce& client,
                                          const HandshakeNonce& server, const SecretKey& agreed);

/// Returns the keys for resuming a session, from the keys with which it began.
[[nodiscard]] KeyPair derive_resume_keys(const KeyPair& session);

/// Returns the key of the next epoch; nobody can compute the old key from it.
[[nodiscard]] SecretKey derive_next_key(const SecretKey& key);

/// How the packets of a session are sealed. All ciphers have the same sizes of keys, nonces and
/// tags. The later is the faster where it is available, and two ends agree on the lesser of their
/// best.
enum class Cipher : std::uint8_t {
  ChaCha20Poly1305,
  Aes256Gcm,  ///< only by the AES and GCM instructions of a processor: tables leak keys by time
};

/// Returns the name of a cipher for logs: "aes256_gcm".
[[nodiscard]] std::string_view name_of(Cipher cipher);

/// Returns the best cipher of this processor. Requires: crypto_ready().
[[nodiscard]] Cipher best_cipher();

/// Seals. Writes plaintext.size() + kTagBytes bytes to `out`, which may not overlap the plaintext.
/// Requires: out.size() ≥ plaintext.size() + kTagBytes; cipher ≤ best_cipher(); (key, sequence)
/// never used before; a key is used with one cipher.
void seal(Cipher cipher, const SecretKey& key, std::uint64_t sequence, ConstBytes clear,
          ConstBytes plaintext, MutableBytes out);

/// Opens what seal() sealed; writes sealed.size() − kTagBytes bytes to `out`. Requires: out.size()
/// ≥ sealed.size() − kTagBytes; cipher ≤ best_cipher(). Fails: false, if any bit differs; the
/// content of `out` is then meaningless.
[[nodiscard]] bool open(Cipher cipher, const SecretKey& key, std::uint64_t sequence,
                        ConstBytes clear, ConstBytes sealed, MutableBytes out);

/// Seals with XChaCha20-Poly1305-IETF, whose nonce is long enough to be random; otherwise as
/// seal().
void seal_drawn(const SecretKey& key, const LongNonce& nonce, ConstBytes clear,
                ConstBytes plaintext, MutableBytes out);
/// Opens what seal_drawn() sealed; otherwise as open().
[[nodiscard]] bool open_drawn(const SecretKey& key, const LongNonce& nonce, ConstBytes clear,
                              ConstBytes sealed, MutableBytes out);

/// Returns keyed BLAKE2b, 16 bytes.
[[nodiscard]] std::array<std::byte, kTagBytes> tag_of(const SecretKey& key, ConstBytes bytes);
/// Returns whether `tag` is tag_of(key, bytes); in constant time.
[[nodiscard]] bool tag_matches(const SecretKey& key, ConstBytes bytes, ConstBytes tag);

/// Returns SipHash-2-4: for cookies, receipts, and hash tables in which a stranger must not be able
/// to cause collisions.
[[nodiscard]] std::uint64_t short_hash(const ShortKey& key, ConstBytes bytes);
/// Returns whether two hashes are the same; in constant time.
[[nodiscard]] bool same_hash(std::uint64_t a, std::uint64_t b);
/// Returns whether two keys are the same; in constant time.
[[nodiscard]] bool same_key(const SecretKey& a, const SecretKey& b);

/// Formats bytes as base64url without padding.
[[nodiscard]] std::string to_base64(ConstBytes bytes);
/// Fills `out` with the bytes that to_base64() formatted. Fails: false, if the text is anything
/// else or has another length.
[[nodiscard]] bool from_base64(std::string_view text, MutableBytes out);

/// Formats bytes as lower-case hexadecimal.
[[nodiscard]] std::string to_hex(ConstBytes bytes);
/// Fills `out` from hexadecimal; reads both cases. Fails: false, as from_base64().
[[nodiscard]] bool from_hex(std::string_view text, MutableBytes out);

// Memory for keys. It is in no core dump, and is overwritten when it is freed (libsodium's
// sodium_malloc). If the system lets it be locked, it is never swapped out.

/// Returns memory for `bytes` bytes, aligned for every type whose size divides `bytes`.
/// Fails: throws std::bad_alloc.
[[nodiscard]] void* allocate_secret(std::size_t bytes);
void free_secret(void* memory) noexcept;

/// Overwrites copies of keys that earlier calls may have left behind: 16 KiB of the stack below the
/// caller's frame, and the registers that a function may change.
void wipe_stack();

/// An allocator for containers of keys.
template <class T>
struct SecretAllocator {
  using value_type = T;

  SecretAllocator() = default;

  template <class Other>
  explicit SecretAllocator(const SecretAllocator<Other>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(allocate_secret(count * sizeof(T)));
  }

  void deallocate(T* memory, std::size_t /*count*/) noexcept { free_secret(memory); }

  friend bool operator==(const SecretAllocator&, const SecretAllocator&) { return true; }
};

template <class T>
using SecretVector = std::vector<T, SecretAllocator<T>>;

}  // namespace tickbox::net
