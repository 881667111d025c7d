#include "os/net/control_buffer.h"

#include <algorithm>
#include <cstring>
#include <netinet/udp.h>

namespace tickbox::os {
namespace {

template <class Info>
void append_control(msghdr& message, int level, int type, const Info& info) {
  message.msg_controllen = CMSG_SPACE(sizeof info);
  cmsghdr* const control = CMSG_FIRSTHDR(&message);
  control->cmsg_level = level;
  control->cmsg_type = type;
  control->cmsg_len = CMSG_LEN(sizeof info);
  std::memcpy(CMSG_DATA(control), &info, sizeof info);
}

}  // namespace

void ControlBuffer::expect(msghdr& message) {
  message.msg_control = bytes_.data();
  message.msg_controllen = bytes_.size();
}

void ControlBuffer::send_from(msghdr& message, const net::Address& local, IpSocket kind) {
  expect(message);
  if (kind == IpSocket::V4) {
    in_pktinfo info{};
    std::memcpy(&info.ipi_spec_dst, local.ip.data() + net::kIpv4Prefix.size(),
                sizeof info.ipi_spec_dst);
    append_control(message, IPPROTO_IP, IP_PKTINFO, info);
  } else {
    in6_pktinfo info{};
    std::memcpy(&info.ipi6_addr, local.ip.data(), sizeof info.ipi6_addr);
    append_control(message, IPPROTO_IPV6, IPV6_PKTINFO, info);
  }
}

void ControlBuffer::cut_into(msghdr& message, std::uint16_t size) {
  expect(message);
  append_control(message, IPPROTO_UDP, UDP_SEGMENT, size);
}

}  // namespace tickbox::os
