#pragma once
// Why an arrived datagram was dropped: the closed list that is counted, and shown in metrics by
// name.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tickbox::net {

enum class DropReason : std::uint8_t {
  TooShort,           ///< shorter than its type can be
  TooLong,            ///< longer than kDatagramBytesMax
  UnknownType,        ///< a type byte that is not ours, or not of this direction
  UnknownConnection,  ///< a connection id or address nobody here has
  Replayed,           ///< a sequence that has arrived already, or is out of the window
  Forged,             ///< does not open under the key: altered, truncated or made up
  Malformed,          ///< opens, but is no such message
  Unexpected,         ///< a message that this state does not take
  RateLimited,        ///< more than a source may send, or all of them together
  BadCookie,          ///< a CONNECT whose cookie is another's, too old, or made up
};
inline constexpr std::size_t kDropReasons = 10;

/// snake_case, as metrics name it.
[[nodiscard]] std::string_view name_of(DropReason reason);

/// A count for each reason.
class DropCounts {
 public:
  void count(DropReason reason) { ++counts_[static_cast<std::size_t>(reason)]; }

  [[nodiscard]] std::uint64_t of(DropReason reason) const {
    return counts_[static_cast<std::size_t>(reason)];
  }

  [[nodiscard]] std::uint64_t total() const;

 private:
  std::array<std::uint64_t, kDropReasons> counts_{};
};

}  // namespace tickbox::net
