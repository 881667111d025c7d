// The admission by itself: the answer to each HELLO, CONNECT and RESUME, and the order of the
// checks.

#include "server/shard/connect/admission.h"

#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

using net::DropReason;
using net::PacketType;
using net::RefuseReason;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Instant kInstant{std::chrono::hours{1}};
constexpr WallTime kToday{std::chrono::hours{500'000}};

net::Address address(std::uint8_t last, std::uint16_t port = 1'000) {
  net::Address address{.ip = {}, .port = port};
  address.ip[10] = address.ip[11] = 0xff;
  address.ip[12] = 10;
  address.ip[14] = last;
  return address;
}

const net::Address kOurs = address(200, 7'777);
const net::Address kClient = address(1);
const net::Address kElsewhere = address(2);

class AdmissionTest : public testing::Test {
 protected:
  net::ConnectToken token(std::uint64_t client, std::uint32_t room = 0,
                          net::Address server = kOurs) {
    net::TokenClaims claims{.client = client, .room = room, .servers = {}, .user = {}};
    claims.servers.push_back(server);
    return net::issue_token(claims, now_.today, now_.today + minutes{1}, ring_, entropy_);
  }

  AdmissionResult judge(const net::Address& from, ConstBytes datagram) {
    const auto request = net::decode_request(datagram);
    return admission_.judge(*request, {.from = from, .bytes = datagram}, now_);
  }

  net::CookieBytes cookie_for(const net::Address& from, const net::HandshakeNonce& nonce) {
    const AdmissionResult verdict =
        judge(from, net::encode_hello(net::make_request(PacketType::Hello, nonce), packet_));
    return std::get<net::CookieBytes>(verdict);
  }

  ConstBytes connect(const net::CookieBytes& cookie, const net::HandshakeNonce& nonce,
                     const net::ConnectToken& token) {
    return net::encode_connect(net::make_request(PacketType::Connect, nonce), cookie, token,
                               packet_);
  }

  /// Sends a CONNECT with a valid cookie.
  AdmissionResult show(const net::Address& from, const net::HandshakeNonce& nonce,
                       const net::ConnectToken& token) {
    const net::CookieBytes cookie = cookie_for(from, nonce);
    return judge(from, connect(cookie, nonce, token));
  }

  AdmissionResult show(const net::Address& from, const net::ConnectToken& token) {
    return show(from, net::draw<net::HandshakeNonce>(entropy_), token);
  }

  /// Admits a newcomer as the shard does.
  bool admit(const AdmissionResult& verdict, const net::Address& from,
             const net::HandshakeNonce& nonce, std::uint32_t connection) {
    return admission_.admit(std::get<TokenAccepted>(verdict), from, nonce, connection, now_.today);
  }

  void pass(milliseconds time) { now_ = {now_.instant + time, now_.today + time}; }

  tests::SeededEntropy entropy_{1};
  net::KeyRing ring_ = net::KeyRing::fresh(entropy_);
  Now now_{kInstant, kToday};
  Admission admission_{
      {.keys = ring_, .addresses = {kOurs}}, {RoomId{5}, RoomId{9}}, entropy_, now_};
  net::PacketBuffer packet_{};
  const net::HandshakeNonce nonce_ = net::draw<net::HandshakeNonce>(entropy_);
};

bool drops(const AdmissionResult& verdict, DropReason reason) {
  const auto* dropped = std::get_if<DropReason>(&verdict);
  return dropped != nullptr && *dropped == reason;
}

bool refuses(const AdmissionResult& verdict, RefuseReason reason) {
  const auto* refused = std::get_if<Refused>(&verdict);
  return refused != nullptr && refused->answer.reason == reason;
}

TEST_F(AdmissionTest, LetsInWhoHasACookieAndAToken) {
  const AdmissionResult verdict = show(kClient, token(77));
  ASSERT_TRUE(std::holds_alternative<TokenAccepted>(verdict));
  EXPECT_EQ(std::get<TokenAccepted>(verdict).token.claims.client, 77U);
  EXPECT_FALSE(std::get<TokenAccepted>(verdict).replaces);
}

TEST_F(AdmissionTest, TakesACookieOnlyFromWhereItWasSentAndUnderItsNonce) {
  const net::CookieBytes cookie = cookie_for(kClient, nonce_);
  EXPECT_TRUE(drops(judge(kElsewhere, connect(cookie, nonce_, token(1))), DropReason::BadCookie));
  net::Address port = kClient;
  ++port.port;
  EXPECT_TRUE(drops(judge(port, connect(cookie, nonce_, token(2))), DropReason::BadCookie));
  const auto other = net::draw<net::HandshakeNonce>(entropy_);
  EXPECT_TRUE(drops(judge(kClient, connect(cookie, other, token(3))), DropReason::BadCookie));
  EXPECT_TRUE(
      std::holds_alternative<TokenAccepted>(judge(kClient, connect(cookie, nonce_, token(4)))));
}

TEST_F(AdmissionTest, TakesACookieForFourSeconds) {
  const net::CookieBytes cookie = cookie_for(kClient, nonce_);
  pass(seconds{4});
  EXPECT_TRUE(
      std::holds_alternative<TokenAccepted>(judge(kClient, connect(cookie, nonce_, token(1)))));
  pass(seconds{1});
  EXPECT_TRUE(drops(judge(kClient, connect(cookie, nonce_, token(2))), DropReason::BadCookie));
}

TEST_F(AdmissionTest, ChecksTheTagBeforeItSaysAnythingOfTheToken) {
  pass(minutes{2});
  const net::ConnectToken expired = [&] {
    now_.today -= minutes{2};
    const net::ConnectToken old = token(1);
    now_.today += minutes{2};
    return old;
  }();
  const net::CookieBytes cookie = cookie_for(kClient, nonce_);
  const ConstBytes whole = connect(cookie, nonce_, expired);
  std::vector<std::byte> altered{whole.begin(), whole.end()};
  altered.back() ^= std::byte{1};
  EXPECT_TRUE(drops(judge(kClient, altered), DropReason::Forged));
  altered.back() ^= std::byte{1};
  EXPECT_TRUE(refuses(judge(kClient, altered), RefuseReason::TokenExpired));
}

TEST_F(AdmissionTest, RefusesATokenFromItsLastMillisecondOn) {
  const net::ConnectToken sealed = token(1);
  pass(minutes{1} - milliseconds{1});
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kClient, sealed)));
  pass(milliseconds{1});
  EXPECT_TRUE(refuses(show(kClient, sealed), RefuseReason::TokenExpired));
}

