#pragma once
// The keys that seal connect tokens, each with an id. A server opens tokens with all of them, so
// that a new key can be distributed before the old one is removed.

#include "core/rng.h"
#include "net/crypto.h"

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

}  // namespace tickbox::net
