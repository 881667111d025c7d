// Nonce reuse: no two things are ever sealed with the same key and the same nonce, whatever happens
// to servers, clients and links. An eavesdropper counts from outside.

#include "tests/threats/peers/eavesdropper.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <set>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Every pair of key and nonce, with what was sealed with it.
class Ledger {
 public:
  void seals(const net::SecretKey& key, std::uint64_t sequence, ConstBytes datagram) {
    const auto [place, is_new] = pairs_.try_emplace({key, sequence}, copy_of(datagram));
    if (!is_new && !std::ranges::equal(place->second, datagram)) ++reused_;
  }

  /// Notes what was sealed with a nonce that was drawn. `key` is a number that stands for the key.
  void seals_drawn(std::uint64_t key, ConstBytes nonce) {
    if (!drawn_.insert({key, copy_of(nonce)}).second) ++reused_;
  }

  /// Notes the nonce that the server has drawn for a session's handshake.
  void draws(ConstBytes nonce) {
    if (!drawn_.insert({0, copy_of(nonce)}).second) ++reused_;
  }

  [[nodiscard]] std::uint64_t reused() const { return reused_; }

  [[nodiscard]] std::size_t pairs() const { return pairs_.size(); }

  [[nodiscard]] std::size_t drawn() const { return drawn_.size(); }

 private:
  std::map<std::pair<net::SecretKey, std::uint64_t>, Bytes> pairs_;
  std::set<std::pair<std::uint64_t, Bytes>> drawn_;
  std::uint64_t reused_ = 0;
};

constexpr std::size_t kTokenNonceAt = net::kTokenHeadBytes;
constexpr std::size_t kTicketNonceAt = net::kTicketHeadBytes;
constexpr std::size_t kServerNonceAt = 5;  // in an ACCEPT

/// A harness all of whose keys are known.
struct Watched {
  explicit Watched(const HarnessOptions& options) : harness(options) {
    ears.listen([this](const Eavesdropper::Read& read) { on_read(read); });
  }

  net::ConnectToken token() {
    const net::ConnectToken token = harness.make_token(++clients);
    ears.is_handed(token);
    ledger.seals_drawn(kRing,
                       ConstBytes{token.sealed}.subspan(kTokenNonceAt, net::kLongNonceBytes));
    return token;
  }

  std::size_t add_client(const net::LinkConditions& link) {
    return harness.add_client(link, token());
  }

  void on_read(const Eavesdropper::Read& read) {
    ledger.seals(read.key, read.sequence, read.datagram);
    rekeyed += read.sequence >= std::uint64_t{1} << net::kEpochBits ? 1 : 0;
    const bool is_first =
        read.type == net::PacketType::Accept && accepts.insert(copy_of(read.datagram)).second;
    if (!is_first) return;
    ledger.draws(read.datagram.subspan(kServerNonceAt, net::kNonceBytes));
    // A server draws the key of its tickets when it starts, so its boot id stands for that key.
    ledger.seals_drawn(read.session.accept.boot, ConstBytes{read.session.accept.ticket}.subspan(
                                                     kTicketNonceAt, net::kLongNonceBytes));
  }

  static constexpr std::uint64_t kRing = 1;

  Harness harness;
  Wire wire{harness};
  Eavesdropper ears{harness, wire};
  Ledger ledger;
  std::set<Bytes> accepts;
  std::uint64_t clients = 0;
  std::uint64_t rekeyed = 0;
};

class NonceReuse : public testing::TestWithParam<std::uint64_t> {};