TEST_F(AdmissionTest, RefusesTokensOfOtherServersAndRooms) {
  EXPECT_TRUE(refuses(show(kClient, token(1, 0, kElsewhere)), RefuseReason::TokenElsewhere));
  EXPECT_TRUE(refuses(show(kClient, token(2, 6)), RefuseReason::TokenRoom));
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kClient, token(3, 5))));
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kClient, token(4, 9))));
}

TEST_F(AdmissionTest, TakesTokensOfAnyServerWhereItHasNoAddressOfItsOwn) {
  Admission anywhere{{.keys = ring_, .addresses = {}}, {RoomId{5}}, entropy_, now_};
  const net::Address from = kClient;
  const ConstBytes hello = net::encode_hello(net::make_request(PacketType::Hello, nonce_), packet_);
  const auto cookie = std::get<net::CookieBytes>(
      anywhere.judge(*net::decode_request(hello), {.from = from, .bytes = hello}, now_));
  const ConstBytes asked = connect(cookie, nonce_, token(1, 0, kElsewhere));
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(
      anywhere.judge(*net::decode_request(asked), {.from = from, .bytes = asked}, now_)));
}

TEST_F(AdmissionTest, RefusesATokenFromBeforeItStarted) {
  now_.today -= seconds{3};
  const net::ConnectToken before = token(1);
  now_.today += seconds{3};
  const AdmissionResult verdict = show(kClient, before);
  ASSERT_TRUE(refuses(verdict, RefuseReason::TokenBeforeBoot));
  EXPECT_EQ(std::get<Refused>(verdict).answer.have, 3U);
}

