#pragma once
// The Transport of the programs: one non-blocking UDP socket. A PollSet waits on many of them at
// once, and returns the readable ones.

#include "core/clock.h"
#include "net/transport.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tickbox::os {

/// Size of each of the kernel's two buffers. One of them holds the datagrams that arrive between
/// two ticks. The usual default is 256 datagrams, so 1,000 clients would lose inputs. This size
/// holds the inputs of several ticks.
inline constexpr std::size_t kSocketBufferBytes = std::size_t{4} * 1024 * 1024;

/// Datagrams received per system call. More gained nothing measurable; the buffers stay in the
/// second-level cache.
inline constexpr std::size_t kReceiveBatch = 32;

/// Datagrams sent per system call by a socket that keeps them. A call costs as much as a sixth of
/// the way of a datagram through the kernel; the buffers stay in the second-level cache.
inline constexpr std::size_t kSendBatch = 32;

/// The address families that a socket sends to and receives from.
enum class IpFamilies : std::uint8_t {
  OwnOnly,  ///< only the family of the bind address
  Both,     ///< IPv4 too, on a socket bound to [::]
};

struct UdpOptions {
  net::Address bind{};  ///< port 0 takes a free port; an IPv4-mapped address makes an IPv4 socket
  IpFamilies families = IpFamilies::OwnOnly;
  std::size_t buffer_bytes = kSocketBufferBytes;  ///< requested from the kernel, for each direction
  bool arrival_times = false;  ///< Datagram::waited is by the kernel's times, if it has any
  std::size_t send_batch = 1;  ///< from 1: send() sends that many at once, and flush() the rest
};

/// The part of UdpOptions::buffer_bytes that the kernel granted; less is worth a log line.
struct UdpBuffers {
  std::size_t receive_bytes = 0;
  std::size_t send_bytes = 0;
};

/// Datagrams that the kernel did not take or give.
struct UdpFailures {
  std::uint64_t sends_dropped = 0;  ///< the kernel's send buffer was full
  std::uint64_t send_errors = 0;    ///< any other refusal: no route, wrong address family
  std::uint64_t receive_errors = 0;
};

/// What the clocks show when a drain of a socket begins.
struct DrainStart {
  Duration real{};   ///< on the clock of the kernel's times: since 1970
  Duration since{};  ///< since the drain before began: what arrived earlier was received in it
};

/// Returns how long a datagram that arrived at `arrived`, on the clock of DrainStart::real, had
/// waited when the drain began; 0 if it has arrived since. If that clock was set in between, the
/// result is wrong, but from 0 to `since`.
[[nodiscard]] constexpr Duration waited_at(const DrainStart& drain, Duration arrived) {
  return std::max(Duration::zero(), std::min(drain.real - arrived, drain.since));
}

/// A transport over one UDP socket. receive() returns nothing after a batch that was not full,
/// also if a datagram has arrived since: PollSet and the next call know of it. PollSet knows
/// nothing of the rest of a batch that was begun. Thread: one. Cost: no allocation per datagram;
/// one system call per kReceiveBatch datagrams received, one per UdpOptions::send_batch sent.
class UdpTransport final : public net::Transport {
 public:
  /// Fails: with one line that says what, why and what to try.
  [[nodiscard]] static std::expected<std::unique_ptr<UdpTransport>, std::string> open(
      const UdpOptions& options);

  UdpTransport(const UdpTransport&) = delete;
  UdpTransport& operator=(const UdpTransport&) = delete;
  ~UdpTransport() override;

  void send(const net::Route& route, ConstBytes bytes) override;
  void flush() override;
  std::optional<net::Datagram> receive() override;

  /// Returns the descriptor for PollSet; the transport still owns it.
  [[nodiscard]] int native_handle() const;

  /// The address to which this socket is bound, with the actual port.
  [[nodiscard]] net::Address local_address() const;
  [[nodiscard]] UdpBuffers buffers() const;
  [[nodiscard]] const UdpFailures& failures() const;

 private:
  struct Socket;
  explicit UdpTransport(std::unique_ptr<Socket> socket);

  std::unique_ptr<Socket> socket_;
};

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
