// Clients on several threads, on real sockets. Each is the client that it is with one thread.

#include "client/commands/load/crowd.h"

#include "net/connect_token.h"
#include "net/handshake.h"
#include "os/net/udp_transport.h"
#include "os/process/steady_clock.h"

#include <gtest/gtest.h>

#include <map>

namespace tickbox::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = 7;
constexpr std::uint64_t kFirst = 100;  ///< client id

/// A server that answers a HELLO with a cookie, and reads the tokens.
class TokenReader {
 public:
  TokenReader() {
    auto opened = os::UdpTransport::open({.bind = net::parse_address("127.0.0.1:0").value()});
    EXPECT_TRUE(opened);
    socket_ = *std::move(opened);
  }

  [[nodiscard]] net::Address address() const { return socket_->local_address(); }

  /// Reads what has arrived. Refuses the client with this id.
  void poll(std::optional<std::uint64_t> refused = {}) {
    while (const auto datagram = socket_->receive()) {
      const auto request = net::decode_request(datagram->bytes);
      if (!request) continue;
      net::PacketBuffer out;
      if (request->type == net::PacketType::Hello) {
        socket_->send(datagram->back(), net::encode_cookie(request->client_nonce, {}, out));
        continue;
      }
      const auto token =
          net::open_token(net::sealed_token_of(datagram->bytes), net::KeyRing::published());
      ASSERT_TRUE(token);
      rooms_[token->claims.client] = token->claims.room;
      if (token->claims.client != refused) continue;
      socket_->send(datagram->back(), net::encode_refuse({.client_nonce = request->client_nonce,
                                                          .reason = net::RefuseReason::TokenForged},
                                                         out));
    }
  }

  /// The room that each client has named.
  [[nodiscard]] const std::map<std::uint64_t, std::uint32_t>& rooms() const { return rooms_; }

 private:
  std::unique_ptr<os::UdpTransport> socket_;
  std::map<std::uint64_t, std::uint32_t> rooms_;
};

class CrowdTest : public testing::Test {
 protected:
  std::unique_ptr<Crowd> open(std::size_t threads,
                              const Portion<net::TwoWayLink>& link = {
                                  .share = net::parse_share("50%"),
                                  .value = net::parse_link("loss=100%").value()}) {
    auto crowd = Crowd::open({.servers = {server_.address()},
                              .first_client = kFirst,
                              .clients = kClients,
                              .links = {link},
                              .rooms = 3},
                             clock_, threads);
    EXPECT_TRUE(crowd);
    return crowd ? *std::move(crowd) : nullptr;
  }

  os::SteadyClock clock_;
  TokenReader server_;
};

TEST_F(CrowdTest, HasTheSameClientsWithAnyNumberOfThreads) {
  // The seed draws the other four clients for the link that carries nothing.
  const std::map<std::uint64_t, std::uint32_t> expected{{102, 3}, {103, 1}, {104, 2}};
  for (const std::size_t threads : {1U, 2U, 3U, 7U, 64U}) {
    TokenReader reader;
    std::swap(server_, reader);
    const auto crowd = open(threads);
    ASSERT_TRUE(crowd);
    EXPECT_EQ(crowd->threads(), std::min(threads, kClients));
    EXPECT_EQ(crowd->size(), kClients);
    EXPECT_EQ(crowd->first_client(), kFirst);
    const Instant end = clock_.now() + seconds{4};
    while (clock_.now() < end && server_.rooms().size() < expected.size()) {
      crowd->turn(clock_.now() + milliseconds{20});
      server_.poll();
    }
    EXPECT_EQ(server_.rooms(), expected) << threads;
    for (std::size_t i = 0; i < kClients; ++i) {
      EXPECT_NE(crowd->client(i), nullptr) << i << " of " << threads;
    }
    EXPECT_EQ(crowd->states().connecting, kClients);
    EXPECT_EQ(crowd->time_late().size(), crowd->threads());
    crowd->leave();
  }
}

// A thread whose clients are well has no reason for the others.
TEST_F(CrowdTest, NamesTheReasonOfAClientOnAnotherThread) {
  const auto crowd = open(3, {});
  ASSERT_TRUE(crowd);
  const Instant end = clock_.now() + seconds{4};
  while (clock_.now() < end && crowd->first_reason().empty()) {
    crowd->turn(clock_.now() + milliseconds{20});
    server_.poll(kFirst + 4);
  }
  EXPECT_EQ(crowd->first_refusal(), net::RefuseReason::TokenForged) << crowd->first_reason();
  EXPECT_EQ(crowd->states().never_connected, 1U);
  EXPECT_EQ(crowd->states().connecting, kClients - 1);
}

}  // namespace
}  // namespace tickbox::commands
