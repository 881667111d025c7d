// The machine's own addresses, and those that stand for all of them.

#include "os/net/resolve.h"

#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace tickbox::os
