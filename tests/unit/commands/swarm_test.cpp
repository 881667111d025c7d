// Clients on real sockets, and the address at which they find their server.

#include "client/commands/play/swarm.h"

#include "net/handshake.h"
#include "os/net/udp_transport.h"
#include "os/process/steady_clock.h"

#include <gtest/gtest.h>

namespace tickbox::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::unique_ptr<os::UdpTransport> listener(const char* address) {
  auto opened = os::UdpTransport::open({.bind = net::parse_address(address).value()});
  return opened ? *std::move(opened) : nullptr;
}

class SwarmTest : public testing::Test {
 protected:
  /// Drives the clients until `is_over` or for `most`. Returns whether it was over.
  template <class Condition>
  bool run(Swarm& swarm, Duration most, Condition is_over) {
    const Instant end = clock_.now() + most;
    while (clock_.now() < end) {
      if (is_over()) return true;
      swarm.turn(clock_.now() + milliseconds{20});
    }
    return false;
  }

  os::SteadyClock clock_;
};

/// Answers the HELLOs that have arrived with a cookie, which goes nowhere.
bool answers(os::UdpTransport& server) {
  bool any = false;
  net::PacketBuffer out;
  while (const auto datagram = server.receive()) {
    const auto request = net::decode_request(datagram->bytes);
    if (!request) continue;
    server.send(datagram->back(), net::encode_cookie(request->client_nonce, {}, out));
    any = true;
  }
  return any;
}

// Before the fix, the address by IPv4 alone was tried: "no answer".
TEST_F(SwarmTest, TriesTheOtherAddressOfANameAndNamesBoth) {
  const auto silent = listener("127.0.0.1:0");
  const auto server = listener("[::1]:0");
  if (server == nullptr) GTEST_SKIP() << "no IPv6 here";
  const auto swarm = Swarm::open(
      {.servers = {silent->local_address(), server->local_address()}, .clients = 2}, clock_);
  ASSERT_TRUE(swarm) << swarm.error();
  const Instant start = clock_.now();
  ASSERT_TRUE(run(**swarm, seconds{4}, [&] { return answers(*server); }));
  EXPECT_GE(clock_.now() - start, kNextAddressAfter);
  EXPECT_TRUE(silent->receive()) << "the first address is tried first";
  EXPECT_TRUE(run(**swarm, seconds{2}, [&] {
    (void)answers(*server);
    return (*swarm)->server(0) == server->local_address() &&
           (*swarm)->server(1) == server->local_address();
  }));
  EXPECT_LT((*swarm)->first_client().value(), kFirstClientMax);
}

TEST_F(SwarmTest, NamesTheAddressesThatDidNotAnswer) {
  const auto first = listener("127.0.0.1:0");
  const auto second = listener("127.0.0.1:0");
  const auto swarm = Swarm::open(
      {.servers = {first->local_address(), second->local_address()}, .clients = 1}, clock_);
  ASSERT_TRUE(swarm) << swarm.error();
  ASSERT_TRUE(run(**swarm, kNextAddressAfter + client::kServerTimeout + seconds{2},
                  [&] { return !(*swarm)->first_reason().empty(); }));
  const std::string reason = (*swarm)->first_reason();
  EXPECT_TRUE(reason.starts_with("no answer from " + net::to_string(second->local_address())))
      << reason;
  EXPECT_TRUE(reason.ends_with(". Also tried " + net::to_string(first->local_address()))) << reason;
}

// A client that is late to be answered stays where another was answered.
TEST_F(SwarmTest, StaysAtAnAddressThatHasAnswered) {
  const auto server = listener("127.0.0.1:0");
  const auto other = listener("127.0.0.1:0");
  const auto swarm = Swarm::open(
      {.servers = {server->local_address(), other->local_address()}, .clients = 2}, clock_);
  ASSERT_TRUE(swarm) << swarm.error();
  ASSERT_TRUE(run(**swarm, seconds{1}, [&] { return answers(*server); }));
  EXPECT_FALSE(
      run(**swarm, kNextAddressAfter + seconds{1}, [&] { return other->receive().has_value(); }));
}

// Each room has every Nth client. With every 16th client, one of 16 rooms had all that check.
TEST(HashSample, HasAPartOfTheClientsOfEachRoom) {
  constexpr std::size_t kClientsOfRoom = 256;
  const HashSample sample{.one_in = 16, .seed = 1};
  for (const std::size_t rooms : {1U, 2U, 3U, 4U, 15U, 16U, 17U, 32U, 60U, 256U}) {
    for (std::size_t room = 0; room < rooms; ++room) {
      std::size_t checking = 0;
      for (std::size_t i = 0; i < kClientsOfRoom; ++i) {
        checking += sample.contains(i * rooms + room) ? 1U : 0U;
      }
      EXPECT_GE(checking, kClientsOfRoom / 64) << "room " << room << " of " << rooms;
      EXPECT_LE(checking, kClientsOfRoom / 4) << "room " << room << " of " << rooms;
    }
  }
}

TEST(HashSample, IsAllClientsOrNone) {
  for (std::size_t client = 0; client < 3; ++client) {
    EXPECT_TRUE((HashSample{.seed = 5}.contains(client)));
    EXPECT_FALSE((HashSample{.one_in = 0}.contains(client)));
  }
}

}  // namespace
}  // namespace tickbox::commands
