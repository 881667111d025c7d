// The machine's own addresses, those that stand for all of them, and those of names.

#include "os/net/resolve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace tickbox::os {
namespace {

net::Address address(std::string_view text) {
  return net::parse_address(text).value();
}

TEST(Interfaces, LoopbackIsAmongThemWithThePort) {
  const auto addresses = interface_addresses(7777);
  ASSERT_TRUE(addresses) << addresses.error();
  EXPECT_NE(std::ranges::find(*addresses, address("127.0.0.1:7777")), addresses->end());
  EXPECT_TRUE(std::ranges::all_of(*addresses, [](const auto& each) { return each.port == 7777; }));
}

TEST(Interfaces, EachIsNamedOnceAndNoneStandsForAll) {
  const auto addresses = interface_addresses(1);
  ASSERT_TRUE(addresses) << addresses.error();
  EXPECT_EQ(std::ranges::adjacent_find(*addresses), addresses->end());
  EXPECT_TRUE(std::ranges::none_of(*addresses, is_wildcard));
}

TEST(Interfaces, KnowsTheAddressesThatStandForAll) {
  EXPECT_TRUE(is_wildcard(address("0.0.0.0:0")));
  EXPECT_TRUE(is_wildcard(address("0.0.0.0:7777")));
  EXPECT_TRUE(is_wildcard(address("[::]:7777")));
  EXPECT_FALSE(is_wildcard(address("127.0.0.1:0")));
  EXPECT_FALSE(is_wildcard(address("[::1]:0")));
  EXPECT_FALSE(is_wildcard(address("0.0.0.1:0")));
}

TEST(Resolve, RefusesADestinationThatIsNotOneMachine) {
  for (const char* each : {"127.0.0.1:1", "10.0.0.2:7777", "223.255.255.255:65535", "[::1]:1",
                           "[2001:db8::7]:7777", "[fd00::1]:7777"}) {
    EXPECT_EQ(resolve_destination(each), address(each));
  }
  for (const char* each :
       {"127.0.0.1:0", "[::1]:0", "0.0.0.0:7777", "[::]:7777", "224.0.0.1:7777", "239.1.2.3:7777",
        "255.255.255.255:7777", "[ff02::1]:7777", "[fe80::1]:7777"}) {
    const auto refused = resolve_destination(each);
    ASSERT_FALSE(refused) << each;
    EXPECT_EQ(refused.error(), std::string{each} +
                                   " is not an address that a client can reach; give the server's "
                                   "address as its clients see it");
  }
}

TEST(Resolve, ResolvesAddressesAndPrefersIPv4ForLocalhost) {
  const auto v4 = resolve_host_port("127.0.0.1:7777");
  ASSERT_TRUE(v4) << v4.error();
  EXPECT_EQ(net::to_string(*v4), "127.0.0.1:7777");
  const auto v6 = resolve_host_port("[::1]:7777");
  ASSERT_TRUE(v6) << v6.error();
  EXPECT_EQ(net::to_string(*v6), "[::1]:7777");
  const auto name = resolve_host_port("localhost:80");
  ASSERT_TRUE(name) << name.error();
  EXPECT_EQ(net::to_string(*name), "127.0.0.1:80");
}

TEST(Resolve, TakesTheAddressesOfBothKindsInTurn) {
  const auto list = [](std::initializer_list<const char*> texts) {
    std::vector<net::Address> addresses;
    for (const char* text : texts) {
      addresses.push_back(address(text));
    }
    return addresses;
  };
  EXPECT_EQ(in_turn(list({"[::1]:1", "127.0.0.1:1"})), list({"127.0.0.1:1", "[::1]:1"}));
  EXPECT_EQ(in_turn(list({"[::1]:1", "[::1]:1"})), list({"[::1]:1"}));
  EXPECT_EQ(in_turn(list({"1.0.0.1:1", "1.0.0.2:1", "1.0.0.3:1", "1.0.0.4:1", "[::1]:1"})),
            list({"1.0.0.1:1", "[::1]:1", "1.0.0.2:1", "1.0.0.3:1"}));
}

TEST(Resolve, SaysWhichHostWasNotFound) {
  // .invalid never resolves (RFC 6761), with or without a name server.
  const auto missing = resolve_host("tickbox.invalid", 1);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().starts_with("cannot find host tickbox.invalid: ")) << missing.error();
}

}  // namespace
}  // namespace tickbox::os
