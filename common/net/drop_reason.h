#pragma once
// The reasons for which a received datagram is dropped: a closed list, counted and shown in metrics
// by name.

#include "core/text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

namespace tickbox::net {

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

}  // namespace tickbox::net
