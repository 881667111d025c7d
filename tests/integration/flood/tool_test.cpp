// The attacker itself: that it sends what it says, from where it says, as often as it says.

#include "core/rng.h"
#include "net/handshake.h"
#include "os/net/udp_transport.h"
#include "os/process/steady_clock.h"
#include "tests/integration/flood/datagrams.h"
#include "tests/integration/flood/many_sources.h"
#include "tests/integration/flood/pace.h"

#include <gtest/gtest.h>

#include <set>

namespace tickbox::flood {
namespace {

net::Address loopback() {
  return net::parse_address("127.0.0.1:0").value();
}

DatagramMaker maker_of(Kind kind, Entropy& entropy) {
  return DatagramMaker{{.kind = kind, .server = loopback(), .ticket = {}, .seed = 7}, entropy};
}

TEST(FloodTool, NoTwoSourcesAreTheSameAndNoneIsTheServers) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const std::uint32_t ip = source_ip(i);
    EXPECT_EQ(ip >> 24, 127U);
    EXPECT_NE(ip >> 8, 127U << 16);
    seen.insert(ip);
  }
  EXPECT_EQ(seen.size(), 100'000U);
  EXPECT_EQ(source_ip(kSourcesMax - 1) >> 24, 127U);
}

TEST(FloodTool, EachDatagramComesFromAnAddressOfItsOwn) {
  constexpr std::size_t kDatagrams = 2 * kBatch;
  const auto server = os::UdpTransport::open({.bind = loopback()}).value();
  const auto sources = ManySources::open(server->local_address(), 1'000).value();
  const std::array<std::byte, 3> said{};
  for (std::size_t i = 0; i < kDatagrams; ++i) {
    sources->add(said);
  }
  sources->flush();
  EXPECT_EQ(sources->counts().sent, kDatagrams);
  EXPECT_EQ(sources->counts().bytes_sent, kDatagrams * said.size());
  std::set<net::Address> from;
  while (const auto datagram = server->receive()) {
    EXPECT_EQ(datagram->bytes.size(), said.size());
    from.insert({.ip = datagram->from.ip});
  }
  EXPECT_EQ(from.size(), kDatagrams);
}

TEST(FloodTool, AnswersOfTheTargetAreCounted) {
  const auto server = os::UdpTransport::open({.bind = loopback()}).value();
  const auto sources = ManySources::open(server->local_address(), 10).value();
  sources->add(std::array<std::byte, 1>{});
  sources->flush();
  const auto asked = server->receive();
  ASSERT_TRUE(asked);
  server->send(asked->back(), std::array<std::byte, 5>{});
  const auto another = os::UdpTransport::open({.bind = loopback()}).value();
  another->send({.peer = asked->from}, std::array<std::byte, 7>{});
  constexpr int kMoreThanThereAreSockets = 64;
  for (int i = 0; i < kMoreThanThereAreSockets; ++i) {
    sources->flush();
  }
  EXPECT_EQ(sources->counts().answers, 1U);
  EXPECT_EQ(sources->counts().bytes_answered, 5U);
}

TEST(FloodTool, HellosAreRightAndAllDifferent) {
  ASSERT_TRUE(net::crypto_ready());
  os::SystemEntropy entropy;
  DatagramMaker maker = maker_of(Kind::Hello, entropy);
  std::set<net::HandshakeNonce> nonces;
  for (int i = 0; i < 100; ++i) {
    const auto request = net::decode_request(maker.next());
    ASSERT_TRUE(request);
    EXPECT_EQ(*request, net::make_request(net::PacketType::Hello, request->client_nonce));
    nonces.insert(request->client_nonce);
  }
  EXPECT_EQ(nonces.size(), 100U);
}

TEST(FloodTool, MalformedOnesAreOfAllLengthsAndTypes) {
  ASSERT_TRUE(net::crypto_ready());
  os::SystemEntropy entropy;
  DatagramMaker maker = maker_of(Kind::Malformed, entropy);
  std::set<std::optional<net::PacketType>> all;
  for (unsigned head = 0; head < 256; ++head) {
    all.insert(net::packet_type(std::array{static_cast<std::byte>(head)}));
  }
  std::set<std::optional<net::PacketType>> types;
  std::size_t longest = 0;
  std::size_t shortest = kMadeBytesMax;
  for (int i = 0; i < 10'000; ++i) {
    const ConstBytes datagram = maker.next();
    types.insert(net::packet_type(datagram));
    longest = std::max(longest, datagram.size());
    shortest = std::min(shortest, datagram.size());
  }
  EXPECT_EQ(types, all) << "each type, and none";
  EXPECT_GT(longest, net::kDatagramBytesMax);
  EXPECT_LT(shortest, net::kPacketOverheadBytes);
}

TEST(FloodTool, ThePaceIsEvenAndAStallIsNotMadeUpFor) {
  const Instant start{};
  Pace pace{10'000, start};
  std::uint64_t sent = 0;
  for (int ms = 1; ms <= 1'000; ++ms) {
    sent += pace.take(start + std::chrono::milliseconds{ms});
  }
  EXPECT_EQ(sent, 10'000U);
  EXPECT_EQ(pace.missed(), 0U);
  EXPECT_EQ(pace.take(start + std::chrono::milliseconds{2'000}), 51U);
  EXPECT_EQ(pace.missed(), 10'000U - 51U);
}

}  // namespace
}  // namespace tickbox::flood
