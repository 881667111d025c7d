// Someone records all packets of a match, and later gets what can leak: the key ring, a token, a
// ticket. They open nothing that was recorded, because the secrets of the handshake are in none of
// them, and both ends have overwritten theirs.

#include "tests/threats/raw_peer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tickbox::tests {
namespace {

/// A handshake as recorded, and the keys of its token or ticket, which leaked later.
struct Recorded {
  Bytes accept;
  net::HandshakeNonce client{};
  net::HandshakeNonce server{};
  net::KeyPair leaked;
};

Recorded record(RawPeer& peer, const Bytes& request, const net::KeyPair& keys) {
  peer.inbox().clear();
  EXPECT_TRUE(peer.ask(request, keys).accepted);
  const auto accept = std::ranges::find_if(peer.inbox(), [](const Bytes& datagram) {
    return net::packet_type(datagram) == net::PacketType::Accept;
  });
  EXPECT_NE(accept, peer.inbox().end());
  return {.accept = *accept,
          .client = net::decode_request(request).value().client_nonce,
          .server = net::server_nonce_of(*accept).value(),
          .leaked = keys};
}

bool opens(const Recorded& recorded, const net::Key& agreed) {
  return net::open_accept(
             recorded.accept,
             net::derive_session_keys(recorded.leaked, recorded.client, recorded.server, agreed))
      .has_value();
}

/// The secrets that the server has drawn, as nobody else can know them.
class ServerDraws {
 public:
  explicit ServerDraws(Harness& harness) {
    harness.watch_draws([this](ConstBytes drawn) {
      net::Key secret;
      if (drawn.size() != secret.size()) return;
      std::ranges::copy(drawn, secret.begin());
      pairs_.push_back(net::handshake_pair(secret));
    });
  }

  [[nodiscard]] bool open(const Recorded& recorded) const {
    const auto own = std::ranges::find(pairs_, recorded.server, &net::HandshakePair::nonce);
    return own != pairs_.end() && opens(recorded, net::agree(*own, recorded.client).value());
  }

 private:
  std::vector<net::HandshakePair> pairs_;
};

void expect_sealed(const Recorded& recorded) {
  EXPECT_FALSE(opens(recorded, net::Key{}));
  SeededEntropy entropy{5};
  const net::HandshakePair own = net::handshake_pair(net::draw<net::Key>(entropy));
  for (const net::HandshakeNonce& nonce : {recorded.client, recorded.server}) {
    EXPECT_FALSE(opens(recorded, net::agree(own, nonce).value()));
  }
  for (const net::Key& leaked : {recorded.leaked.to_server, recorded.leaked.to_client}) {
    const net::HandshakePair guess = net::handshake_pair(leaked);
    EXPECT_FALSE(opens(recorded, net::agree(guess, recorded.client).value()));
    EXPECT_FALSE(opens(recorded, net::agree(guess, recorded.server).value()));
  }
}

TEST(Threat, LeakedLaterATokenOrTicketOpensNoRecordedSession) {
  Harness harness{{.seed = 131}};
  Wire wire{harness};
  const ServerDraws draws{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  const net::ConnectToken token = make_token(harness, net::KeyRing::published(), 1);
  const Recorded connected = record(peer, peer.make_connect(token), token.keys);
  peer.send_nothing_new();
  harness.run_for(std::chrono::milliseconds{10});
  const net::ResumeTicket ticket = peer.ticket();
  const Recorded resumed = record(peer, peer.make_resume(ticket), ticket.keys);

  for (const Recorded& recorded : {connected, resumed}) {
    expect_sealed(recorded);
    EXPECT_TRUE(draws.open(recorded)) << "the server itself has opened it";
  }
}

// Anybody could compute the session keys of such a nonce.
TEST(Threat, LeakedLaterNonceOfASmallOrderBeginsNoSession) {
  Harness harness{{.seed = 132}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  const net::ConnectToken token = make_token(harness, net::KeyRing::published(), 1);
  net::PacketBuffer packet{};
  const net::HandshakeNonce zero{};
  peer.send(net::encode_hello(net::make_request(net::PacketType::Hello, zero), packet));
  harness.run_for(std::chrono::milliseconds{1});
  ASSERT_EQ(peer.inbox().size(), 1U);
  const auto cookie = net::decode_cookie(peer.inbox().back());
  ASSERT_TRUE(cookie);
  peer.send(net::encode_connect(net::make_request(net::PacketType::Connect, zero), cookie->cookie,
                                token, packet));
  harness.run_for(std::chrono::milliseconds{1});
  EXPECT_EQ(peer.inbox().size(), 1U) << "no answer";
  EXPECT_EQ(harness.shard().metrics().drops.of(net::DropReason::Malformed), 1U);
  EXPECT_TRUE(peer.connect(token).accepted) << "and the token is still good";
}

}  // namespace
}  // namespace tickbox::tests
