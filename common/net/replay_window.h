#pragma once
// Which of the last 1,024 sequences of a session have arrived: each is taken once, in whatever
// order.

#include <array>
#include <cstdint>

namespace tickbox::net {

/// 1,024 packets are 17 s of a client's and, at several per tick, seconds of a server's: no path
/// reorders further.
inline constexpr std::uint64_t kReplayWindow = 1'024;

/// Tested before a packet is opened and advanced only after it has: a forgery cannot move it.
class ReplayWindow {
 public:
  /// Whether `sequence` is new.  Cost: constant.
  [[nodiscard]] bool accepts(std::uint64_t sequence) const;

  /// Requires: accepts(sequence), and that its packet opened.
  void advance(std::uint64_t sequence);

  /// The newest so far; 0 before the first (sequences start at 1).
  [[nodiscard]] std::uint64_t newest() const { return newest_; }

  /// How many have arrived, ever.
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::array<std::uint64_t, kReplayWindow / 64> seen_{};
  std::uint64_t newest_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace tickbox::net
