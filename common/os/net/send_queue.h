#pragma once
// Datagrams that wait to be sent together by one system call. On loopback those of one size to one
// peer are one message, which the kernel cuts again behind most of its way (UDP_SEGMENT): a load
// generator, whose clients share a peer and mostly say as much, sends at less than half of the
// cost. Elsewhere none are joined: some networks lose them without an error.

#include "core/bytes.h"
#include "net/transport.h"
#include "os/net/control_buffer.h"
#include "os/net/socket_address.h"

#include <array>
#include <cstddef>
#include <sys/socket.h>
#include <vector>

namespace tickbox::os {

struct UdpFailures;

class SendQueue {
 public:
  /// `handle`: of a UDP socket, not owned. `is_everywhere`: it is bound to a wildcard. `size`: from
  /// 1.
  SendQueue(int handle, IpSocket kind, bool is_everywhere, std::size_t size);

  [[nodiscard]] bool is_full() const { return count_ == kept_.size(); }

  /// Copies the datagram. Requires: the queue is not full.
  void add(const net::Route& route, ConstBytes bytes);

  /// Sends all, and counts those that the kernel does not take.
  void flush(UdpFailures& failures);

 private:
  struct Kept {
    std::array<std::byte, net::kDatagramBytesMax> bytes{};
    std::size_t size = 0;
    net::Route route;
    bool is_gathered = false;  ///< by a message
  };

  /// What a message points to.
  struct Head {
    SocketAddress target;
    ControlBuffer control;
  };

  std::size_t make_messages();
  std::size_t gather(std::size_t first, std::size_t gathered);
  void send_singly(const msghdr& joined, UdpFailures& failures) const;

  int handle_;
  IpSocket kind_;
  bool is_everywhere_;
  bool joins_ = true;  ///< until the kernel refuses it
  std::vector<Kept> kept_;
  std::size_t count_ = 0;  ///< the first ones of kept_
  std::vector<mmsghdr> messages_;
  std::vector<Head> heads_;     ///< by message
  std::vector<iovec> vectors_;  ///< of all messages, one for each datagram
};

}  // namespace tickbox::os
