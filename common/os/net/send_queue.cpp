#include "os/net/send_queue.h"

#include "os/net/resolve.h"
#include "os/net/udp_transport.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace tickbox::os {
namespace {

constexpr int kSendFlags = MSG_DONTWAIT | MSG_NOSIGNAL;

/// The most attempts to send a message after an error that passes.
constexpr int kSendAttempts = 3;

bool has_no_space(int code) {
  return code == EAGAIN || code == EWOULDBLOCK || code == ENOBUFS;
}

}  // namespace

SendQueue::SendQueue(int handle, IpSocket kind, bool is_everywhere, std::size_t size)
    : handle_(handle),
      kind_(kind),
      is_everywhere_(is_everywhere),
      kept_(size),
      messages_(size),
      heads_(size),
      vectors_(size) {}

void SendQueue::add(const net::Route& route, ConstBytes bytes) {
  Kept& datagram = kept_[count_++];
  std::ranges::copy(bytes, datagram.bytes.begin());
  datagram.size = bytes.size();
  datagram.route = route;
  datagram.is_gathered = false;
}

/// Gathers a datagram, and those like it that follow, as the vectors from `gathered`. Returns how
/// many are gathered then.
std::size_t SendQueue::gather(std::size_t first, std::size_t gathered) {
  const Kept& like = kept_[first];
  const bool may_join =
      joins_ && like.size > 0 && net::is_loopback(like.route.peer) && is_wildcard(like.route.local);
  const std::size_t end = may_join ? count_ : first + 1;
  for (std::size_t i = first; i < end; ++i) {
    Kept& each = kept_[i];
    if (each.is_gathered || each.size != like.size || each.route != like.route) continue;
    each.is_gathered = true;
    vectors_[gathered++] = {.iov_base = each.bytes.data(), .iov_len = each.size};
  }
  return gathered;
}

/// Makes messages of all datagrams, and returns how many.
std::size_t SendQueue::make_messages() {
  std::size_t made = 0;
  std::size_t gathered = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Kept& first = kept_[i];
    if (first.is_gathered) continue;
    Head& head = heads_[made];
    msghdr& message = messages_[made++].msg_hdr;
    const net::Address& peer = first.route.peer;
    head.target = kind_ == IpSocket::V4 ? to_ipv4_or_ipv6(peer) : to_ipv6(peer);
    message = {};
    message.msg_name = &head.target.storage;
    message.msg_namelen = head.target.size;
    message.msg_iov = &vectors_[gathered];
    const std::size_t end = gather(i, gathered);
    message.msg_iovlen = end - std::exchange(gathered, end);
    if (message.msg_iovlen > 1) {
      head.control.cut_into(message, static_cast<std::uint16_t>(first.size));
    } else if (is_everywhere_ && !is_wildcard(first.route.local)) {
      head.control.send_from(message, first.route.local, kind_);
    }
  }
  return made;
}

void SendQueue::flush(UdpFailures& failures) {
  const std::size_t made = make_messages();
  std::size_t done = 0;
  for (int attempt = 1; done < made;) {
    const int sent =
        sendmmsg(handle_, &messages_[done], static_cast<unsigned>(made - done), kSendFlags);
    if (sent > 0) {
      done += static_cast<std::size_t>(sent);
      attempt = 1;
      continue;
    }
    // The kernel stops at a message that it does not take.
    if ((errno == ECONNREFUSED || errno == EINTR) && attempt++ < kSendAttempts) continue;
    const msghdr& message = messages_[done].msg_hdr;
    if (has_no_space(errno)) {
      failures.sends_dropped += message.msg_iovlen;
    } else if (message.msg_iovlen > 1) {
      joins_ = false;
      send_singly(message, failures);
    } else {
      ++failures.send_errors;
    }
    ++done;
    attempt = 1;
  }
  count_ = 0;
}

/// Sends the datagrams of a message that the kernel does not take as one.
void SendQueue::send_singly(const msghdr& joined, UdpFailures& failures) const {
  for (std::size_t i = 0; i < joined.msg_iovlen; ++i) {
    const iovec& each = joined.msg_iov[i];
    if (sendto(handle_, each.iov_base, each.iov_len, kSendFlags,
               static_cast<const sockaddr*>(joined.msg_name), joined.msg_namelen) < 0) {
      ++(has_no_space(errno) ? failures.sends_dropped : failures.send_errors);
    }
  }
}

}  // namespace tickbox::os