TEST_F(AdmissionTest, RefusesATokenThatLivesLongerThanTheOperatorAllows) {
  Admission strict{{.keys = ring_, .addresses = {kOurs}, .token_life_max = seconds{59}},
                   {RoomId{5}},
                   entropy_,
                   now_};
  const ConstBytes hello = net::encode_hello(net::make_request(PacketType::Hello, nonce_), packet_);
  const auto cookie = std::get<net::CookieBytes>(
      strict.judge(*net::decode_request(hello), {.from = kClient, .bytes = hello}, now_));
  const ConstBytes asked = connect(cookie, nonce_, token(1));
  const AdmissionResult verdict =
      strict.judge(*net::decode_request(asked), {.from = kClient, .bytes = asked}, now_);
  ASSERT_TRUE(refuses(verdict, RefuseReason::TokenLong));
  EXPECT_EQ(std::get<Refused>(verdict).answer.have, 60U);
  EXPECT_EQ(std::get<Refused>(verdict).answer.limit, 59U);
}

TEST_F(AdmissionTest, FreesATokenOnRequest) {
  const net::ConnectToken sealed = token(1);
  const AdmissionResult first = show(kClient, nonce_, sealed);
  ASSERT_TRUE(admit(first, kClient, nonce_, 42));
  EXPECT_TRUE(refuses(show(kElsewhere, sealed), RefuseReason::TokenTaken));
  admission_.free(std::get<TokenAccepted>(first).id);
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kElsewhere, sealed)));
}

TEST_F(AdmissionTest, AnswersTheSameRepeatedRequestWithoutOpeningIt) {
  const net::ConnectToken sealed = token(1);
  ASSERT_TRUE(admit(show(kClient, nonce_, sealed), kClient, nonce_, 42));
  for (int i = 0; i < 2 * kOpensOfNetwork.burst; ++i) {
    const AdmissionResult again = show(kClient, nonce_, sealed);
    ASSERT_TRUE(std::holds_alternative<RepeatedRequest>(again)) << i;
    ASSERT_EQ(std::get<RepeatedRequest>(again).connection, 42U);
  }
}

TEST_F(AdmissionTest, HasOneAttemptReplaceAnotherOfTheSameAddressOnly) {
  const net::ConnectToken sealed = token(1);
  ASSERT_TRUE(admit(show(kClient, nonce_, sealed), kClient, nonce_, 42));
  EXPECT_TRUE(refuses(show(kElsewhere, sealed), RefuseReason::TokenTaken));
  const auto other = net::draw<net::HandshakeNonce>(entropy_);
  const AdmissionResult anew = show(kClient, other, sealed);
  ASSERT_TRUE(std::holds_alternative<TokenAccepted>(anew));
  EXPECT_EQ(std::get<TokenAccepted>(anew).replaces, 42U);
  ASSERT_TRUE(admit(anew, kClient, other, 43));
  EXPECT_EQ(std::get<RepeatedRequest>(show(kClient, other, sealed)).connection, 43U);
}

TEST_F(AdmissionTest, LetsNobodyInByAConsumedToken) {
  const net::ConnectToken sealed = token(1);
  const AdmissionResult first = show(kClient, nonce_, sealed);
  ASSERT_TRUE(admit(first, kClient, nonce_, 42));
  admission_.consume(admitted_token(std::get<TokenAccepted>(first)));
  EXPECT_TRUE(refuses(show(kClient, nonce_, sealed), RefuseReason::TokenUsed));
  EXPECT_TRUE(refuses(show(kElsewhere, sealed), RefuseReason::TokenUsed));
}

