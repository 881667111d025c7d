#pragma once
// Tells repeats of a refusal from the first: a client repeats its request until it believes the
// answer.

#include "core/clock.h"
#include "core/hash.h"
#include "net/reasons.h"
#include "net/transport.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

/// The time after the first refusal of a client or an address in which the same refusal is a
/// repeat.
inline constexpr Duration kRefusalRepeats = std::chrono::seconds{10};

/// The refusals that are remembered. If two share a place, the newer one replaces the older one,
/// whose repeat then counts again.
inline constexpr std::size_t kRefusalsRemembered = 4'096;

class RecentRefusals {
 public:
  /// Returns whether this client at this address was not refused for this reason in the last
  /// kRefusalRepeats. Then remembers it. `client`: nothing, if it has proven no id.
  [[nodiscard]] bool is_first(const net::Address& from, std::optional<std::uint64_t> client,
                              net::RefuseReason reason, Instant now) {
    FieldHasher<32> hasher;
    for (const std::uint8_t byte : from.ip) {
      hasher.add(byte);
    }
    hasher.add(from.port);
    hasher.add(client.value_or(0));
    hasher.add(static_cast<std::uint8_t>(reason));
    const std::uint64_t key = hasher.digest(0);
    Place& place = places_[key % kRefusalsRemembered];
    if (place.at && place.key == key && now - *place.at < kRefusalRepeats) return false;
    place = {.key = key, .at = now};
    return true;
  }

 private:
  struct Place {
    std::uint64_t key = 0;
    std::optional<Instant> at;  ///< the time of the first refusal; empty if the place is free
  };

  std::vector<Place> places_ = std::vector<Place>(kRefusalsRemembered);
};

}  // namespace tickbox::server
