// The client's end of a session against a server that the test plays.

#include "client/connection/connection.h"

#include "engine/entity_id.h"
#include "protocol/messages.h"
#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

namespace tickbox::client::connection_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array<std::uint8_t, 16> kLoopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
constexpr net::Address kServer{.ip = kLoopback, .port = 7'777};
constexpr net::Address kNext{.ip = kLoopback, .port = 7'778};
constexpr net::Address kStranger{.ip = kLoopback, .port = 6'666};

using Bytes = std::vector<std::byte>;

class ScriptedTransport final : public net::Transport {
 public:
  void send(const net::Route& route, ConstBytes bytes) override {
    to.push_back(route.peer);
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

  void clear() {
    sent.clear();
    to.clear();
  }

  std::vector<Bytes> sent;
  std::vector<net::Address> to;  ///< of each sent

 private:
  struct Arriving {
    net::Address from;
    Bytes bytes;
  };

  std::deque<Arriving> arriving_;
  Arriving current_;
};

net::ConnectToken make_token(Entropy& entropy, const net::Address& server = kServer) {
  net::TokenClaims claims{.client = 9};
  claims.servers.push_back(server);
  const WallTime today{std::chrono::hours{1}};
  return net::issue_token(claims, today, today + std::chrono::minutes{1}, net::KeyRing::published(),
                          entropy);
}

class ConnectionTest : public testing::Test {
 protected:
  /// The last request, as a server reads it.
  [[nodiscard]] net::ConnectRequest request() const {
    return net::decode_request(transport_.sent.back()).value();
  }

  void answer_hello() {
    deliver(net::encode_cookie(request().client_nonce, {std::byte{1}, std::byte{2}}, packet_));
  }

  /// The ACCEPT of a server.
  static net::Accept taken() {
    return {.player = {3},
            .generation = 1,
            .tick_rate = 60,
            .tick = {500},
            .game = "arena",
            .map_seats = 16,
            .map_hash = 1,
            .ticket = {}};
  }

  void accept(net::Accept accept = taken()) {
    if (request().type == net::PacketType::Hello) answer_hello();
    const bool by_ticket = request().type == net::PacketType::Resume;
    const net::HandshakePair server = net::handshake_pair(net::draw<net::SecretKey>(entropy_));
    const net::HandshakeNonce client_nonce = request().client_nonce;
    const net::KeyPair keys =
        net::derive_session_keys(by_ticket ? connection_.ticket().keys : token_.keys, client_nonce,
                                 server.nonce, net::agree(server, client_nonce).value());
    accept.ticket = {std::byte{++tickets_}};
    server_ = net::PacketChannel{keys, 77, net::Direction::ToClient};
    deliver(net::encode_accept(accept, 77, server.nonce, keys, packet_));
  }

  /// Delivers a packet of the newest session.
  void hear_from_server() {
    const Bytes payload(30, std::byte{5});
    transport_.deliver(server_.seal_packet(net::PacketType::Snapshot, payload, packet_),
                       connection_.server());
    EXPECT_TRUE(connection_.receive(now_));
  }

  /// Delivers a datagram that carries no message.
  void deliver(ConstBytes datagram) {
    transport_.deliver(datagram, connection_.server());
    EXPECT_FALSE(connection_.receive(now_));
  }

  static net::Refuse full(const net::HandshakeNonce& nonce) {
    return {.client_nonce = nonce, .reason = net::RefuseReason::Full, .have = 64, .limit = 64};
  }

  /// Refuses as a server does that has opened the token or ticket.
  void refuse(const net::HandshakeNonce& nonce) {
    const bool by_ticket = request().type == net::PacketType::Resume;
    const net::KeyPair& keys = by_ticket ? connection_.ticket().keys : token_.keys;
    deliver(net::encode_refuse(full(nonce), keys.to_client, packet_));
  }

  /// Sends the REFUSE that every observer of the request can make.
  void refuse_without_proof() {
    deliver(net::encode_refuse(full(request().client_nonce), packet_));
  }

  [[nodiscard]] ConstBytes goodbye(net::DisconnectReason reason) {
    return server_.seal_packet(net::PacketType::Disconnect,
                               protocol::encode_disconnect(reason, message_buffer_), packet_);
  }

  /// Delivers a DRAIN with a token for `next`.
  void hand_over(const net::Address& next = kNext) {
    const protocol::Drain drain{.left = seconds{30}, .onward = make_token(entropy_, next)};
    token_ = *drain.onward;
    deliver(server_.seal_packet(net::PacketType::Drain,
                                protocol::encode_drain(drain, message_buffer_), packet_));
  }

  /// Expects that the three datagrams from the one of number `first` on leave the server of this
  /// channel.
  void expect_goodbyes(net::PacketChannel& server, std::size_t first,
                       const net::Address& to = kServer,
                       net::DisconnectReason reason = net::DisconnectReason::ClientLeft) {
    net::PacketBuffer opened{};
    ASSERT_GE(transport_.sent.size(), first + 3);
    for (std::size_t i = first; i < first + 3; ++i) {
      EXPECT_EQ(transport_.to[i], to);
      const auto packet = server.open_packet(transport_.sent[i], opened);
      ASSERT_TRUE(packet);
      EXPECT_EQ(packet->type, net::PacketType::Disconnect);
      EXPECT_EQ(protocol::decode_disconnect(packet->message), reason);
    }
  }

  /// Expects that the client resumes its session of this ticket at kServer, and lets it.
  void expect_return(const net::ResumeTicket& ticket) {
    EXPECT_EQ(connection_.state(), Connection::State::Resuming);
    EXPECT_EQ(connection_.server(), kServer);
    EXPECT_EQ(transport_.to.back(), kServer);
    EXPECT_EQ(request().type, net::PacketType::Resume);
    EXPECT_EQ(connection_.ticket().sealed, ticket.sealed);
    EXPECT_EQ(connection_.reason(), "");
    accept();
    EXPECT_EQ(connection_.state(), Connection::State::Connected);
    EXPECT_EQ(connection_.moved(), 0U);
    EXPECT_EQ(connection_.resumed(), ++returns_);
    EXPECT_EQ(connection_.began_in_seat(), 1U);
    hear_from_server();
  }

  void pass(Duration duration) {
    now_ += duration;
    connection_.update(now_);
  }

  Instant now_{seconds{100}};
  tests::SeededEntropy entropy_{1};
  net::ConnectToken token_ = make_token(entropy_);
  ScriptedTransport transport_;
  Connection connection_{{.server = kServer, .token = token_}, transport_, entropy_, now_};
  net::PacketChannel server_;
  std::uint8_t tickets_ = 0;
  std::uint32_t returns_ = 0;  ///< of expect_return()
  net::PacketBuffer packet_{};
  protocol::MessageBuffer message_buffer_;
};

TEST_F(ConnectionTest, DropsAnAcceptOfASeatAMapOrAGenerationThatNoGameHas) {
  net::Accept of_no_seat = taken();
  of_no_seat.player = {16};
  net::Accept of_too_many = taken();
  of_too_many.map_seats = engine::kSeatsMax + 1;
  net::Accept of_no_generation = taken();
  of_no_generation.generation = engine::kGenerations;
  std::uint64_t dropped = 0;
  for (const net::Accept& wrong : {of_no_seat, of_too_many, of_no_generation}) {
    accept(wrong);
    EXPECT_NE(connection_.state(), Connection::State::Connected);
    EXPECT_EQ(connection_.drops().of(net::DropReason::Malformed), ++dropped);
  }
  accept();
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
}

TEST_F(ConnectionTest, AsksAgainWithTheSameNonceUntilItIsAnswered) {
  ASSERT_EQ(transport_.sent.size(), 1U);
  const net::ConnectRequest hello = request();
  EXPECT_EQ(hello.type, net::PacketType::Hello);
  EXPECT_EQ(hello.schema, net::schema_hash());
  pass(kRequestRetry - milliseconds{1});
  EXPECT_EQ(transport_.sent.size(), 1U);
  pass(kRequestJitter + milliseconds{1});
  ASSERT_EQ(transport_.sent.size(), 2U);
  EXPECT_EQ(request(), hello);
  answer_hello();
  ASSERT_EQ(transport_.sent.size(), 3U);
  EXPECT_EQ(request().type, net::PacketType::Connect);
  EXPECT_EQ(request().client_nonce, hello.client_nonce) << "the cookie is bound to it";
  pass(kRequestRetry + kRequestJitter);
  ASSERT_EQ(transport_.sent.size(), 4U);
  EXPECT_EQ(transport_.sent[3], transport_.sent[2]);
  now_ += milliseconds{30};
  accept();
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  EXPECT_EQ(connection_.accept().tick, Tick{500});
  EXPECT_EQ(connection_.connect_time(), milliseconds{30}) << "since it asked last";
  EXPECT_EQ(connection_.sessions(), 1U);
  pass(kRequestRetry + kRequestJitter);
  EXPECT_EQ(transport_.sent.size(), 4U) << "answered, so it asks no more";
}

TEST_F(ConnectionTest, ShowsItsTokenAndItsCookieAndProvesThem) {
  answer_hello();
  const Bytes& connect = transport_.sent.back();
  EXPECT_TRUE(std::ranges::equal(net::sealed_token_of(connect), token_.sealed));
  EXPECT_EQ(net::cookie_of(connect), (net::CookieBytes{std::byte{1}, std::byte{2}}));
  EXPECT_TRUE(net::is_proven(connect, token_.keys.to_server));
}

TEST_F(ConnectionTest, AsksForANewCookieBeforeTheOldOneIsStale) {
  answer_hello();
  Duration passed{};
  for (; request().type == net::PacketType::Connect; passed += milliseconds{1}) {
    ASSERT_LT(passed, seconds{4});
    pass(milliseconds{1});
  }
  EXPECT_EQ(request().type, net::PacketType::Hello);
  EXPECT_GE(passed, kRequestLife);
  EXPECT_LE(passed, kRequestLife + kRequestRetry + kRequestJitter);
}

// Before the fix, only the first COOKIE counted. So a sender that saw a HELLO kept its client out
// with one datagram.
TEST_F(ConnectionTest, AForgedCookieDoesNotKeepItOut) {
  const net::HandshakeNonce nonce = request().client_nonce;
  deliver(net::encode_cookie(nonce, {std::byte{9}}, packet_));
  EXPECT_EQ(net::cookie_of(transport_.sent.back()), net::CookieBytes{std::byte{9}});
  const std::size_t sent = transport_.sent.size();
  answer_hello();
  ASSERT_EQ(transport_.sent.size(), sent + 1) << "at once";
  EXPECT_EQ(net::cookie_of(transport_.sent.back()), (net::CookieBytes{std::byte{1}, std::byte{2}}));
  EXPECT_EQ(request().client_nonce, nonce);
  for (std::uint8_t i = 20; i < 30; ++i) {
    deliver(net::encode_cookie(nonce, {std::byte{i}}, packet_));
  }
  EXPECT_EQ(transport_.sent.size(), sent + 3) << "four cookies of a nonce in all";
  EXPECT_EQ(connection_.drops().of(net::DropReason::Unexpected), 8U);
}

TEST_F(ConnectionTest, IgnoresTheCookieAndTheRefusalOfAnother) {
  net::HandshakeNonce other = request().client_nonce;
  other[31] ^= std::byte{1};
  deliver(net::encode_cookie(other, {}, packet_));
  EXPECT_EQ(request().type, net::PacketType::Hello);
  EXPECT_EQ(connection_.drops().of(net::DropReason::Unexpected), 1U);
  refuse(other);
  EXPECT_EQ(connection_.state(), Connection::State::Connecting);
  refuse(request().client_nonce);
  EXPECT_EQ(connection_.state(), Connection::State::Refused);
  EXPECT_TRUE(connection_.reason().contains("64/64")) << connection_.reason();
}

TEST_F(ConnectionTest, GivesUpWhenNobodyAnswers) {
  for (Duration passed{}; passed < kServerTimeout; passed += milliseconds{50}) {
    EXPECT_FALSE(connection_.over());
    pass(milliseconds{50});
  }
  EXPECT_EQ(connection_.state(), Connection::State::Silent);
  EXPECT_TRUE(connection_.reason().contains("no answer from"));
  EXPECT_TRUE(connection_.reason().contains("after 5 s"));
  const std::size_t sent = transport_.sent.size();
  pass(seconds{1});
  EXPECT_EQ(transport_.sent.size(), sent);
}

// Before the fix, one REFUSE without proof ended a match, although the server's ACCEPT came next.
TEST_F(ConnectionTest, ARefusalWithoutProofEndsNothingIfTheServerAccepts) {
  refuse_without_proof();
  EXPECT_EQ(connection_.state(), Connection::State::Connecting);
  accept();
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  hear_from_server();
  pass(kServerTimeout);
  ASSERT_EQ(connection_.state(), Connection::State::Resuming);
  refuse_without_proof();
  EXPECT_EQ(connection_.state(), Connection::State::Resuming);
  accept();
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  pass(kRefusalDoubted);
  EXPECT_EQ(connection_.state(), Connection::State::Connected) << "it is forgotten";
}

TEST_F(ConnectionTest, ARefusalWithoutProofIsBelievedWhenNothingBetterComes) {
  answer_hello();
  refuse_without_proof();
  EXPECT_LE(connection_.next_wakeup(), now_ + kRefusalDoubted);
  const std::size_t sent = transport_.sent.size();
  for (Duration passed{}; passed < kRefusalDoubted; passed += milliseconds{50}) {
    EXPECT_FALSE(connection_.over());
    pass(milliseconds{50});
    if (passed == seconds{1}) refuse_without_proof();
  }
  EXPECT_GT(transport_.sent.size(), sent + 4) << "it asked on";
  EXPECT_EQ(connection_.state(), Connection::State::Refused);
  EXPECT_EQ(connection_.reason(), "server full 64/64");
}

// Before the fix, a client without a token asked for two seconds: six requests, each refused.
TEST_F(ConnectionTest, ARefusalForGoodIsBelievedAtOnce) {
  pass(milliseconds{40});
  answer_hello();
  deliver(net::encode_refuse(
      {.client_nonce = request().client_nonce, .reason = net::RefuseReason::KeyUnknown}, packet_));
  EXPECT_EQ(connection_.next_wakeup(), now_ + kFinalRefusalDoubted);
  const std::size_t sent = transport_.sent.size();
  pass(kFinalRefusalDoubted);
  EXPECT_EQ(connection_.state(), Connection::State::Refused);
  EXPECT_EQ(connection_.refused(), net::RefuseReason::KeyUnknown);
  EXPECT_EQ(transport_.sent.size(), sent);
}

// It may be forged. The server's ACCEPT has as much time as the handshake took until then.
TEST_F(ConnectionTest, ARefusalForGoodIsDoubtedForLongerOnASlowLink) {
  pass(milliseconds{900});
  answer_hello();
  deliver(net::encode_refuse(
      {.client_nonce = request().client_nonce, .reason = net::RefuseReason::KeyUnknown}, packet_));
  pass(milliseconds{880});
  EXPECT_EQ(connection_.state(), Connection::State::Connecting);
  accept();
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
}

TEST_F(ConnectionTest, DropsARefusalWithAWrongProof) {
  const net::Refuse answer = full(request().client_nonce);
  deliver(net::encode_refuse(answer, token_.keys.to_server, packet_));
  Bytes altered;
  {
    const ConstBytes refusal = net::encode_refuse(answer, token_.keys.to_client, packet_);
    altered.assign(refusal.begin(), refusal.end());
  }
  altered[38] ^= std::byte{1};
  deliver(altered);
  EXPECT_EQ(connection_.drops().of(net::DropReason::Forged), 2U);
  pass(kRefusalDoubted);
  EXPECT_EQ(connection_.state(), Connection::State::Connecting);
}

TEST_F(ConnectionTest, ConnectsAgainWithAnotherTokenAfterAGoodbye) {
  std::uint64_t sessions = 0;
  for (const auto reason :
       {net::DisconnectReason::MatchEnded, net::DisconnectReason::ServerStopping}) {
    accept();
    hear_from_server();
    pass(seconds{1});
    deliver(goodbye(reason));
    ASSERT_EQ(connection_.state(), Connection::State::Closed);
    EXPECT_EQ(connection_.disconnected(), reason);
    EXPECT_EQ(connection_.reason().contains("stopping"),
              reason == net::DisconnectReason::ServerStopping);
    EXPECT_EQ(connection_.heard(), now_);
    EXPECT_EQ(connection_.sessions(), ++sessions);
    token_ = make_token(entropy_);
    net::Address other = connection_.server();
    ++other.port;
    connection_.connect_again(token_, now_, other);
    EXPECT_EQ(connection_.server(), other) << "the token may be for another server";
    EXPECT_EQ(connection_.state(), Connection::State::Connecting);
    EXPECT_EQ(request().type, net::PacketType::Hello);
    EXPECT_EQ(connection_.reason(), "");
    EXPECT_EQ(connection_.disconnected(), std::nullopt);
  }
  EXPECT_EQ(connection_.resumed(), 0U);
  EXPECT_EQ(connection_.matches_ended(), 1U);
  pass(kServerTimeout);
  EXPECT_EQ(connection_.state(), Connection::State::Closed) << "as the first time";
  EXPECT_TRUE(connection_.reason().contains("no answer from")) << connection_.reason();
}

TEST_F(ConnectionTest, ComesBackByItsNewestTicketWhenTheServerWasSilent) {
  accept();
  const net::ResumeTicket first = connection_.ticket();
  pass(kServerTimeout);
  ASSERT_EQ(connection_.state(), Connection::State::Resuming);
  EXPECT_TRUE(std::ranges::equal(net::sealed_ticket_of(transport_.sent.back()), first.sealed));
  EXPECT_TRUE(net::is_proven(transport_.sent.back(), first.keys.to_server));
  accept();
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  EXPECT_EQ(connection_.sessions(), 2U);
  EXPECT_EQ(connection_.resumed(), 1U);
  EXPECT_NE(connection_.ticket().sealed, first.sealed);
  EXPECT_NE(connection_.ticket().keys, first.keys);
}

// A server under load asks for a cookie. A copy of the answer does not count.
TEST_F(ConnectionTest, ResumesWithTheCookieThatItIsAskedFor) {
  accept();
  pass(kServerTimeout);
  const net::ConnectRequest first = request();
  ASSERT_EQ(first.type, net::PacketType::Resume);
  EXPECT_EQ(net::cookie_of(transport_.sent.back()), net::CookieBytes{});
  const std::size_t sent = transport_.sent.size();
  answer_hello();
  ASSERT_EQ(transport_.sent.size(), sent + 1);
  EXPECT_EQ(request(), first);
  EXPECT_EQ(net::cookie_of(transport_.sent.back()), (net::CookieBytes{std::byte{1}, std::byte{2}}));
  EXPECT_TRUE(net::is_proven(transport_.sent.back(), connection_.ticket().keys.to_server));
  answer_hello();
  EXPECT_EQ(transport_.sent.size(), sent + 1);
  EXPECT_EQ(connection_.drops().of(net::DropReason::Unexpected), 1U);
  for (Duration passed{}; request().client_nonce == first.client_nonce; passed += milliseconds{1}) {
    ASSERT_LT(passed, kRequestLife + kRequestRetry + kRequestJitter);
    pass(milliseconds{1});
  }
  EXPECT_EQ(net::cookie_of(transport_.sent.back()), net::CookieBytes{}) << "it is of the old nonce";
  answer_hello();
  accept();
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
}

// If its packets have not arrived, the server has not taken part in the newest session. Then only
// the earlier ticket is valid.
TEST_F(ConnectionTest, KeepsItsOldTicketUntilTheServerHasTakenPart) {
  accept();
  hear_from_server();
  const net::ResumeTicket first = connection_.ticket();
  pass(kServerTimeout);
  accept();
  EXPECT_FALSE(connection_.is_proven());
  const net::ResumeTicket second = connection_.ticket();
  pass(kServerTimeout);
  EXPECT_TRUE(std::ranges::equal(net::sealed_ticket_of(transport_.sent.back()), second.sealed));
  refuse(request().client_nonce);
  ASSERT_EQ(connection_.state(), Connection::State::Resuming);
  EXPECT_TRUE(std::ranges::equal(net::sealed_ticket_of(transport_.sent.back()), first.sealed));
  accept();
  hear_from_server();
  EXPECT_TRUE(connection_.is_proven());
  pass(kServerTimeout);
  refuse(request().client_nonce);
  EXPECT_EQ(connection_.state(), Connection::State::Closed) << "there is no other ticket";
}

TEST_F(ConnectionTest, AsksByItsTokenAgainWhenTheServerNeverHeardOfTheSession) {
  accept();
  pass(kServerTimeout);
  ASSERT_EQ(connection_.state(), Connection::State::Resuming);
  refuse(request().client_nonce);
  EXPECT_EQ(connection_.state(), Connection::State::Connecting);
}

// An attacker may have forwarded the client's RESUME before, and got the answer.
TEST_F(ConnectionTest, AsksToComeBackAnewWithAFreshNonce) {
  accept();
  pass(kServerTimeout);
  const net::HandshakeNonce first = request().client_nonce;
  pass(kRequestRetry + kRequestJitter);
  EXPECT_EQ(request().client_nonce, first);
  pass(kRequestLife);
  EXPECT_EQ(connection_.state(), Connection::State::Resuming);
  EXPECT_NE(request().client_nonce, first);
}

// The server has not heard from the client, but keeps its body.
TEST_F(ConnectionTest, ComesBackWhenTheServerMissedIt) {
  accept();
  hear_from_server();
  deliver(goodbye(net::DisconnectReason::TimedOut));
  EXPECT_EQ(connection_.state(), Connection::State::Resuming);
  accept();
  EXPECT_EQ(connection_.sessions(), 2U);
}

TEST_F(ConnectionTest, AnswersAChallengeAtOnce) {
  accept();
  const ConstBytes message = protocol::encode_path_check(0x1234'5678'9abc'def0, message_buffer_);
  deliver(server_.seal_packet(net::PacketType::Challenge, message, packet_));
  net::PacketBuffer opened{};
  const auto packet = server_.open_packet(transport_.sent.back(), opened);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->type, net::PacketType::Response);
  EXPECT_EQ(protocol::decode_path_check(packet->message), 0x1234'5678'9abc'def0U);
}

TEST_F(ConnectionTest, FallsBackToItsTokenWhenItsTicketIsNotGood) {
  accept();
  Connection other{{.server = kServer, .token = token_, .ticket = connection_.ticket()},
                   transport_,
                   entropy_,
                   now_};
  ASSERT_EQ(other.state(), Connection::State::Resuming);
  transport_.deliver(net::encode_refuse(
      {.client_nonce = request().client_nonce, .reason = net::RefuseReason::Restarted}, packet_));
  EXPECT_FALSE(other.receive(now_));
  EXPECT_EQ(other.state(), Connection::State::Resuming) << "anybody can say so";
  other.update(now_ + kRefusalDoubted);
  EXPECT_EQ(other.state(), Connection::State::Connecting);
  EXPECT_EQ(other.ticket_refusal(), "server has been restarted: connect again");
}

TEST_F(ConnectionTest, DropsWhatComesFromAStrangerAndWhatIsDamaged) {
  accept();
  const ConstBytes sealed = goodbye(net::DisconnectReason::Kicked);
  Bytes damaged(sealed.begin(), sealed.end());
  damaged.back() ^= std::byte{1};
  transport_.deliver(sealed, kStranger);
  transport_.deliver(damaged);
  EXPECT_FALSE(connection_.receive(now_));
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  EXPECT_EQ(connection_.drops().of(net::DropReason::UnknownConnection), 1U);
  EXPECT_EQ(connection_.drops().of(net::DropReason::Forged), 1U);
}

TEST_F(ConnectionTest, IsOverWhenNobodyLetsItBackIn) {
  accept();
  pass(kServerTimeout - milliseconds{1});
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  pass(milliseconds{1});
  EXPECT_EQ(connection_.state(), Connection::State::Resuming);
  pass(kResumeTimeout);
  EXPECT_EQ(connection_.state(), Connection::State::Closed);
  EXPECT_TRUE(connection_.reason().contains("no answer from"));
  EXPECT_TRUE(connection_.reason().contains("for 35 s"));
}

// Forged packets do not keep a connection alive.
TEST_F(ConnectionTest, IsNotKeptAliveByWhatDoesNotOpen) {
  accept();
  for (int i = 0; i < 10; ++i) {
    deliver(Bytes(100, std::byte{9}));
    pass(kServerTimeout / 10);
  }
  EXPECT_EQ(connection_.state(), Connection::State::Resuming);
}

// A DRAIN that was long on its way would name a later end.
TEST_F(ConnectionTest, KeepsTheEarliestEndThatItIsTold) {
  accept();
  const auto drain = [&](int left_ms) {
    deliver(server_.seal_packet(
        net::PacketType::Drain,
        protocol::encode_drain({.left = milliseconds{left_ms}}, message_buffer_), packet_));
  };
  EXPECT_FALSE(connection_.drains_to());
  drain(30'000);
  const Instant end = now_ + seconds{30};
  EXPECT_EQ(connection_.drains_to(), end);
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  now_ += milliseconds{1'500};
  drain(29'000);
  EXPECT_EQ(connection_.drains_to(), end);
  drain(28'000);
  EXPECT_EQ(connection_.drains_to(), end - milliseconds{500});
}

TEST_F(ConnectionTest, LeavesAServerOnlyWhenTheNextOnePlaysWithIt) {
  accept();
  net::PacketChannel left = server_;
  hand_over();
  EXPECT_EQ(connection_.state(), Connection::State::Connecting);
  EXPECT_TRUE(connection_.is_moving());
  EXPECT_EQ(request().type, net::PacketType::Hello);
  EXPECT_EQ(transport_.to.back(), kNext);
  answer_hello();
  const std::size_t sent = transport_.sent.size();
  accept();
  EXPECT_EQ(connection_.state(), Connection::State::Connected);
  EXPECT_FALSE(connection_.is_moving());
  EXPECT_EQ(connection_.server(), kNext);
  EXPECT_EQ(connection_.sessions(), 2U);
  EXPECT_EQ(connection_.resumed(), 0U);
  EXPECT_EQ(connection_.began_in_seat(), 2U);
  EXPECT_FALSE(connection_.drains_to());
  EXPECT_EQ(transport_.sent.size(), sent) << "the other server may still not do";
  EXPECT_EQ(connection_.moved(), 0U);
  hear_from_server();
  EXPECT_EQ(connection_.moved(), 1U);
  ASSERT_EQ(transport_.sent.size(), sent + 3);
  expect_goodbyes(left, sent);
  hear_from_server();
  EXPECT_EQ(transport_.sent.size(), sent + 3);
}

TEST_F(ConnectionTest, ReturnsToItsServerWhenTheNextOneIsSilent) {
  accept();
  const net::ResumeTicket ticket = connection_.ticket();
  hand_over();
  pass(kServerTimeout);
  expect_return(ticket);
}

TEST_F(ConnectionTest, ReturnsToItsServerWhenTheNextOneIsFull) {
  accept();
  const net::ResumeTicket ticket = connection_.ticket();
  hand_over();
  answer_hello();
  refuse(request().client_nonce);
  expect_return(ticket);
}

TEST_F(ConnectionTest, ReturnsToItsServerWhenTheNextOneHasAnotherProtocol) {
  accept();
  const net::ResumeTicket ticket = connection_.ticket();
  hand_over();
  deliver(net::encode_refuse(
      {.client_nonce = request().client_nonce, .reason = net::RefuseReason::Protocol}, packet_));
  pass(kRefusalDoubted);
  expect_return(ticket);
}

// Before the fix, a client left its server when the next one accepted it. If it then found that it
// did not have the other rules, it had no seat any more.
TEST_F(ConnectionTest, ReturnsToItsServerWhenItCannotPlayAtTheNextOne) {
  accept();
  net::ResumeTicket ticket = connection_.ticket();
  for (const auto reason : {net::DisconnectReason::OtherVersion, net::DisconnectReason::OtherRules,
                            net::DisconnectReason::OtherMap, net::DisconnectReason::ClientLeft}) {
    SCOPED_TRACE(net::name_of(reason));
    hand_over();
    answer_hello();
    const std::size_t sent = transport_.sent.size();
    accept();
    if (const auto refusal = net::refusal_in(reason)) {
      connection_.refuse(*refusal, "other rules", now_);
    } else {
      connection_.fail("no player for this game", now_);
    }
    expect_goodbyes(server_, sent, kNext, reason);
    EXPECT_FALSE(connection_.failed());
    EXPECT_FALSE(connection_.refused());
    expect_return(ticket);
    ticket = connection_.ticket();
    now_ += std::chrono::hours{1};
  }
}

// Its datagrams may be too large for the path, although its ACCEPT is not.
TEST_F(ConnectionTest, ReturnsToItsServerWhenTheNextOneIsSilentAfterItsAccept) {
  accept();
  const net::ResumeTicket ticket = connection_.ticket();
  hand_over();
  answer_hello();
  const std::size_t sent = transport_.sent.size();
  accept();
  pass(kServerTimeout);
  expect_goodbyes(server_, sent, kNext);
  expect_return(ticket);
}

TEST_F(ConnectionTest, ReturnsToItsServerWhenTheNextOneDisconnectsIt) {
  accept();
  const net::ResumeTicket ticket = connection_.ticket();
  hand_over();
  accept();
  deliver(goodbye(net::DisconnectReason::ServerStopping));
  expect_return(ticket);
}

// An address that nobody answers costs five seconds of play each time. Before the fix, a pause was
// for one address, so a server that named two in turn sent its clients to them without a pause.
TEST_F(ConnectionTest, WaitsTwiceAsLongAfterEachHandOverThatFails) {
  accept();
  const auto fail = [&] {
    EXPECT_TRUE(connection_.is_moving());
    pass(kServerTimeout);
    accept();
    hear_from_server();
  };
  hand_over();
  fail();
  for (std::uint32_t failed = 1; failed < kHandOversFailedMax; ++failed) {
    const net::Address& next = failed % 2 == 0 ? kNext : kStranger;
    now_ += kHandOverRetry * (1 << (failed - 1)) - milliseconds{1};
    hand_over(next);
    EXPECT_FALSE(connection_.is_moving());
    now_ += milliseconds{1};
    hand_over(next);
    fail();
  }
  now_ += std::chrono::hours{10};
  hand_over(kStranger);
  EXPECT_FALSE(connection_.is_moving());
}

// Before the fix, a server could send its clients to any address of theirs.
TEST(Address, OfAServerLeadsToNoneThatOnlyTheClientHas) {
  const auto leads = [](std::string_view from, std::string_view to) {
    return net::may_lead_to(net::parse_address(from).value(), net::parse_address(to).value());
  };
  for (const char* const from : {"192.0.2.1:7777", "10.0.0.1:7777", "[2001:db8::1]:7777"}) {
    for (const char* const to : {"192.0.2.2:1", "10.0.0.2:1", "[2001:db8::2]:1", "[fd00::1]:1"})
      EXPECT_TRUE(leads(from, to)) << to;
    for (const char* const to :
         {"127.0.0.1:1", "127.1.2.3:1", "[::1]:1", "169.254.1.1:1", "[fe80::1]:1", "224.0.0.1:1",
          "239.1.2.3:1", "255.255.255.255:1", "[ff02::1]:1", "0.0.0.0:1", "[::]:1"})
      EXPECT_FALSE(leads(from, to)) << to;
  }
  EXPECT_TRUE(leads("127.0.0.1:1", "127.0.0.1:2"));
  EXPECT_TRUE(leads("127.0.0.1:1", "192.0.2.1:2"));
  EXPECT_TRUE(leads("169.254.1.1:1", "169.254.1.2:2"));
  EXPECT_FALSE(leads("169.254.1.1:1", "127.0.0.1:2"));
  EXPECT_FALSE(leads("127.0.0.1:1", "224.0.0.1:2"));
}

// The server would otherwise keep its seat.
TEST_F(ConnectionTest, SaysGoodbyeToTheServerThatHandsItOver) {
  accept();
  net::PacketChannel left = server_;
  hand_over();
  const std::size_t sent = transport_.sent.size();
  connection_.leave();
  EXPECT_EQ(connection_.state(), Connection::State::Closed);
  ASSERT_EQ(transport_.sent.size(), sent + 3);
  expect_goodbyes(left, sent);
}

TEST_F(ConnectionTest, SaysGoodbyeToBothServersWhenTheNextOneHasAcceptedIt) {
  accept();
  net::PacketChannel left = server_;
  hand_over();
  answer_hello();
  const std::size_t sent = transport_.sent.size();
  accept();
  connection_.leave();
  EXPECT_EQ(connection_.state(), Connection::State::Closed);
  ASSERT_EQ(transport_.sent.size(), sent + 6);
  expect_goodbyes(server_, sent, kNext);
  expect_goodbyes(left, sent + 3);
}

TEST_F(ConnectionTest, SaysGoodbyeThreeTimes) {
  accept();
  transport_.clear();
  connection_.leave();
  EXPECT_EQ(connection_.state(), Connection::State::Closed);
  ASSERT_EQ(transport_.sent.size(), 3U);
  expect_goodbyes(server_, 0);
  connection_.leave();
  EXPECT_EQ(transport_.sent.size(), 3U);
}

TEST_F(ConnectionTest, LeavesQuietlyBeforeAnAnswer) {
  transport_.clear();
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

// The times of requests without an answer: of one client, and of many that have lost one server.

constexpr Instant kStart{seconds{100}};

/// A transport without a peer.
class SilentTransport final : public net::Transport {
 public:
  void send(const net::Route&, ConstBytes) override { ++sent; }

  std::optional<net::Datagram> receive() override { return std::nullopt; }

  std::size_t sent = 0;
};

/// A client that was connected once, and has nothing but its ticket.
struct Requester {
  explicit Requester(std::uint64_t seed) : entropy(seed) {}

  tests::SeededEntropy entropy;
  SilentTransport transport;
  Connection connection{
      {.server = kServer, .ticket = net::ResumeTicket{}}, transport, entropy, kStart};
};

TEST(Requests, AreRepeatedAfterAQuarterOfASecondAndUpToAQuarterMore) {
  Duration shortest = seconds{1};
  Duration longest{};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Requester requester{seed};
    Instant before = kStart;
    while (requester.connection.next_wakeup() < kStart + kServerTimeout) {
      const Instant now = requester.connection.next_wakeup();
      const std::size_t sent = requester.transport.sent;
      requester.connection.update(now - Duration{1});
      ASSERT_EQ(requester.transport.sent, sent) << "a nanosecond too early";
      requester.connection.update(now);
      ASSERT_EQ(requester.transport.sent, sent + 1);
      shortest = std::min(shortest, now - before);
      longest = std::max(longest, now - before);
      before = now;
    }
  }
  EXPECT_GE(shortest, milliseconds{250});
  EXPECT_LE(shortest, milliseconds{251});
  EXPECT_GE(longest, milliseconds{311});
  EXPECT_LE(longest, Duration{milliseconds{250}} * 5 / 4);
}

TEST(Requests, EndInTimeIfTheClientWakesOnlyAtNextWakeup) {
  Requester requester{1};
  Instant now = kStart;
  for (int wakes = 0; !requester.connection.over(); ++wakes) {
    ASSERT_LE(wakes, 20);
    ASSERT_GT(requester.connection.next_wakeup(), now);
    now = requester.connection.next_wakeup();
    requester.connection.update(now);
  }
  EXPECT_EQ(now, kStart + kServerTimeout);
}

// The clients lose the server within the same tick, so they begin together. They must not stay in
// step, nor get back into step after a second start.
TEST(Requests, OfAThousandClientsThatLostOneServerAreSpreadOverTime) {
  constexpr std::size_t kClients = 1'000;
  std::deque<Requester> requesters;
  for (std::size_t i = 0; i < kClients; ++i) {
    requesters.emplace_back(i);
  }
  std::size_t most_at_once = 0;
  std::size_t all = 0;
  for (milliseconds passed{1}; passed < kServerTimeout; passed += milliseconds{1}) {
    std::size_t at_once = 0;
    for (Requester& requester : requesters) {
      const std::size_t before = requester.transport.sent;
      requester.connection.update(kStart + passed);
      at_once += requester.transport.sent - before;
    }
    most_at_once = std::max(most_at_once, at_once);
    all += at_once;
  }
  EXPECT_GE(all, 15 * kClients);
  constexpr std::size_t kFairShare = kClients / 62;  // per millisecond of jitter
  EXPECT_LE(most_at_once, 2 * kFairShare);
}

}  // namespace
}  // namespace tickbox::client::connection_test
