// The attacker itself: that it sends from where it says. What it sends, the server counts in
// flood_test.cpp.

#include "os/net/udp_transport.h"
#include "tests/integration/flood/many_sources.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace tickbox::flood {
namespace {

net::Address loopback() {
  return net::parse_address("127.0.0.1:0").value();
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

}  // namespace
}  // namespace tickbox::flood
