#include "os/net/resolve.h"

#include <gtest/gtest.h>

namespace tickbox::os {
namespace {

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

TEST(Resolve, SaysWhichHostWasNotFound) {
  // .invalid never resolves (RFC 6761), with or without a name server.
  const auto missing = resolve_host("tickbox.invalid", 1);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().starts_with("cannot find host tickbox.invalid: ")) << missing.error();
}

}  // namespace
}  // namespace tickbox::os
