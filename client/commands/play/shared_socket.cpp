#include "client/commands/play/shared_socket.h"

#include "net/handshake.h"
#include "net/packet.h"

#include <algorithm>

namespace tickbox::commands {
namespace {

/// The part of a socket's buffer for each client. It holds more than 200 of the largest datagrams;
/// a few arrive between two turns.
constexpr std::size_t kClientBufferBytes = std::size_t{256} * 1024;

/// Returns the wildcard address of the address family of `server`, with port 0.
net::Address any_address(const net::Address& server) {
  net::Address any;
  if (net::is_ipv4(server)) std::ranges::copy(net::kIpv4Prefix, any.ip.begin());
  return any;
}

/// Returns whether the server seals the datagram for a session that has begun.
bool is_sealed(const net::Datagram& datagram) {
  const auto type = net::packet_type(datagram.bytes);
  return type && net::travels_sealed(*type, net::Direction::ToClient);
}

/// Returns the nonce of the request that the datagram answers: a COOKIE or a REFUSE has it.
std::optional<net::HandshakeNonce> nonce_in(const net::Datagram& datagram) {
  const auto type = net::packet_type(datagram.bytes);
  if (type == net::PacketType::Cookie) {
    const auto cookie = net::decode_cookie(datagram.bytes);
    if (cookie) return cookie->client_nonce;
  } else if (type == net::PacketType::Refuse) {
    const auto refuse = net::decode_refuse(datagram.bytes);
    if (refuse) return refuse->client_nonce;
  }
  return std::nullopt;
}

/// Returns the connection id in the datagram. An ACCEPT has it where a packet has it.
std::optional<std::uint32_t> connection_in(const net::Datagram& datagram) {
  const bool has_id =
      is_sealed(datagram) || net::packet_type(datagram.bytes) == net::PacketType::Accept;
  if (!has_id || datagram.bytes.size() < net::kPacketHeadBytes) return std::nullopt;
  return net::packet_connection(datagram.bytes);
}

}  // namespace

std::expected<std::unique_ptr<SharedSocket>, std::string> SharedSocket::open(
    const net::Address& server, std::size_t clients) {
  auto socket = os::UdpTransport::open({.bind = any_address(server),
                                        .buffer_bytes = clients * kClientBufferBytes,
                                        .send_batch = std::min(clients, os::kSendBatch)});
  if (!socket) return std::unexpected(std::move(socket.error()));
  return std::unique_ptr<SharedSocket>{new SharedSocket{*std::move(socket), clients}};
}

SharedSocket::SharedSocket(std::unique_ptr<os::UdpTransport> socket, std::size_t clients)
    : socket_(std::move(socket)), connections_(clients), places_(clients) {
  for (std::size_t client = 0; client < clients; ++client) {
    ends_.emplace_back(*this, client);
  }
}

void SharedSocket::send(std::size_t client, const net::Route& route, ConstBytes bytes) {
  if (const auto request = net::decode_request(bytes)) {
    places_[client].requested = ++requests_;
    places_[client].nonce = request->client_nonce;
  }
  socket_->send(route, bytes);
}

/// Keeps the id of a session that has ended: the server may send some packets more.
void SharedSocket::follow(std::size_t client, const client::Connection& connection) {
  Place& place = places_[client];
  if (connection.state() == client::Connection::State::Connected) {
    place.state = State::Connected;
    connections_[client] = connection.channel().connection();
    place.server = connection.server();
  } else {
    place.state = connection.connecting() ? State::Connecting : State::Away;
  }
}

std::optional<std::size_t> SharedSocket::owner_of(const net::Datagram& datagram) const {
  if (places_.size() == 1) return 0;
  const std::optional<net::HandshakeNonce> nonce = nonce_in(datagram);
  const std::optional<std::uint32_t> connection = connection_in(datagram);
  if (!nonce && !connection) return std::nullopt;
  for (std::size_t client = 0; client < places_.size(); ++client) {
    const bool is_owner =
        nonce ? places_[client].nonce == *nonce
              : connections_[client] == *connection && places_[client].server == datagram.from;
    if (is_owner) return client;
  }
  return std::nullopt;
}

std::optional<std::size_t> SharedSocket::next_in(State state, std::uint64_t order) const {
  std::optional<std::size_t> next;
  for (std::size_t client = 0; client < places_.size(); ++client) {
    const Place& place = places_[client];
    if (place.state != state || place.requested <= order) continue;
    if (!next || place.requested < places_[*next].requested) next = client;
  }
  return next;
}

/// Returns the state of the clients that may know what to do with a datagram without an owner. The
/// id of a session changes when its client comes from another address: the packet that says so is
/// sealed, and opens at that client alone.
SharedSocket::State SharedSocket::state_for(const net::Datagram& datagram) {
  return is_sealed(datagram) ? State::Connected : State::Connecting;
}

}  // namespace tickbox::commands
