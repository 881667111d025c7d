// Clients that are killed and come back by their tickets, links that go down and up again, and
// clients that find themselves at another address: in a perfect network and in a bad one.

#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <optional>

namespace tickbox::tests {
namespace {

using client::Connection;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kOneWay{40};

const net::LinkConditions kGoodLink{.delay = kOneWay};
const net::LinkConditions kBadLink{
    .delay = kOneWay, .jitter = milliseconds{15}, .loss_ppm = 150'000, .reorder_ppm = 10'000};

bool is_in_world(const Harness& harness, BodyId body) {
  return harness.world().index_of(body) != harness.world().size();
}

/// Returns how long it takes until `done`, in steps of a millisecond, or nothing if it takes longer
/// than `most`.
template <class Done>
std::optional<Duration> time_until(Harness& harness, Duration most, Done&& done) {
  for (Duration passed{}; passed <= most; passed += milliseconds{1}) {
    if (done()) return passed;
    harness.run_for(milliseconds{1});
  }
  return std::nullopt;
}

const net::Address& other_network() {
  static const net::Address kAddress = net::parse_address("127.44.55.66:40000").value();
  return kAddress;
}

TEST(Resume, BringsAKilledClientBackIntoItsBodyInOneRoundTrip) {
  Harness harness{{.bot = "stress"}};
  const std::size_t client = harness.add_client(kGoodLink);
  harness.add_client();
  harness.run_for(seconds{3});
  const BodyId body = harness.body_of(client);

  harness.silence(client);
  harness.run_for(seconds{2});
  harness.restart_with_ticket(client);
  const auto took = time_until(harness, seconds{1}, [&] {
    return harness.client(client).connection().state() == Connection::State::Connected;
  });
  ASSERT_TRUE(took);
  EXPECT_LE(*took, 2 * kOneWay + milliseconds{2});
  harness.run_for(seconds{2});
  EXPECT_EQ(harness.body_of(client), body);
  EXPECT_TRUE(harness.client(client).playing());
  EXPECT_TRUE(is_in_world(harness, body));
  EXPECT_EQ(harness.client(client).connection().resumed(), 1U);
  EXPECT_EQ(harness.shard().clients(), 2U);
  EXPECT_EQ(harness.client(client).stats().hashes_mismatched, 0U);
  EXPECT_GT(harness.client(client).stats().hashes_checked, 60U);
}

// The client still plays when another one resumes with its ticket: the other takes the session
// over, and the first receives a DISCONNECT.
TEST(Resume, TakesOverASessionThatIsStillOpen) {
  Harness harness{{}};
  const std::size_t client = harness.add_client(kGoodLink);
  harness.run_for(seconds{3});
  const net::ResumeTicket ticket = harness.client(client).connection().ticket();
  const std::size_t elsewhere = harness.add_client(kGoodLink);
  harness.restart_client(elsewhere,
                         {.server = SimulatedNetwork::server_address(), .ticket = ticket});
  harness.run_for(seconds{2});
  EXPECT_TRUE(harness.client(elsewhere).playing());
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Closed);
  EXPECT_EQ(harness.client(client).connection().reason(),
            "this client has connected from elsewhere");
  const auto accept_of = [&](std::size_t index) -> const net::Accept& {
    return harness.client(index).connection().accept();
  };
  EXPECT_EQ(accept_of(elsewhere).player, accept_of(client).player);
  EXPECT_EQ(accept_of(elsewhere).generation, accept_of(client).generation);
  EXPECT_EQ(harness.shard().clients(), 1U);
}

// The old session goes on until the first packet under the new keys has opened.
TEST(Resume, LeavesTheOldSessionAloneUntilTheNewKeysAreProven) {
  Harness harness{{}};
  const std::size_t client = harness.add_client();
  harness.run_for(seconds{3});
  std::vector<std::byte> resume(net::kRequestBytes);
  net::PacketBuffer packet{};
  SeededEntropy entropy{4};
  const net::ConnectRequest request =
      net::make_request(net::PacketType::Resume, net::draw<net::HandshakeNonce>(entropy));
  std::ranges::copy(
      net::encode_resume(request, harness.client(client).connection().ticket(), packet),
      resume.begin());
  const std::uint64_t resumed_before = harness.shard().metrics().connections[1];
  harness.network().inject(other_network(), resume);
  harness.run_for(seconds{4});
  EXPECT_EQ(harness.shard().metrics().connections[1], resumed_before + 1);
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Connected);
  EXPECT_EQ(harness.client(client).connection().sessions(), 1U);
  EXPECT_EQ(harness.client(client).stats().packets_lost, 0U);
}

