// recvmmsg() receives a batch of datagrams at a time, and a SendQueue sends one.

#include "os/net/udp_transport.h"

#include "core/assert.h"
#include "core/bytes.h"
#include "net/transport.h"
#include "os/net/resolve.h"
#include "os/process/steady_clock.h"
#include "os/process/system_error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <limits>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <optional>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tickbox::os {

enum class IpSocket : std::uint8_t { V4, V6 };

/// The buffer for the control messages of one datagram.
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

/// Datagrams that wait to be sent together by one system call. On loopback those of one size to one
/// peer are one message, which the kernel cuts again behind most of its way (UDP_SEGMENT): a load
/// generator, whose clients share a peer and mostly say as much, sends at less than half of the
/// cost. Elsewhere none are joined: some networks lose them without an error.
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

constexpr int kSendFlags = MSG_DONTWAIT | MSG_NOSIGNAL;

/// The most attempts to send a message after an error that passes.
constexpr int kSendAttempts = 3;

bool has_no_space(int code) {
  return code == EAGAIN || code == EWOULDBLOCK || code == ENOBUFS;
}

// Control messages of a datagram. IP_PKTINFO or IPV6_PKTINFO has the local address that received it
// or sends it: for a socket that is bound to a wildcard nothing else gives this address.
// SCM_TIMESTAMPNS has the time of its arrival.

net::Address address_of(const in_addr& ip, std::uint16_t port) {
  net::Address address{.port = port};
  std::ranges::copy(net::kIpv4Prefix, address.ip.begin());
  std::memcpy(address.ip.data() + net::kIpv4Prefix.size(), &ip, sizeof ip);
  return address;
}

net::Address address_of(const in6_addr& ip, std::uint16_t port) {
  net::Address address{.port = port};
  std::memcpy(address.ip.data(), &ip, sizeof ip);
  return address;
}

/// Returns the content of the control message of this level and type, if there is one.
template <class Info>
std::optional<Info> find_control(const msghdr& message, int level, int type) {
  auto& walked = const_cast<msghdr&>(message);  // CMSG_NXTHDR() does not change it
  for (cmsghdr* control = CMSG_FIRSTHDR(&walked); control != nullptr;
       control = CMSG_NXTHDR(&walked, control)) {
    if (control->cmsg_level != level || control->cmsg_type != type ||
        control->cmsg_len < CMSG_LEN(sizeof(Info))) {
      continue;
    }
    Info info{};
    std::memcpy(&info, CMSG_DATA(control), sizeof info);
    return info;
  }
  return std::nullopt;
}

bool is_multicast(const in6_addr& ip) {
  return ip.s6_addr[0] == 0xff;
}

