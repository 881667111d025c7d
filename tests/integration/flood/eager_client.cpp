#include "tests/integration/flood/eager_client.h"

#include "os/process/steady_clock.h"
#include "protocol/snapshot.h"

#include <algorithm>
#include <array>

namespace tickbox::flood {
namespace {

/// Three inputs, as an ordinary packet holds on a short way, of any game with four values: each as
/// it is by default.
constexpr std::array kInputs = {std::byte{0b0100'0001}, std::byte{0b0001'0000}, std::byte{0}};
/// How far the first of them is ahead of the newest snapshot.
constexpr std::uint32_t kTicksAhead = 2;

constexpr std::chrono::seconds kTokenLife{60};

net::ConnectToken make_client_token(const net::Address& server, Entropy& entropy) {
  constexpr std::uint64_t kClient = 1'000'000;  // none of a load generator's
  net::TokenClaims claims{.client = kClient};
  claims.servers.push_back(server);
  const WallTime today = os::SystemCalendar{}.now();
  return net::issue_token(claims, today, today + kTokenLife, net::KeyRing::published(), entropy);
}

}  // namespace

std::expected<std::unique_ptr<EagerClient>, std::string> EagerClient::open(
    const net::Address& server, Entropy& entropy) {
  net::Address any = server;
  any.port = 0;
  auto socket = os::UdpTransport::open({.bind = any});
  if (!socket) return std::unexpected(std::move(socket.error()));
  return std::unique_ptr<EagerClient>{new EagerClient{*std::move(socket), server, entropy}};
}

EagerClient::EagerClient(std::unique_ptr<os::UdpTransport> socket, const net::Address& server,
                         Entropy& entropy)
    : socket_(std::move(socket)),
      connection_(std::make_unique<client::Connection>(
          client::ConnectionOptions{.server = server, .token = make_client_token(server, entropy)},
          *socket_, entropy, os::SteadyClock{}.now())) {}

void EagerClient::poll(Instant now) {
  while (const auto message = connection_->receive(now)) {
    if (message->type != net::PacketType::Snapshot) continue;
    protocol::Snapshot snapshot;
    if (!protocol::decode_snapshot(message->bytes, snapshot)) continue;
    const Tick near = std::max(newest_.tick, connection_->accept().tick);
    const Tick tick = protocol::expand_tick(snapshot.head.report.tick, near);
    if (tick <= newest_.tick) continue;
    ++snapshots_;
    newest_ = {.tick = tick, .receipt = snapshot.receipt};
  }
  connection_->update(now);
}

void EagerClient::send_inputs() {
  protocol::InputMessage message{.first_tick = newest_.tick + kTicksAhead};
  if (newest_.tick.value != 0) message.view = newest_;
  message.inputs.assign(kInputs.begin(), kInputs.end());
  connection_->send(net::PacketType::Input, protocol::encode_input(message, message_buffer_));
}

}  // namespace tickbox::flood
