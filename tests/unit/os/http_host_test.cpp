// Which Host headers name this server.

#include "os/http/http.h"

#include <gtest/gtest.h>

namespace tickbox::os {
namespace {

TEST(HttpHost, AllowsLoopbackByNameAndAddress) {
  const auto local = net::parse_address("127.0.0.1:9180");
  for (const char* host : {"localhost", "LocalHost:9180", "127.0.0.1", "127.0.0.1:1",
                           "127.9.9.9:9180", "[::1]", "[::1]:9180"}) {
    EXPECT_TRUE(is_allowed_host(host, *local, {})) << host;
  }
}

TEST(HttpHost, AllowsTheAddressTheConnectionCameToAndNamesThatWereGiven) {
  const auto local = net::parse_address("192.0.2.7:9180");
  EXPECT_TRUE(is_allowed_host("192.0.2.7:9180", *local, {}));
  EXPECT_FALSE(is_allowed_host("192.0.2.8:9180", *local, {}));
  EXPECT_FALSE(is_allowed_host("server:9180", *local, {}));
  EXPECT_TRUE(is_allowed_host("Server:9180", *local, {"server"}));
}

TEST(HttpHost, RefusesEverythingElse) {
  const auto local = net::parse_address("127.0.0.1:9180");
  for (const char* host :
       {"", ":9180", "evil.example", "evil.example:9180", "localhost.evil.example",
        "127.0.0.1.evil.example", "localhost:", "localhost:x", "localhost:99999", "localhost@evil",
        "127.1", "0x7f.1", "[::2]", "[::1", "::1"}) {
    EXPECT_FALSE(is_allowed_host(host, *local, {})) << host;
  }
}

}  // namespace
}  // namespace tickbox::os
