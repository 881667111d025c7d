// Clients on one socket, and a server that the test plays: which client gets which datagram.

#include "client/commands/play/swarm.h"
#include "net/handshake.h"
#include "os/process/steady_clock.h"
#include "tests/support/patience.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace tickbox::commands {
namespace {

using client::Connection;

/// A server that admits everybody who asks, and gives sessions the ids from `next_id`.
class Server {
 public:
  [[nodiscard]] net::Address address() const { return socket_->local_address(); }

  /// Answers the requests that have arrived. Returns whether there were any.
  bool answer(const net::KeyPair& token_keys) {
    bool any = false;
    while (const auto datagram = socket_->receive()) {
      const auto request = net::decode_request(datagram->bytes);
      if (!request) continue;
      any = true;
      route_ = datagram->back();
      if (request->type == net::PacketType::Hello) {
        socket_->send(route_, net::encode_cookie(request->client_nonce, {std::byte{1}}, packet_));
        continue;
      }
      const net::HandshakePair pair = net::handshake_pair(net::draw<net::SecretKey>(entropy_));
      const net::KeyPair keys =
          net::derive_session_keys(token_keys, request->client_nonce, pair.nonce,
                                   net::agree(pair, request->client_nonce).value());
      const std::uint32_t id = next_id++;
      sessions.emplace_back(keys, id, net::Direction::ToClient);
      const net::Accept accept{.tick_rate = 60, .game = "arena", .map_seats = 16, .map_hash = 1};
      socket_->send(route_, net::encode_accept(accept, id, pair.nonce, keys, packet_));
    }
    return any;
  }

  void say(std::size_t session) {
    const std::vector<std::byte> message(30);
    socket_->send(route_,
                  sessions[session].seal_packet(net::PacketType::Snapshot, message, packet_));
  }

  std::uint32_t next_id = 0;
  std::vector<net::PacketChannel> sessions;

 private:
  std::unique_ptr<os::UdpTransport> socket_ =
      os::UdpTransport::open({.bind = net::parse_address("127.0.0.1:0").value()}).value();
  net::Route route_;
  net::PacketBuffer packet_{};
  os::SystemEntropy entropy_;
};

class SharedSocketTest : public testing::Test {
 protected:
  static constexpr std::size_t kClients = 3;

  /// Begins a session of the client with the id.
  void join(std::size_t client, Server& server, std::uint32_t id) {
    begin(client, server);
    server.next_id = id;
    const net::KeyPair keys = tokens_[client].keys;
    ASSERT_TRUE(tests::comes_true([&] {
      (void)server.answer(keys);
      (void)deliver();
      return connections_[client]->state() == Connection::State::Connected;
    }));
  }

  void begin(std::size_t client, const Server& server) {
    net::TokenClaims claims{.client = client};
    claims.servers.push_back(server.address());
    const WallTime today{std::chrono::hours{1}};
    tokens_[client] = net::issue_token(claims, today, today + std::chrono::minutes{1},
                                       net::KeyRing::published(), entropy_);
    connections_[client] = std::make_unique<Connection>(
        client::ConnectionOptions{.server = server.address(), .token = tokens_[client]},
        socket_->end_of(client), entropy_, clock_.now());
    socket_->follow(client, *connections_[client]);
    socket_->flush();
  }

  /// Delivers what has arrived. Returns the clients that have had a datagram, in its order.
  std::vector<std::size_t> deliver() {
    std::vector<std::size_t> polled;
    socket_->deliver([&](std::size_t client) {
      polled.push_back(client);
      if (connections_[client]->receive(clock_.now())) opened_.push_back(client);
      connections_[client]->update(clock_.now());
      socket_->follow(client, *connections_[client]);
    });
    socket_->flush();
    return polled;
  }

  /// Delivers until one datagram has arrived.
  std::vector<std::size_t> deliver_next() {
    opened_.clear();
    std::vector<std::size_t> polled;
    EXPECT_TRUE(tests::comes_true([&] {
      polled = deliver();
      return !polled.empty();
    }));
    return polled;
  }

  using Clients = std::vector<std::size_t>;

  os::SteadyClock clock_;
  os::SystemEntropy entropy_;
  Server server_;
  std::unique_ptr<SharedSocket> socket_ = SharedSocket::open(server_.address(), kClients).value();
  std::array<net::ConnectToken, kClients> tokens_;
  std::array<std::unique_ptr<Connection>, kClients> connections_;
  Clients opened_;  ///< clients that have opened a packet since deliver_next() began
};

TEST_F(SharedSocketTest, APacketIsForTheClientWithItsIdAlone) {
  for (std::size_t client = 0; client < kClients; ++client) {
    join(client, server_, 100 + static_cast<std::uint32_t>(client));
  }
  for (const std::size_t client : {2U, 0U, 1U, 1U}) {
    server_.say(client);
    EXPECT_EQ(deliver_next(), Clients{client});
    EXPECT_EQ(opened_, Clients{client});
  }
}

TEST_F(SharedSocketTest, AnAnswerIsForTheClientThatHasAsked) {
  join(1, server_, 100);
  begin(2, server_);
  begin(0, server_);
  EXPECT_TRUE(tests::comes_true([&] { return server_.answer(tokens_[2].keys); }));
  EXPECT_EQ(deliver_next(), (Clients{2, 0})) << "two COOKIEs";
  server_.next_id = 102;
  EXPECT_TRUE(tests::comes_true([&] { return server_.answer(tokens_[2].keys); }));
  EXPECT_EQ(deliver_next(), (Clients{2, 0})) << "two ACCEPTs";
  EXPECT_EQ(connections_[2]->state(), Connection::State::Connected);
  EXPECT_EQ(connections_[0]->state(), Connection::State::Connecting) << "its ACCEPT is forged";
}

// A server renews the id of a session when its client comes from another address.
TEST_F(SharedSocketTest, AnIdThatIsNewIsForTheClientThatOpensItsPacket) {
  join(0, server_, 100);
  join(1, server_, 101);
  server_.sessions[1].set_connection(777);
  server_.say(1);
  EXPECT_EQ(deliver_next(), (Clients{0, 1}));
  EXPECT_EQ(opened_, Clients{1});
  server_.say(1);
  EXPECT_EQ(deliver_next(), Clients{1});
}

TEST_F(SharedSocketTest, ServersMayGiveTheSameId) {
  Server other;
  join(0, server_, 100);
  join(1, other, 100);
  other.say(0);
  EXPECT_EQ(deliver_next(), Clients{1});
  server_.say(0);
  EXPECT_EQ(deliver_next(), Clients{0});
}

// Before the fix, a load generator that was too slow for its clients ended at no time or signal.
TEST_F(SharedSocketTest, ClientsThatAreSlowerThanTheirServerDoNotHoldIt) {
  join(0, server_, 100);
  for (std::size_t i = 0; i < 2 * os::kReceiveBatch; ++i) {
    server_.say(0);
  }
  std::size_t polls = 0;
  socket_->deliver([&](std::size_t) {
    if (++polls < 1'000) server_.say(0);
  });
  EXPECT_EQ(polls, os::kReceiveBatch);
  EXPECT_EQ(deliver().size(), os::kReceiveBatch) << "the next ones are still there";
}

TEST_F(SharedSocketTest, AClientThatHasLeftGetsNothing) {
  join(0, server_, 100);
  join(1, server_, 101);
  socket_->leave(0);
  server_.say(0);
  EXPECT_EQ(deliver_next(), Clients{1}) << "to whom a packet of an unknown id is offered";
  EXPECT_EQ(opened_, Clients{});
}

}  // namespace
}  // namespace tickbox::commands