TEST_F(AdmissionTest, BarsTheOlderTokensOfAClientThatHasUsedANewerOne) {
  const net::ConnectToken older = token(7);
  const net::ConnectToken of_another = token(8);
  pass(milliseconds{1});
  const AdmissionResult newer = show(kClient, nonce_, token(7));
  ASSERT_TRUE(admit(newer, kClient, nonce_, 42));
  admission_.consume(admitted_token(std::get<TokenAccepted>(newer)));
  EXPECT_TRUE(refuses(show(kClient, older), RefuseReason::TokenUsed));
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kClient, of_another)));
  pass(milliseconds{1});
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kClient, token(7))));
}

TEST_F(AdmissionTest, NamesTheClientOfARefusalOnlyWhereItsTokenOpened) {
  const net::ConnectToken sealed = token(7);
  const AdmissionResult first = show(kClient, nonce_, sealed);
  ASSERT_TRUE(admit(first, kClient, nonce_, 42));
  admission_.consume(admitted_token(std::get<TokenAccepted>(first)));
  EXPECT_EQ(std::get<Refused>(show(kClient, nonce_, sealed)).client, 7U);
  admission_.set_keys(net::KeyRing::fresh(entropy_));
  const AdmissionResult unopened = show(kClient, token(7));
  ASSERT_TRUE(refuses(unopened, RefuseReason::TokenForged));
  EXPECT_EQ(std::get<Refused>(unopened).client, std::nullopt);
}

TEST_F(AdmissionTest, RefusesDeniedClientsAndNoOthers) {
  admission_.set_denied(DenyList{{7, 9}});
  const AdmissionResult denied = show(kClient, token(7));
  ASSERT_TRUE(refuses(denied, RefuseReason::Denied));
  EXPECT_EQ(std::get<Refused>(denied).client, 7U);
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kClient, token(8))));
  admission_.set_denied({});
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kClient, token(7))));
}

TEST_F(AdmissionTest, NamesTheKeysThatAreGone) {
  const std::uint32_t first = ring_.newest().id;
  ASSERT_TRUE(ring_.rotate(entropy_));
  EXPECT_TRUE(admission_.set_keys(ring_).empty());
  const net::KeyRing fresh = net::KeyRing::fresh(entropy_);  // another key of the first one's id
  ASSERT_EQ(fresh.newest().id, first);
  EXPECT_EQ(admission_.set_keys(fresh), (std::vector{ring_.newest().id, first}));
}

TEST_F(AdmissionTest, OpensWithTheKeysItWasGivenLast) {
  const net::ConnectToken old = token(1);
  const net::KeyRing before = ring_;
  ASSERT_TRUE(ring_.rotate(entropy_));
  admission_.set_keys(ring_);
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kClient, old)));
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kClient, token(2))));
  admission_.set_keys(before);
  const AdmissionResult verdict = show(kClient, token(3));
  ASSERT_TRUE(refuses(verdict, RefuseReason::KeyUnknown));
  EXPECT_EQ(std::get<Refused>(verdict).answer.have, ring_.newest().id);
}

TEST_F(AdmissionTest, OpensNoMoreThanTheLimitOfANetwork) {
  const net::ConnectToken sealed = token(1);
  const net::CookieBytes cookie = cookie_for(kClient, nonce_);
  std::vector<std::byte> forged;
  {
    const ConstBytes whole = connect(cookie, nonce_, sealed);
    forged.assign(whole.begin(), whole.end());
  }
  forged[300] ^= std::byte{1};
  int opened = 0;
  for (int i = 0; i < 2 * kOpensOfNetwork.burst; ++i) {
    const AdmissionResult verdict = judge(kClient, forged);
    opened += refuses(verdict, RefuseReason::TokenForged) ? 1 : 0;
    EXPECT_TRUE(refuses(verdict, RefuseReason::TokenForged) ||
                drops(verdict, DropReason::RateLimited));
  }
  EXPECT_EQ(opened, kOpensOfNetwork.burst);
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kElsewhere, sealed)));
}

