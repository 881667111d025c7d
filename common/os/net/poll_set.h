#pragma once
// Waits on many sockets at once, and returns the readable ones.

#include "core/clock.h"
#include "os/net/udp_transport.h"

#include <array>
#include <cstddef>
#include <expected>
#include <span>
#include <string>

namespace tickbox::os {

/// Sockets returned by one wait; the next wait returns the remaining ones first.
inline constexpr std::size_t kReadyMax = 256;

/// A level-triggered set of sockets: a socket that was not drained is returned again. Thread: one.
class PollSet {
 public:
  /// Fails: with one line.
  [[nodiscard]] static std::expected<PollSet, std::string> open();

  PollSet(PollSet&& other) noexcept;
  PollSet& operator=(PollSet&&) = delete;
  ~PollSet();

  /// Watches `transport` until the transport is destroyed; wait() returns `key` for it. Fails: with
  /// one line.
  [[nodiscard]] std::expected<void, std::string> watch(const UdpTransport& transport,
                                                       std::size_t key);

  /// Waits at most `wait` until a socket is readable; a signal ends the wait early. Returns the
  /// keys of the readable sockets, valid until the next call.
  [[nodiscard]] std::span<const std::size_t> wait(Duration wait);

 private:
  explicit PollSet(int handle) : handle_(handle) {}

  int handle_;
  std::array<std::size_t, kReadyMax> ready_{};
};

}  // namespace tickbox::os
