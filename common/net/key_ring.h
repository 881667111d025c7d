#pragma once
// The keys that seal connect tokens, each with an id: a server opens with all of them, so that a
// new one can be handed out before the old one is taken away.

#include "core/entropy.h"
#include "net/crypto.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::net {

/// Id of the published key, which no ring that was read from a file has.
inline constexpr std::uint32_t kPublishedKeyId = 0;

/// More would be a sign of a ring that nobody clears out.
inline constexpr std::size_t kRingKeysMax = 16;

struct RingKey {
  std::uint32_t id = kPublishedKeyId;
  Key key{};
};

class KeyRing {
 public:
  /// The published key alone.
  [[nodiscard]] static KeyRing published();

  /// A ring with one fresh key, of id 1.
  [[nodiscard]] static KeyRing fresh(Entropy& entropy);

  /// Reads what text() writes: on each line an id from 1 and 64 hexadecimal digits, the newest key
  /// first; blank lines and what follows a # are skipped.  Fails: one line that names the line.
  [[nodiscard]] static std::expected<KeyRing, std::string> parse(std::string_view text);

  [[nodiscard]] std::string text() const;

  /// Puts a fresh key in front, of an id that was not used yet.  Requires: not the published key.
  /// Fails: false, when the ring is
  /// full.
  [[nodiscard]] bool rotate(Entropy& entropy);

  /// The key that seals: the first.
  [[nodiscard]] const RingKey& newest() const { return keys_.front(); }

  /// The key called `id`, or nullptr.
  [[nodiscard]] const Key* find(std::uint32_t id) const;

  [[nodiscard]] std::span<const RingKey> keys() const { return keys_; }

  [[nodiscard]] bool is_published() const { return keys_.front().id == kPublishedKeyId; }

 private:
  explicit KeyRing(std::vector<RingKey> keys) : keys_(std::move(keys)) {}

  std::vector<RingKey> keys_;  ///< at least one, ids unique
};

}  // namespace tickbox::net
