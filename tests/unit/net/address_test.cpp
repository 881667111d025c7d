#include "net/transport.h"
#include "tests/unit/protocol/fault.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::net {
namespace {

// What is read is written again in the one recommended form.
void expect_text(std::string_view read, std::string_view written) {
  const auto address = parse_address(read);
  ASSERT_TRUE(address) << address.error();
  EXPECT_EQ(to_string(*address), written);
}

TEST(Address, ReadsAndWritesIpv4) {
  expect_text("127.0.0.1:7777", "127.0.0.1:7777");
  expect_text("255.254.1.0:65535", "255.254.1.0:65535");
  expect_text("0.0.0.0:0", "0.0.0.0:0");
}

TEST(Address, ReadsAndWritesIpv6AsRfc5952Says) {
  expect_text("[::1]:7777", "[::1]:7777");
  expect_text("[::]:1", "[::]:1");
  expect_text("[1::]:1", "[1::]:1");
  expect_text("[2001:DB8:0:0:1:0:0:1]:443", "[2001:db8::1:0:0:1]:443");
  expect_text("[2001:db8:0:1:1:1:1:1]:443", "[2001:db8:0:1:1:1:1:1]:443");
  expect_text("[fe80:0:0:0:0:0:0:1]:1", "[fe80::1]:1");
  expect_text("[1:2:3:4:5:6:7:8]:9", "[1:2:3:4:5:6:7:8]:9");
  expect_text("[0:0:1:0:0:0:1:0]:9", "[0:0:1::1:0]:9");
}

TEST(Address, TakesMappedIpv4ForIpv4) {
  expect_text("[::ffff:10.0.0.1]:80", "10.0.0.1:80");
  expect_text("[::ffff:a00:1]:80", "10.0.0.1:80");
}

TEST(Address, NamesWhatIsWrong) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "no port"},          {"127.0.0.1", "no port"}, {"127.0.0.1:", "0 to 65535"},
      {"[::1]:65536", "65535"}, {"localhost:1", "IPv4"},  {"::1:7777", "brackets"},
      {"[::g]:1", "IPv6"}};
  for (const auto& [text, name] : cases) {
    const auto error = samples::fault_of(parse_address(text));
    ASSERT_TRUE(error) << text;
    EXPECT_TRUE(error->contains("'" + std::string{text} + "'") && error->contains(name)) << *error;
  }
}

TEST(Address, RefusesWhatIsAlmostAnAddress) {
  for (const std::string_view text : {"1.2.3:1",
                                      "1.2.3.4.5:1",
                                      "1.2.3.256:1",
                                      "01.2.3.4:1",
                                      "1..3.4:1",
                                      "1.2.3.4 :1",
                                      " 1.2.3.4:1",
                                      "1.2.3.-4:1",
                                      ":1",
                                      "[]:1",
                                      "[:]:1",
                                      "[:::]:1",
                                      "[1:2:3:4:5:6:7]:1",
                                      "[1:2:3:4:5:6:7:8:9]:1",
                                      "[1::2::3]:1",
                                      "[12345::]:1",
                                      "[1:2:3:4:5:6:7::8]:1",
                                      "[::1.2.3]:1",
                                      "[1.2.3.4::]:1",
                                      "[::1:]:1",
                                      "[:1::]:1",
                                      "[1:2:3:4:5:6:7:1.2.3.4]:1",
                                      "[::1:1",
                                      "[:1",
                                      "]:1",
                                      "[::1]x:1"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

TEST(Address, KnowsLoopback) {
  for (const std::string_view text :
       {"127.0.0.1:1", "127.255.255.254:1", "[::1]:1", "[::ffff:127.1.2.3]:1"}) {
    EXPECT_TRUE(is_loopback(*parse_address(text))) << text;
  }
  for (const std::string_view text : {"128.0.0.1:1", "126.255.255.255:1", "0.0.0.0:1", "[::]:1",
                                      "[::2]:1", "[1::1]:1", "[::7f00:1]:1"}) {
    EXPECT_FALSE(is_loopback(*parse_address(text))) << text;
  }
}

TEST(Address, SharesItsNetworkWithThoseOfOneCustomer) {
  const auto share = [](std::string_view a, std::string_view b) {
    const Address first = *parse_address(a);
    const Address second = *parse_address(b);
    return std::ranges::equal(network_of(first), network_of(second));
  };
  EXPECT_TRUE(share("10.1.2.3:1", "10.1.2.255:65535"));
  EXPECT_FALSE(share("10.1.2.3:1", "10.1.3.3:1"));
  EXPECT_FALSE(share("10.1.2.3:1", "11.1.2.3:1"));
  EXPECT_TRUE(share("[2001:db8:1:2::]:1", "[2001:db8:1:ffff:1:2:3:4]:2"));
  EXPECT_FALSE(share("[2001:db8:1::]:1", "[2001:db8:2::]:1"));
  EXPECT_FALSE(share("[::1]:1", "0.0.0.1:1"));
  EXPECT_TRUE(share("[::ffff:10.1.2.3]:1", "10.1.2.4:1"));
}

}  // namespace
}  // namespace tickbox::net
