#pragma once
// Which of our own addresses a datagram came to, and which one it is sent from: the control message
// IP_PKTINFO or IPV6_PKTINFO beside it. Of a socket that is bound to a wildcard nothing else tells.

#include "net/address.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <netinet/in.h>
#include <sys/socket.h>

namespace tickbox::os {

enum class IpSocket : std::uint8_t { V4, V6 };

/// Has the kernel tell the address that each datagram came to.  Fails: with what errno says; else
/// 0.
[[nodiscard]] int receive_packet_info(int handle, IpSocket kind);

/// The memory of one control message.
class PacketInfo {
 public:
  /// Lends it to `message`, for the kernel to fill.
  void expect(msghdr& message);

  /// Lends it to `message`, saying that it is sent from `local`.
  void send_from(msghdr& message, const net::Address& local, IpSocket kind);

 private:
  static constexpr std::size_t kBytes = CMSG_SPACE(sizeof(in6_pktinfo));
  static_assert(kBytes >= CMSG_SPACE(sizeof(in_pktinfo)));

  alignas(cmsghdr) std::array<std::byte, kBytes> bytes_{};
};

/// The address that a received message came to, with `port`; zeros where the kernel told none that
/// can be answered from, as of a multicast.
[[nodiscard]] net::Address destination_of(const msghdr& message, std::uint16_t port);

}  // namespace tickbox::os
