#pragma once
// Waits on many sockets at once, and tells which of them have something.

#include "core/clock.h"
#include "os/net/udp_transport.h"

#include <array>
#include <cstddef>
#include <expected>
#include <span>
#include <string>

namespace tickbox::os {

/// Sockets told of in one wait; those left over are told of first in the next.
inline constexpr std::size_t kReadyMax = 256;

/// Level-triggered: a socket that was not drained is told of again.  Thread: one.
class PollSet {
 public:
  /// Fails: with one line.
  [[nodiscard]] static std::expected<PollSet, std::string> open();

  PollSet(PollSet&& other) noexcept;
  PollSet& operator=(PollSet&&) = delete;
  ~PollSet();

  /// Watches `transport` and tells of it by `key`, until it is destroyed.  Fails: with one line.
  [[nodiscard]] std::expected<void, std::string> watch(const UdpTransport& transport,
                                                       std::size_t key);

  /// Waits until a socket has something, at most `wait`; a signal ends it early. The keys of those
  /// that have, valid until the next call.
  [[nodiscard]] std::span<const std::size_t> wait(Duration wait);

 private:
  explicit PollSet(int handle) : handle_(handle) {}

  int handle_;
  std::array<std::size_t, kReadyMax> ready_{};
};

}  // namespace tickbox::os
