#include "tests/integration/flood/many_sources.h"

#include "core/assert.h"
#include "os/net/resolve.h"
#include "os/process/system_error.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tickbox::flood {
namespace {

/// The number of ports; a batch goes through one of them.
constexpr std::size_t kSockets = 16;

/// Longer than any datagram that is made, also those that are too long for the server.
constexpr std::size_t kBytesMax = 1'536;

/// Answers wait here until the next flush.
constexpr int kAnswerBufferBytes = 4 * 1024 * 1024;

}  // namespace

struct ManySources::Batch {
  /// What tells the kernel which of our addresses a datagram is sent from.
  struct alignas(cmsghdr) SourceControl {
    std::array<std::byte, CMSG_SPACE(sizeof(in_pktinfo))> bytes{};
  };

  std::array<int, kSockets> sockets{};
  std::size_t next_socket = 0;
  net::Address address;  ///< of the target
  os::SocketAddress target;
  std::size_t count = 0;
  std::array<std::array<std::byte, kBytesMax>, kBatch> bytes{};
  std::array<SourceControl, kBatch> controls{};
  std::array<iovec, kBatch> vectors{};
  std::array<mmsghdr, kBatch> messages{};

  Batch() { sockets.fill(-1); }

  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  ~Batch() {
    for (const int socket : sockets) {
      if (socket >= 0) close(socket);
    }
  }

  int open_sockets();
  void prepare();
};

/// Returns 0 or what errno says.
int ManySources::Batch::open_sockets() {
  for (int& handle : sockets) {
    handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (handle < 0) return errno;
    // Bound to all addresses, so that what is answered to any of them comes here.
    sockaddr_in any{};
    any.sin_family = AF_INET;
    if (bind(handle, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) return errno;
    setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &kAnswerBufferBytes, sizeof kAnswerBufferBytes);
  }
  return 0;
}

void ManySources::Batch::prepare() {
  for (std::size_t i = 0; i < kBatch; ++i) {
    msghdr& head = messages[i].msg_hdr;
    head.msg_name = &target.storage;
    head.msg_namelen = target.size;
    head.msg_iov = &vectors[i];
    head.msg_iovlen = 1;
    head.msg_control = controls[i].bytes.data();
    head.msg_controllen = controls[i].bytes.size();
    cmsghdr* const control = CMSG_FIRSTHDR(&head);
    control->cmsg_level = IPPROTO_IP;
    control->cmsg_type = IP_PKTINFO;
    control->cmsg_len = CMSG_LEN(sizeof(in_pktinfo));
  }
}

std::uint32_t source_ip(std::uint32_t number) {
  TICKBOX_ASSERT(number < kSourcesMax);
  constexpr std::uint32_t kLoopback = 127U << 24;
  return kLoopback | (1 + number % kNetworks) << 8 | (1 + number / kNetworks);
}

std::expected<std::unique_ptr<ManySources>, std::string> ManySources::open(
    const net::Address& target, std::uint32_t sources) {
  TICKBOX_ASSERT(net::is_ipv4(target) && sources >= 1 && sources <= kSourcesMax);
  auto batch = std::make_unique<Batch>();
  batch->address = target;
  batch->target = os::to_ipv4_or_ipv6(target);
  if (const int code = batch->open_sockets(); code != 0) {
    return std::unexpected("cannot open sockets: " + os::reason_of(code));
  }
  batch->prepare();
  return std::unique_ptr<ManySources>{new ManySources{std::move(batch), sources}};
}

ManySources::ManySources(std::unique_ptr<Batch> batch, std::uint32_t sources)
    : batch_(std::move(batch)), sources_(sources) {}

ManySources::~ManySources() = default;

void ManySources::add(ConstBytes datagram) {
  TICKBOX_ASSERT(datagram.size() <= kBytesMax);
  Batch& batch = *batch_;
  const std::size_t i = batch.count++;
  std::memcpy(batch.bytes[i].data(), datagram.data(), datagram.size());
  batch.vectors[i] = {.iov_base = batch.bytes[i].data(), .iov_len = datagram.size()};
  in_pktinfo source{};
  source.ipi_spec_dst.s_addr = htonl(source_ip(next_source_));
  cmsghdr* const control = CMSG_FIRSTHDR(&batch.messages[i].msg_hdr);
  TICKBOX_ASSERT(control != nullptr);
  std::memcpy(CMSG_DATA(control), &source, sizeof source);
  next_source_ = next_source_ + 1 == sources_ ? 0 : next_source_ + 1;
  if (batch.count == kBatch) flush();
}

void ManySources::flush() {
  Batch& batch = *batch_;
  const int socket = batch.sockets[batch.next_socket];
  batch.next_socket = (batch.next_socket + 1) % kSockets;
  for (std::size_t first = 0; first < batch.count;) {
    const int sent = sendmmsg(socket, &batch.messages[first],
                              static_cast<unsigned>(batch.count - first), MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    const std::size_t end = sent > 0 ? first + static_cast<std::size_t>(sent) : first + 1;
    for (; first < end; ++first) {
      counts_.sent += sent > 0 ? 1U : 0U;
      counts_.refused += sent > 0 ? 0U : 1U;
      counts_.bytes_sent += sent > 0 ? batch.vectors[first].iov_len : 0;
    }
  }
  batch.count = 0;
  take_answers(socket);
}

/// Counts the datagrams of the target alone: a port may have been another program's, whose peer
/// still sends to it.
void ManySources::take_answers(int socket) {
  std::array<std::array<std::byte, 1>, kBatch> bytes{};
  std::array<iovec, kBatch> vectors{};
  std::array<mmsghdr, kBatch> messages{};
  std::array<sockaddr_storage, kBatch> senders{};
  for (std::size_t i = 0; i < kBatch; ++i) {
    vectors[i] = {.iov_base = bytes[i].data(), .iov_len = bytes[i].size()};
    messages[i].msg_hdr.msg_name = &senders[i];
    messages[i].msg_hdr.msg_namelen = sizeof senders[i];
    messages[i].msg_hdr.msg_iov = &vectors[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  // MSG_TRUNC tells the length of what is not kept. A socket has its turn at every sixteenth batch.
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    const int received =
        recvmmsg(socket, messages.data(), kBatch, MSG_DONTWAIT | MSG_TRUNC, nullptr);
    for (int i = 0; i < received; ++i) {
      const auto number = static_cast<std::size_t>(i);
      if (os::from_socket_address(senders[number]) != batch_->address) continue;
      ++counts_.answers;
      counts_.bytes_answered += messages[number].msg_len;
    }
    if (received < static_cast<int>(kBatch)) return;
  }
}

}  // namespace tickbox::flood