// Before the fix, the server's report on the earlier session stayed in the counts until the new
// session had sent more packets.
TEST(Resume, CountsThePacketsOfTheNewestSessionAlone) {
  Harness harness{{}};
  const std::size_t client = harness.add_client();
  harness.run_for(seconds{20});
  harness.network().cut(client);
  harness.run_for(seconds{6});
  harness.network().mend(client);
  harness.run_for(seconds{4});
  const Connection& connection = harness.client(client).connection();
  ASSERT_EQ(connection.sessions(), 2U);
  const client::ClientStats stats = harness.client(client).stats();
  EXPECT_GT(stats.up_sent, 60U);
  EXPECT_LE(stats.up_sent, connection.channel().sent());
  EXPECT_EQ(stats.up_arrived, stats.up_sent);
}

TEST(Resume, RefusesATicketThatHasBeenUsed) {
  Harness harness{{}};
  const std::size_t client = harness.add_client();
  harness.run_for(seconds{2});
  const net::ResumeTicket used = harness.client(client).connection().ticket();
  harness.restart_with_ticket(client);
  harness.run_for(seconds{2});
  ASSERT_TRUE(harness.client(client).playing());
  const std::size_t thief = harness.add_client();
  harness.restart_client(thief, {.server = SimulatedNetwork::server_address(), .ticket = used});
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.client(thief).connection().state(), Connection::State::Refused);
  EXPECT_EQ(harness.client(thief).connection().reason(),
            "resume ticket is no longer valid: its player has left, or a newer ticket or token of "
            "its seat counts");
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Connected);
}

TEST(Resume, RefusesATicketOfAServerThatHasBeenRestarted) {
  Harness harness{{}};
  const std::size_t client = harness.add_client();
  harness.run_for(seconds{2});
  harness.restart_server();
  harness.restart_with_ticket(client);
  // The server cannot open the ticket, so it proves nothing, and the client doubts it for a while.
  harness.run_for(client::kRefusalDoubted + seconds{1});
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Refused);
  EXPECT_EQ(harness.client(client).connection().reason(),
            "server has been restarted: connect again");
}

TEST(Resume, KeepsABodyForThirtySecondsAndNoLonger) {
  Harness harness{{}};
  const std::size_t early = harness.add_client();
  const std::size_t late = harness.add_client();
  harness.run_for(seconds{2});
  const BodyId early_body = harness.body_of(early);
  const BodyId late_body = harness.body_of(late);
  harness.silence(early);
  harness.silence(late);
  harness.run_for(seconds{34});  // 5 until they are missed
  EXPECT_EQ(harness.shard().clients(), 0U);
  EXPECT_TRUE(is_in_world(harness, early_body));
  harness.restart_with_ticket(early);
  harness.run_for(seconds{2});
  EXPECT_TRUE(harness.client(early).playing());
  EXPECT_TRUE(is_in_world(harness, early_body));
  EXPECT_FALSE(is_in_world(harness, late_body));
  harness.restart_with_ticket(late);
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.client(late).connection().state(), Connection::State::Refused);
}

TEST(Resume, TakesABodyAwayAtOnceWhenItsClientLeaves) {
  Harness harness{{}};
  const std::size_t client = harness.add_client();
  harness.run_for(seconds{2});
  const BodyId body = harness.body_of(client);
  harness.leave(client);
  harness.run_for(milliseconds{200});
  EXPECT_FALSE(is_in_world(harness, body));
  harness.restart_with_ticket(client);
  harness.run_for(seconds{1});
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Refused);
}

// Nothing passes for eight seconds: the client tries to come back by itself, and does.
TEST(Resume, BringsAClientBackByItselfWhenItsLinkWasDown) {
  Harness harness{{}};
  const std::size_t client = harness.add_client(kGoodLink);
  harness.run_for(seconds{3});
  const BodyId body = harness.body_of(client);
  harness.network().cut(client);
  harness.run_for(seconds{8});
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Resuming);
  EXPECT_EQ(harness.shard().clients(), 0U);
  harness.network().mend(client);
  harness.run_for(seconds{3});
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Connected);
  EXPECT_EQ(harness.body_of(client), body);
  EXPECT_EQ(harness.client(client).connection().resumed(), 1U);
  EXPECT_EQ(harness.client(client).stats().hashes_mismatched, 0U);
  EXPECT_EQ(harness.shard().clients(), 1U);
}

