#include "os/net/packet_info.h"

#include "os/net/socket_address.h"

#include <cerrno>
#include <cstring>
#include <optional>

namespace tickbox::os {
namespace {

net::Address address_of(const in_addr& ip, std::uint16_t port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  v4.sin_addr = ip;
  sockaddr_storage storage{};
  std::memcpy(&storage, &v4, sizeof v4);
  return from_socket_address(storage);
}

net::Address address_of(const in6_addr& ip, std::uint16_t port) {
  net::Address address{.port = port};
  std::memcpy(address.ip.data(), &ip, sizeof ip);
  return address;
}

/// The content of a control message, if it is of this kind.
template <class Info>
std::optional<Info> content_of(const cmsghdr& control, int level, int type) {
  if (control.cmsg_level != level || control.cmsg_type != type ||
      control.cmsg_len < CMSG_LEN(sizeof(Info))) {
    return std::nullopt;
  }
  Info info{};
  std::memcpy(&info, CMSG_DATA(&control), sizeof info);
  return info;
}

template <class Info>
void put(msghdr& message, int level, int type, const Info& info) {
  message.msg_controllen = CMSG_SPACE(sizeof info);
  cmsghdr* const control = CMSG_FIRSTHDR(&message);
  control->cmsg_level = level;
  control->cmsg_type = type;
  control->cmsg_len = CMSG_LEN(sizeof info);
  std::memcpy(CMSG_DATA(control), &info, sizeof info);
}

bool is_multicast(const in6_addr& ip) {
  return ip.s6_addr[0] == 0xff;
}

}  // namespace

int receive_packet_info(int handle, IpSocket kind) {
  const int on = 1;
  const int result = kind == IpSocket::V4
                         ? setsockopt(handle, IPPROTO_IP, IP_PKTINFO, &on, sizeof on)
                         : setsockopt(handle, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
  return result == 0 ? 0 : errno;
}

void PacketInfo::expect(msghdr& message) {
  message.msg_control = bytes_.data();
  message.msg_controllen = bytes_.size();
}

void PacketInfo::send_from(msghdr& message, const net::Address& local, IpSocket kind) {
  expect(message);
  if (kind == IpSocket::V4) {
    in_pktinfo info{};
    constexpr std::size_t kMappedPrefixBytes = 12;
    std::memcpy(&info.ipi_spec_dst, local.ip.data() + kMappedPrefixBytes, sizeof info.ipi_spec_dst);
    put(message, IPPROTO_IP, IP_PKTINFO, info);
  } else {
    in6_pktinfo info{};
    std::memcpy(&info.ipi6_addr, local.ip.data(), sizeof info.ipi6_addr);
    put(message, IPPROTO_IPV6, IPV6_PKTINFO, info);
  }
}

net::Address destination_of(const msghdr& message, std::uint16_t port) {
  auto& walked = const_cast<msghdr&>(message);  // CMSG_NXTHDR changes nothing, and asks for it
  for (cmsghdr* control = CMSG_FIRSTHDR(&walked); control != nullptr;
       control = CMSG_NXTHDR(&walked, control)) {
    // Not ipi_addr: of a broadcast that is no address of ours.
    if (const auto v4 = content_of<in_pktinfo>(*control, IPPROTO_IP, IP_PKTINFO)) {
      return address_of(v4->ipi_spec_dst, port);
    }
    const auto v6 = content_of<in6_pktinfo>(*control, IPPROTO_IPV6, IPV6_PKTINFO);
    if (v6 && !is_multicast(v6->ipi6_addr)) return address_of(v6->ipi6_addr, port);
  }
  return {};
}

}  // namespace tickbox::os