/// Makes the kernel report the local address of each received datagram. Returns errno, or 0.
int receive_packet_info(int handle, IpSocket kind) {
  const int on = 1;
  const int result = kind == IpSocket::V4
                         ? setsockopt(handle, IPPROTO_IP, IP_PKTINFO, &on, sizeof on)
                         : setsockopt(handle, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
  return result == 0 ? 0 : errno;
}

/// Returns the local address that received a message, with `port`. Returns zeros if the kernel
/// reported no address that can send the answer, as for a multicast.
net::Address destination_of(const msghdr& message, std::uint16_t port) {
  // Not ipi_addr: for a broadcast it is not an address of this machine.
  if (const auto v4 = find_control<in_pktinfo>(message, IPPROTO_IP, IP_PKTINFO)) {
    return address_of(v4->ipi_spec_dst, port);
  }
  const auto v6 = find_control<in6_pktinfo>(message, IPPROTO_IPV6, IPV6_PKTINFO);
  if (v6 && !is_multicast(v6->ipi6_addr)) return address_of(v6->ipi6_addr, port);
  return {};
}

/// Makes the kernel report when each datagram has arrived. If it refuses, that stays unknown.
void receive_arrival_times(int handle) {
  const int on = 1;
  (void)setsockopt(handle, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

/// Returns how long a datagram had waited when the drain began; 0 if the kernel reported no time.
Duration waited_of(const msghdr& message, const DrainStart& drain) {
  const auto arrived = find_control<timespec>(message, SOL_SOCKET, SCM_TIMESTAMPNS);
  if (!arrived) return {};
  return waited_at(drain, std::chrono::seconds{arrived->tv_sec} + Duration{arrived->tv_nsec});
}

/// Size of a receive buffer: one byte more than is legal, to detect a datagram that is too long.
constexpr std::size_t kReceiveBytes = net::kDatagramBytesMax + 1;

/// Number of errors of earlier sends, reported by ICMP, that one call of receive() skips.
constexpr int kReceiveErrorsSkipped = 16;

std::string open_error(const net::Address& bind, int code) {
  std::string line = "cannot bind UDP " + net::to_string(bind) + ": " + reason_of(code);
  if (code == EADDRINUSE) return line + "; is another server running? try --port 0";
  if (code == EACCES) return line + "; try a port above 1023";
  if (code == EADDRNOTAVAIL) return line + "; try an address of this machine, such as 127.0.0.1";
  if (is_out_of_files(code)) return line.append(kRaiseFileLimit);
  return line + "; try 127.0.0.1";
}

std::size_t grant_buffer(int handle, int forced_option, int option, std::size_t wanted) {
  const int bytes =
      static_cast<int>(std::min<std::size_t>(wanted, std::numeric_limits<int>::max() / 2));
  if (setsockopt(handle, SOL_SOCKET, forced_option, &bytes, sizeof bytes) != 0) {
    setsockopt(handle, SOL_SOCKET, option, &bytes, sizeof bytes);
  }
  int granted = 0;
  socklen_t size = sizeof granted;
  if (getsockopt(handle, SOL_SOCKET, option, &granted, &size) != 0 || granted < 0) return 0;
  // The kernel doubles the requested size for its own bookkeeping, and reports the double.
  return static_cast<std::size_t>(granted) / 2;
}

/// Returns whether the error is of an earlier send, which the kernel reports at any next call.
bool is_of_an_earlier_send(int code) {
  return code == ECONNREFUSED || code == EHOSTUNREACH || code == ENETUNREACH;
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

struct UdpTransport::Socket {
  Socket() = default;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  ~Socket() {
    if (handle >= 0) ::close(handle);
  }

  int handle = -1;
  IpSocket kind = IpSocket::V4;
  net::Address local;
  bool is_everywhere = false;  ///< bound to a wildcard: each datagram has its local address
  bool has_times = false;      ///< UdpOptions::arrival_times
  UdpBuffers buffers;
  UdpFailures failures;

  std::array<std::array<std::byte, kReceiveBytes>, kReceiveBatch> bytes{};
  std::array<sockaddr_storage, kReceiveBatch> from{};
  std::array<iovec, kReceiveBatch> vectors{};
  std::array<ControlBuffer, kReceiveBatch> controls{};
  std::array<mmsghdr, kReceiveBatch> messages{};
  std::size_t count = 0;    ///< datagrams in the last batch
  std::size_t next = 0;     ///< the first datagram not returned yet
  bool is_drained = false;  ///< the last batch was not full: it had all that had arrived
  bool is_draining = false;
  DrainStart drain;
  Instant drained_at;  ///< when the drain began, or the last one if there is none

  std::optional<SendQueue> sends;

  int open(const UdpOptions& options);
  void expect(std::size_t i);
  void begin_drain();
  int fill();
  bool advance();
};

/// Returns 0 or errno.
int UdpTransport::Socket::open(const UdpOptions& options) {
  const bool ipv4 = net::is_ipv4(options.bind);
  kind = ipv4 ? IpSocket::V4 : IpSocket::V6;
  handle = ::socket(ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (handle < 0) return errno;
  const int own_only = options.families == IpFamilies::OwnOnly ? 1 : 0;
  if (!ipv4 && setsockopt(handle, IPPROTO_IPV6, IPV6_V6ONLY, &own_only, sizeof own_only) != 0) {
    return errno;
  }
  // Never SO_REUSEADDR: on UDP it silently gives two sockets the same port.
  const SocketAddress wanted = to_ipv4_or_ipv6(options.bind);
  if (::bind(handle, reinterpret_cast<const sockaddr*>(&wanted.storage), wanted.size) != 0) {
    return errno;
  }
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (getsockname(handle, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return errno;
  local = from_socket_address(bound);
  is_everywhere = is_wildcard(local);
  if (is_everywhere) {
    if (const int code = receive_packet_info(handle, kind); code != 0) return code;
  }
  has_times = options.arrival_times;
  if (has_times) receive_arrival_times(handle);
  drained_at = SteadyClock{}.now();
  buffers.receive_bytes = grant_buffer(handle, SO_RCVBUFFORCE, SO_RCVBUF, options.buffer_bytes);
  buffers.send_bytes = grant_buffer(handle, SO_SNDBUFFORCE, SO_SNDBUF, options.buffer_bytes);
  for (std::size_t i = 0; i < kReceiveBatch; ++i) {
    vectors[i] = {.iov_base = bytes[i].data(), .iov_len = bytes[i].size()};
    messages[i] = {};
    messages[i].msg_hdr.msg_name = &from[i];
    messages[i].msg_hdr.msg_iov = &vectors[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    expect(i);
  }
  sends.emplace(handle, kind, is_everywhere, options.send_batch);
  return 0;
}

/// Prepares a message for the kernel, which overwrites the sizes of each that it fills.
void UdpTransport::Socket::expect(std::size_t i) {
  messages[i].msg_hdr.msg_namelen = sizeof(sockaddr_storage);
  if (is_everywhere || has_times) controls[i].expect(messages[i].msg_hdr);
}

/// Reads the clocks, once for all batches of a drain: its caller has one time for all of them. What
/// arrives after that has not waited, also if the caller stops before the end, and goes on later.
void UdpTransport::Socket::begin_drain() {
  const Instant now = SteadyClock{}.now();
  drain = {.real = std::chrono::system_clock::now().time_since_epoch(),
           .since = now - std::exchange(drained_at, now)};
}

/// Receives the next batch from the kernel. Returns 0 or errno.
int UdpTransport::Socket::fill() {
  if (!std::exchange(is_draining, true) && has_times) begin_drain();
  for (std::size_t i = 0; i < count; ++i) {
    expect(i);
  }
  next = 0;
  count = 0;
  const int received = recvmmsg(handle, messages.data(), kReceiveBatch, MSG_DONTWAIT, nullptr);
  if (received < 0) return errno;
  count = static_cast<std::size_t>(received);
  is_drained = count < kReceiveBatch;
  return 0;
}

/// Makes `next` a datagram that has arrived. Returns false if there is none.
bool UdpTransport::Socket::advance() {
  if (next == count && std::exchange(is_drained, false)) return false;
  for (int skipped = 0; next == count; ++skipped) {
    const int code = fill();
    if (code == 0) continue;
    if (code == EAGAIN || code == EWOULDBLOCK) return false;
    if (code != EINTR && !is_of_an_earlier_send(code)) {
      ++failures.receive_errors;
      return false;
    }
    if (skipped == kReceiveErrorsSkipped) return false;
  }
  return true;
}

std::expected<std::unique_ptr<UdpTransport>, std::string> UdpTransport::open(
    const UdpOptions& options) {
  auto socket = std::make_unique<Socket>();
  if (const int code = socket->open(options); code != 0) {
    return std::unexpected{open_error(options.bind, code)};
  }
  return std::unique_ptr<UdpTransport>{new UdpTransport{std::move(socket)}};
}

UdpTransport::UdpTransport(std::unique_ptr<Socket> socket) : socket_{std::move(socket)} {}

UdpTransport::~UdpTransport() = default;

void UdpTransport::send(const net::Route& route, ConstBytes bytes) {
  TICKBOX_ASSERT(bytes.size() <= net::kDatagramBytesMax);
  socket_->sends->add(route, bytes);
  if (socket_->sends->is_full()) flush();
}

void UdpTransport::flush() {
  socket_->sends->flush(socket_->failures);
}

std::optional<net::Datagram> UdpTransport::receive() {
  Socket& socket = *socket_;
  if (!socket.advance()) {
    socket.is_draining = false;
    return std::nullopt;
  }
  const std::size_t i = socket.next++;
  const msghdr& message = socket.messages[i].msg_hdr;
  return net::Datagram{
      .from = from_socket_address(socket.from[i]),
      .bytes = ConstBytes{socket.bytes[i]}.first(socket.messages[i].msg_len),
      .to = socket.is_everywhere ? destination_of(message, socket.local.port) : socket.local,
      .waited = socket.has_times ? waited_of(message, socket.drain) : Duration::zero(),
  };
}

int UdpTransport::native_handle() const {
  return socket_->handle;
}

net::Address UdpTransport::local_address() const {
  return socket_->local;
}

UdpBuffers UdpTransport::buffers() const {
  return socket_->buffers;
}

const UdpFailures& UdpTransport::failures() const {
  return socket_->failures;
}

std::expected<PollSet, std::string> PollSet::open() {
  const int handle = epoll_create1(EPOLL_CLOEXEC);
  if (handle < 0) return std::unexpected{"cannot wait on sockets: " + reason_of(errno)};
  return PollSet{handle};
}

PollSet::PollSet(PollSet&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}

PollSet::~PollSet() {
  if (handle_ >= 0) close(handle_);
}

std::expected<void, std::string> PollSet::watch(const UdpTransport& transport, std::size_t key) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  if (epoll_ctl(handle_, EPOLL_CTL_ADD, transport.native_handle(), &event) != 0) {
    return std::unexpected{"cannot watch a socket: " + reason_of(errno)};
  }
  return {};
}

std::span<const std::size_t> PollSet::wait(Duration wait) {
  std::array<epoll_event, kReadyMax> events{};
  const auto nanoseconds = std::max(wait, Duration::zero()).count();
  const timespec timeout{.tv_sec = nanoseconds / 1'000'000'000,
                         .tv_nsec = nanoseconds % 1'000'000'000};
  const int size = static_cast<int>(events.size());
  int count = epoll_pwait2(handle_, events.data(), size, &timeout, nullptr);
  if (count < 0 && errno == ENOSYS) {  // Linux before 5.11, and qemu-user
    pollfd any{.fd = handle_, .events = POLLIN, .revents = 0};
    ppoll(&any, 1, &timeout, nullptr);
    count = epoll_wait(handle_, events.data(), size, 0);
  }
  const std::size_t ready = count > 0 ? static_cast<std::size_t>(count) : 0;
  for (std::size_t i = 0; i < ready; ++i) {
    ready_[i] = events[i].data.u64;
  }
  return std::span{ready_}.first(ready);
}

}  // namespace tickbox::os
