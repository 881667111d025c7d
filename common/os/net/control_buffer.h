#pragma once
// The buffer for the control messages of one datagram.

#include "net/address.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <netinet/in.h>
#include <sys/socket.h>

namespace tickbox::os {

enum class IpSocket : std::uint8_t { V4, V6 };

class ControlBuffer {
 public:
  /// Attaches the buffer to `message`, for the kernel to fill.
  void expect(msghdr& message);

  /// Attaches the buffer to `message`, with `local` as the source address.
  void send_from(msghdr& message, const net::Address& local, IpSocket kind);

  /// Attaches the buffer to `message`, which has several datagrams of `size` bytes.
  void cut_into(msghdr& message, std::uint16_t size);

 private:
  static constexpr std::size_t kBytes =
      CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(timespec));
  static_assert(sizeof(in6_pktinfo) >= sizeof(in_pktinfo));

  alignas(cmsghdr) std::array<std::byte, kBytes> bytes_{};
};

}  // namespace tickbox::os
