#include "net/connect_token.h"

#include <gtest/gtest.h>

#include <string>

namespace tickbox::net {
namespace {

// The value is that of Python's hashlib.blake2b: issuers in other languages make such tokens too.
TEST(ServerName, StandsInATokenAsAnAddress) {
  EXPECT_EQ(to_string(address_of_name("tickbox-x7")), "[100::1099:c611:28d:669e]:1");
  EXPECT_NE(address_of_name("tickbox-x8"), address_of_name("tickbox-x7"));
}

TEST(ServerName, IsPrintableAndOfLimitedLength) {
  for (const char* name : {"a", "eu-1", "tickbox-x7/2:3"}) {
    EXPECT_TRUE(is_server_name(name)) << name;
  }
  EXPECT_TRUE(is_server_name(std::string(kServerNameMax, 'x')));
  for (const char* name : {"", "a b", "a\n", "\xc3\xa9"}) {
    EXPECT_FALSE(is_server_name(name)) << name;
  }
  EXPECT_FALSE(is_server_name(std::string(kServerNameMax + 1, 'x')));
}

}  // namespace
}  // namespace tickbox::net
