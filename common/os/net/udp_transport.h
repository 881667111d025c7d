#pragma once
// The Transport of the programs: one non-blocking UDP socket.

#include "core/clock.h"
#include "net/transport.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

namespace tickbox::os {

/// What a kernel holds for us between two ticks. The usual default is 256 datagrams, so that 1,000
/// clients lose inputs; this holds several ticks of them.
inline constexpr std::size_t kSocketBufferBytes = std::size_t{4} * 1024 * 1024;

/// Which addresses an IPv6 socket speaks to.
enum class IpFamilies : std::uint8_t {
  OwnOnly,  ///< those of the bind address
  Both,     ///< IPv4 too, on a socket bound to [::]
};

struct UdpOptions {
  net::Address bind{};  ///< port 0 takes a free one; an IPv4-mapped address makes an IPv4 socket
  IpFamilies families = IpFamilies::OwnOnly;
  std::size_t buffer_bytes = kSocketBufferBytes;  ///< asked of the kernel, each way
};

/// What the kernel granted of UdpOptions::buffer_bytes; worth a log line when it is less.
struct UdpBuffers {
  std::size_t receive_bytes = 0;
  std::size_t send_bytes = 0;
};

struct UdpCounters {
  std::uint64_t datagrams_in = 0;
  std::uint64_t datagrams_out = 0;
  std::uint64_t bytes_in = 0;       ///< UDP payload
  std::uint64_t bytes_out = 0;      ///< UDP payload
  std::uint64_t sends_dropped = 0;  ///< the kernel's send buffer was full
  std::uint64_t send_errors = 0;    ///< any other refusal: no route, wrong address family
  std::uint64_t receive_errors = 0;
};

/// Thread: one.  Cost: no allocation per datagram; one system call per 32 datagrams in, one per
/// datagram out.
class UdpTransport final : public net::Transport {
 public:
  /// Fails: with one line that says what, why and what to try.
  [[nodiscard]] static std::expected<std::unique_ptr<UdpTransport>, std::string> open(
      const UdpOptions& options);

  UdpTransport(const UdpTransport&) = delete;
  UdpTransport& operator=(const UdpTransport&) = delete;
  ~UdpTransport() override;

  void send(const net::Route& route, ConstBytes bytes) override;
  std::optional<net::Datagram> receive() override;

  /// Waits until receive() has something, at most `wait`.  Returns whether it has; a signal ends
  /// the wait early.
  [[nodiscard]] bool wait_readable(Duration wait);

  /// For PollSet; it stays ours.
  [[nodiscard]] int native_handle() const;

  /// Where this socket is bound, with the port it really got.
  [[nodiscard]] net::Address local_address() const;
  [[nodiscard]] UdpBuffers buffers() const;
  [[nodiscard]] const UdpCounters& counters() const;

 private:
  struct Socket;
  explicit UdpTransport(std::unique_ptr<Socket> socket);

  std::unique_ptr<Socket> socket_;
};

}  // namespace tickbox::os