class Hardship : public testing::TestWithParam<std::uint64_t> {};

// Clients are killed again and again, some before the server has missed them, and are moved to
// other addresses, while 15 % of all datagrams are lost.
TEST_P(Hardship, EndsNoSessionThatComesBackInTime) {
  Harness harness{{.seed = GetParam(), .link = kBadLink}};
  Rng rng{GetParam()};
  constexpr std::size_t kClients = 4;
  std::vector<BodyId> bodies;
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{5});
  for (std::size_t i = 0; i < kClients; ++i) {
    bodies.push_back(harness.body_of(i));
  }
  for (int round = 0; round < 10; ++round) {
    const std::size_t client = rng.below(kClients);
    if (rng.chance(1, 2)) {
      net::Address address = other_network();
      address.port = static_cast<std::uint16_t>(30'000 + round);
      harness.network().move_client(client, address);
    } else {
      harness.silence(client);
      harness.run_for(milliseconds{rng.below(9'000)});
      harness.restart_with_ticket(client);
    }
    harness.run_for(seconds{4});
  }
  for (std::size_t i = 0; i < kClients; ++i) {
    EXPECT_EQ(harness.client(i).connection().state(), Connection::State::Connected)
        << i << ": " << harness.client(i).connection().reason();
    EXPECT_EQ(harness.body_of(i), bodies[i]);
    EXPECT_TRUE(harness.client(i).playing());
    EXPECT_EQ(harness.client(i).stats().hashes_mismatched, 0U);
  }
  EXPECT_EQ(harness.shard().clients(), kClients);
  EXPECT_EQ(harness.log().errors(), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Hardship, testing::Range<std::uint64_t>(1, 17));

TEST(Moves, FollowAClientToItsNewAddress) {
  Harness harness{{.bot = "stress"}};
  const std::size_t client = harness.add_client(kGoodLink);
  harness.run_for(seconds{3});
  const std::uint64_t received = harness.client(client).snapshots_received();
  harness.network().move_client(client, other_network());
  harness.run_for(seconds{3});
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Connected);
  EXPECT_EQ(harness.client(client).connection().sessions(), 1U);
  // The server follows after three round trips, at least 200 ms after the new address has answered.
  // The snapshots until then go to the old one.
  EXPECT_GT(harness.client(client).snapshots_received(), received + 130);
  EXPECT_EQ(harness.client(client).stats().hashes_mismatched, 0U);
  EXPECT_EQ(harness.network().bytes_to_strangers() > 0, true) << "what was still sent to the old";
}

// Somebody who sees a client's packets sends the newest of them on from its own address, before the
// client's own copy arrives. It cannot answer the challenge, and gets no more than three times what
// it sent.
TEST(Moves, AreNotMadeForWhoOnlyRepeatsPackets) {
  Harness harness{{.bot = "stress"}};
  const std::size_t client = harness.add_client(kGoodLink);
  harness.run_for(seconds{3});
  const std::uint64_t received = harness.client(client).snapshots_received();
  std::uint64_t sent_by_liar = 0;
  std::uint64_t sent_to_liar = 0;
  std::vector<std::vector<std::byte>> seen;
  harness.network().watch([&](const SimulatedNetwork::Passed& passed) {
    if (passed.where == SimulatedNetwork::Passed::Where::ToServer) {
      seen.emplace_back(passed.bytes.begin(), passed.bytes.end());
    } else if (passed.where == SimulatedNetwork::Passed::Where::FromServer &&
               passed.client == other_network()) {
      sent_to_liar += passed.bytes.size();
      EXPECT_LE(sent_to_liar, 3 * sent_by_liar);
    }
  });
  for (int i = 0; i < 2'000; ++i) {
    harness.run_for(milliseconds{1});
    for (const auto& datagram : seen) {
      sent_by_liar += datagram.size();
      harness.network().inject(other_network(), datagram);
    }
    seen.clear();
  }
  harness.network().watch({});
  EXPECT_GT(sent_to_liar, 0U);
  EXPECT_EQ(harness.client(client).connection().state(), Connection::State::Connected);
  EXPECT_GT(harness.client(client).snapshots_received(), received + 110);
  EXPECT_EQ(harness.shard().metrics().connections[2], 0U) << "moved";
}

}  // namespace
}  // namespace tickbox::tests
