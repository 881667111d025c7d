#include "client/library/system.h"

#include "net/crypto.h"
#include "os/net/resolve.h"
#include "os/net/udp_transport.h"
#include "os/process/steady_clock.h"

#include <algorithm>
#include <utility>

namespace tickbox::library {

/// The kernel's buffers of the socket: more than a second of snapshots.
constexpr std::size_t kBufferBytes = std::size_t{256} * 1024;

std::expected<std::unique_ptr<net::Transport>, std::string> open_socket(
    const net::Address& server) {
  if (auto wrong = os::as_destination(server); !wrong) {
    return std::unexpected{std::move(wrong.error())};
  }
  net::Address any;
  if (net::is_ipv4(server)) std::ranges::copy(net::kIpv4Prefix, any.ip.begin());
  auto socket = os::UdpTransport::open({.bind = any, .buffer_bytes = kBufferBytes});
  if (!socket) return std::unexpected{std::move(socket.error())};
  return *std::move(socket);
}

std::expected<std::unique_ptr<Entropy>, std::string> open_entropy() {
  if (!net::crypto_ready()) return std::unexpected{std::string{net::kNoCrypto}};
  return std::make_unique<os::SystemEntropy>();
}

WallTime today() {
  return os::SystemCalendar{}.now();
}

std::expected<net::Address, std::string> resolve(const std::string& host_and_port) {
  return os::resolve_destination(host_and_port);
}

}  // namespace tickbox::library