// Eight clients on bad links. Each second one of five things happens to one of them, or to the
// server; one of the five is that somebody sends the captured CONNECTs and RESUMEs again, from
// their own addresses and others.
TEST_P(NonceReuse, ThreatNoPairOfKeyAndNonceIsUsedTwice) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Watched run{{.seed = seed}};
  Harness& harness = run.harness;
  Rng rng{seed};
  std::vector<Wire::Passed> captured;
  std::deque<Bytes> captured_bytes;
  run.wire.listen([&](const Wire::Passed& passed) {
    const auto type = net::packet_type(passed.bytes);
    if (passed.where != Wire::Where::ToServer ||
        (type != net::PacketType::Connect && type != net::PacketType::Resume)) {
      return;
    }
    captured_bytes.push_back(copy_of(passed.bytes));
    captured.push_back({passed.where, passed.client, captured_bytes.back()});
  });
  const net::LinkConditions link{.delay = milliseconds{20},
                                 .jitter = milliseconds{20},
                                 .loss_ppm = 100'000,
                                 .duplicate_ppm = 30'000,
                                 .reorder_ppm = 30'000};
  constexpr std::size_t kClients = 8;
  for (std::size_t i = 0; i < kClients; ++i) {
    run.add_client(link);
  }
  harness.run_for(seconds{1});
  std::uint32_t address = 1;
  for (int second = 0; second < 20; ++second) {
    const std::size_t client = rng.below(kClients);
    const bool has_ticket = harness.client(client).connection().sessions() > 0;
    switch (rng.below(5)) {
      case 0:
        harness.restart_server();
        for (std::size_t i = 0; i < kClients; i += 2) {  // the others notice by themselves
          harness.restart_client(
              i, {.server = SimulatedNetwork::server_address(), .token = run.token()});
        }
        break;
      case 1:
        if (has_ticket) harness.restart_with_ticket(client);
        break;
      case 2:
        harness.restart_client(
            client, {.server = SimulatedNetwork::server_address(), .token = run.token()});
        break;
      case 3:
        harness.network().move_client(client, stranger(++address));
        break;
      default:
        for (const Wire::Passed& again : captured) {
          harness.network().inject(again.client, again.bytes);
          harness.network().inject(stranger(++address), again.bytes);
        }
    }
    harness.run_for(seconds{1});
  }
  EXPECT_EQ(run.ledger.reused(), 0U);
  EXPECT_EQ(run.ears.unread(), 0U) << "sealed by keys that nobody should have";
  EXPECT_GT(run.ledger.pairs(), 4'000U);
  EXPECT_GE(run.ears.sessions(), kClients);
  EXPECT_EQ(run.rekeyed, 0U) << "that is another test's";
}

INSTANTIATE_TEST_SUITE_P(Seeds, NonceReuse, testing::Range<std::uint64_t>(1, 33));

// 65,536 packets and more each way, as fast as ticks can be: the keys change underway.
TEST(Threat, NonceReuseDoesNotComeWithNewKeys) {
  constexpr std::uint32_t kTickRate = 240;
  Watched run{{.seed = 40, .tick_rate = kTickRate, .max_clients = 1}};
  const std::size_t client = run.add_client({.delay = milliseconds{5}, .loss_ppm = 10'000});
  run.harness.run_for(seconds{(1U << net::kEpochBits) / kTickRate + 10});
  EXPECT_EQ(run.ledger.reused(), 0U);
  EXPECT_EQ(run.ears.unread(), 0U);
  EXPECT_GT(run.rekeyed, 2U * kTickRate) << "in both directions";
  EXPECT_EQ(run.harness.client(client).connection().sessions(), 1U);
}

// The ACCEPT uses sequence 0: a server that counted it as a packet too would use a sequence twice.
// A repeated ACCEPT must be the same to the byte.
TEST(Threat, NonceReuseIsNoneWhereAnAcceptIsSentAgain) {
  Watched run{{.seed = 41}};
  const net::ConnectToken token = run.token();
  RawPeer peer{run.harness, run.wire, stranger_far_away(1)};
  const Bytes connect = peer.make_connect(token);
  const Answer first = peer.ask(connect, token.keys);
  ASSERT_TRUE(first.accepted);
  run.harness.run_for(seconds{1});
  const Answer again = peer.ask(connect, token.keys);
  ASSERT_TRUE(again.accepted);
  EXPECT_EQ(again.accepted->keys, first.accepted->keys);
  EXPECT_EQ(peer.received(net::PacketType::Accept), 2U);
  EXPECT_EQ(*(peer.inbox().end() - 1), *(peer.inbox().end() - 2));
  // The same client, begun again from the same address: other keys.
  const Answer renewed = peer.connect(token);
  ASSERT_TRUE(renewed.accepted);
  EXPECT_NE(renewed.accepted->keys, first.accepted->keys);
}

}  // namespace
}  // namespace tickbox::tests
