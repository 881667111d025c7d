// The client's end of a session against a server that is played by hand.

#include "client/connection.h"

#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace tickbox::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr net::Address kServer{.ip = {}, .port = 7'777};
constexpr net::Address kStranger{.ip = {}, .port = 6'666};

using Bytes = std::vector<std::byte>;

class ScriptedTransport final : public net::Transport {
 public:
  void send(const net::Address& to, ConstBytes bytes) override {
    EXPECT_EQ(to, kServer);
    sent.emplace_back(bytes.begin(), bytes.end());
  }

  std::optional<net::Datagram> receive() override {
    if (arriving_.empty()) return std::nullopt;
    current_ = arriving_.front();
    arriving_.pop_front();
    return net::Datagram{.from = current_.from, .bytes = current_.bytes};
  }

  void deliver(ConstBytes bytes, const net::Address& from = kServer) {
    arriving_.push_back({.from = from, .bytes = Bytes(bytes.begin(), bytes.end())});
  }

  std::vector<Bytes> sent;

 private:
  struct Arriving {
    net::Address from;
    Bytes bytes;
  };

  std::deque<Arriving> arriving_;
  Arriving current_;
};

class ConnectionTest : public testing::Test {
 protected:
  ConnectionTest() : connection_{transport_, kServer, entropy_, now_} {}

  /// The CONNECT that was sent last, as a server reads it.
  [[nodiscard]] net::Connect asked() const {
    return net::decode_connect(transport_.sent.back(), net::published_key()).value();
  }

  void accept() {
    const net::HandshakeNonce server_nonce = net::draw_nonce(entropy_);
    const net::SessionKeys keys =
        net::derive_session_keys(net::published_key(), asked().client_nonce, server_nonce);
    const net::Accept accept{.player = {3},
                             .body = game::player_body({3}, 1),
                             .tick_rate = 60,
                             .tick = {500},
                             .rules = "arena",
                             .map_seats = 16,
                             .map_hash = 1};
    server_ = net::PacketChannel{keys, 77, net::Direction::ToClient};
    transport_.deliver(net::encode_accept(accept, 77, server_nonce, keys, packet_));
    EXPECT_FALSE(connection_.receive(now_));
  }

  void refuse(const net::HandshakeNonce& nonce) {
    transport_.deliver(net::encode_refuse(
        {.client_nonce = nonce, .reason = net::RefuseReason::Full, .have = 64, .limit = 64},
        net::published_key(), packet_));
    EXPECT_FALSE(connection_.receive(now_));
  }

  void pass(Duration duration) {
    now_ += duration;
    connection_.update(now_);
  }

  Instant now_{seconds{100}};
  tests::SeededEntropy entropy_{1};
  ScriptedTransport transport_;
  Connection connection_;
  net::PacketChannel server_;
  net::PacketBuffer packet_{};
  net::MessageEncoder encoder_;
};

TEST_F(ConnectionTest, AsksAgainWithTheSameNonceUntilItIsAnswered) {
  ASSERT_EQ(transport_.sent.size(), 1U);
  const net::HandshakeNonce nonce = asked().client_nonce;
  EXPECT_EQ(asked().schema, net::schema_hash());
  pass(kConnectRetry - milliseconds{1});
  EXPECT_EQ(transport_.sent.size(), 1U);
  pass(milliseconds{1});
  ASSERT_EQ(transport_.sent.size(), 2U);
  EXPECT_EQ(asked().client_nonce, nonce);
  now_ += milliseconds{30};
  accept();
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  EXPECT_EQ(connection_.accept().tick, Tick{500});
  EXPECT_EQ(connection_.connect_time(), kConnectRetry + milliseconds{30});
  pass(kConnectRetry);
  EXPECT_EQ(transport_.sent.size(), 2U) << "answered, so it asks no more";
}

TEST_F(ConnectionTest, GivesUpWhenNobodyAnswers) {
  for (Duration passed{}; passed < kServerTimeout; passed += milliseconds{50}) {
    EXPECT_FALSE(connection_.over());
    pass(milliseconds{50});
  }
  EXPECT_EQ(connection_.state(), Connection::State::Silent);
  EXPECT_NE(connection_.reason().find("no answer from"), std::string::npos);
  EXPECT_NE(connection_.reason().find("after 5 s"), std::string::npos);
  const std::size_t sent = transport_.sent.size();
  pass(seconds{1});
  EXPECT_EQ(transport_.sent.size(), sent);
}

TEST_F(ConnectionTest, TellsWhyItWasRefused) {
  refuse(asked().client_nonce);
  EXPECT_EQ(connection_.state(), Connection::State::Refused);
  EXPECT_EQ(connection_.reason(), "server full 64/64");
}

TEST_F(ConnectionTest, IgnoresTheRefusalOfAnother) {
  net::HandshakeNonce other = asked().client_nonce;
  other[0] ^= std::byte{1};
  refuse(other);
  EXPECT_EQ(connection_.state(), Connection::State::Connecting);
}

TEST_F(ConnectionTest, DropsWhatComesFromAStrangerAndWhatIsDamaged) {
  accept();
  const ConstBytes message = encoder_.disconnect(net::DisconnectReason::Kicked);
  const ConstBytes sealed = server_.seal_packet(net::PacketType::Disconnect, message, packet_);
  Bytes damaged(sealed.begin(), sealed.end());
  damaged.back() ^= std::byte{1};
  transport_.deliver(sealed, kStranger);
  transport_.deliver(damaged);
  EXPECT_FALSE(connection_.receive(now_));
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  EXPECT_EQ(connection_.drops().of(net::DropReason::UnknownConnection), 1U);
  EXPECT_EQ(connection_.drops().of(net::DropReason::Forged), 1U);
}

TEST_F(ConnectionTest, NoticesSilence) {
  accept();
  pass(kServerTimeout - milliseconds{1});
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  pass(milliseconds{1});
  EXPECT_EQ(connection_.state(), Connection::State::Closed);
  EXPECT_NE(connection_.reason().find("nothing heard"), std::string::npos);
}

// Forgeries are no sign of life.
TEST_F(ConnectionTest, IsNotKeptAliveByWhatDoesNotOpen) {
  accept();
  for (int i = 0; i < 10 && !connection_.over(); ++i) {
    transport_.deliver(Bytes(100, std::byte{9}));
    EXPECT_FALSE(connection_.receive(now_));
    pass(kServerTimeout / 10);
  }
  EXPECT_EQ(connection_.state(), Connection::State::Closed);
}

TEST_F(ConnectionTest, TakesTheServersGoodbye) {
  accept();
  transport_.deliver(server_.seal_packet(net::PacketType::Disconnect,
                                         encoder_.disconnect(net::DisconnectReason::ServerStopping),
                                         packet_));
  EXPECT_FALSE(connection_.receive(now_));
  EXPECT_EQ(connection_.state(), Connection::State::Closed);
  EXPECT_EQ(connection_.reason(), "server is stopping");
}

TEST_F(ConnectionTest, SaysGoodbyeThreeTimes) {
  accept();
  transport_.sent.clear();
  connection_.leave();
  EXPECT_EQ(connection_.state(), Connection::State::Closed);
  ASSERT_EQ(transport_.sent.size(), 3U);
  net::PacketBuffer opened{};
  for (const Bytes& datagram : transport_.sent) {
    const auto packet = server_.open_packet(datagram, opened);
    ASSERT_TRUE(packet);
    EXPECT_EQ(packet->type, net::PacketType::Disconnect);
    EXPECT_EQ(net::decode_disconnect(packet->message), net::DisconnectReason::ClientLeft);
  }
  connection_.leave();
  EXPECT_EQ(transport_.sent.size(), 3U);
}

TEST_F(ConnectionTest, LeavesQuietlyBeforeAnAnswer) {
  transport_.sent.clear();
  connection_.leave();
  EXPECT_TRUE(connection_.over());
  EXPECT_TRUE(transport_.sent.empty());
}

TEST_F(ConnectionTest, HandsOutMessagesOnce) {
  accept();
  const Bytes payload(30, std::byte{5});
  const ConstBytes sealed = server_.seal_packet(net::PacketType::Snapshot, payload, packet_);
  transport_.deliver(sealed);
  transport_.deliver(sealed);
  const auto message = connection_.receive(now_);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->type, net::PacketType::Snapshot);
  EXPECT_EQ(Bytes(message->bytes.begin(), message->bytes.end()), payload);
  EXPECT_FALSE(connection_.receive(now_));
  EXPECT_EQ(connection_.drops().of(net::DropReason::Replayed), 1U);
}

}  // namespace
}  // namespace tickbox::client