TEST_F(AdmissionTest, KnowsItsOwnTicketsAndNoOthers) {
  const net::Ticket ticket{.seat = {3},
                           .generation = 9,
                           .serial = 4,
                           .room = 5,
                           .client = 77,
                           .keys = {.to_server = net::draw<net::Key>(entropy_),
                                    .to_client = net::draw<net::Key>(entropy_)}};
  net::ResumeTicket resume{.sealed = admission_.ticket_for(ticket), .keys = ticket.keys};
  const auto asked = [&](const net::ResumeTicket& with) {
    return judge(kClient,
                 net::encode_resume(net::make_request(PacketType::Resume, nonce_), with, packet_));
  };
  const AdmissionResult good = asked(resume);
  ASSERT_TRUE(std::holds_alternative<ResumeAccepted>(good));
  EXPECT_EQ(std::get<ResumeAccepted>(good).ticket, ticket);

  net::ResumeTicket without_keys = resume;
  without_keys.keys.to_server[0] ^= std::byte{1};
  EXPECT_TRUE(drops(asked(without_keys), DropReason::Forged));

  const Admission other{{.keys = ring_}, {RoomId{1}}, entropy_, now_};
  EXPECT_NE(other.boot(), admission_.boot());
  net::ResumeTicket of_another_life = resume;
  of_another_life.sealed[1] ^= std::byte{1};  // of its boot id
  EXPECT_TRUE(refuses(asked(of_another_life), RefuseReason::Restarted));

  resume.sealed[100] ^= std::byte{1};
  EXPECT_TRUE(refuses(asked(resume), RefuseReason::TicketForged));
}

// RESUME needs no cookie at first, so its sources can be forged. Requests with a cookie have limits
// of their own, which forged requests cannot use up. A client that returns is only asked for a
// cookie.
TEST_F(AdmissionTest, KeepsForgedTicketsAwayFromWhatTokensMayUse) {
  net::ResumeTicket garbage;
  store_le(MutableBytes{garbage.sealed}.subspan(1), admission_.boot());
  std::int64_t opened = 0;
  std::int64_t asked = 0;
  for (int i = 0; i < 2 * kOpens.burst; ++i) {
    net::Address from = address(static_cast<std::uint8_t>(i));
    from.ip[13] = static_cast<std::uint8_t>(i / 256);
    const AdmissionResult verdict = judge(
        from, net::encode_resume(net::make_request(PacketType::Resume, nonce_), garbage, packet_));
    opened += refuses(verdict, RefuseReason::TicketForged) ? 1 : 0;
    asked += std::holds_alternative<net::CookieBytes>(verdict) ? 1 : 0;
  }
  EXPECT_EQ(opened, kOpensWithoutCookie.burst);
  EXPECT_EQ(asked, 2 * kOpens.burst - opened);
  EXPECT_TRUE(std::holds_alternative<TokenAccepted>(show(kClient, token(1))));

  const net::Ticket ticket{.seat = {3}, .generation = 9, .serial = 4, .room = 5, .client = 77};
  const net::ResumeTicket real{.sealed = admission_.ticket_for(ticket), .keys = ticket.keys};
  const auto resume = [&](const net::CookieBytes& cookie) {
    return judge(kClient, net::encode_resume(net::make_request(PacketType::Resume, nonce_), real,
                                             packet_, cookie));
  };
  const AdmissionResult without = resume({});
  ASSERT_TRUE(std::holds_alternative<net::CookieBytes>(without));
  net::CookieBytes cookie = std::get<net::CookieBytes>(without);
  EXPECT_TRUE(std::holds_alternative<ResumeAccepted>(resume(cookie)));
  cookie[11] ^= std::byte{1};
  EXPECT_TRUE(std::holds_alternative<net::CookieBytes>(resume(cookie)));
}

}  // namespace
}  // namespace tickbox::server
