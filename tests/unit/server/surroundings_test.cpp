#include "server/host/base/access.h"

#include <gtest/gtest.h>

#include <string>

namespace tickbox::server {
namespace {

const net::Address kLoopback = net::parse_address("127.0.0.1:7777").value();
const net::Address kEverywhere = net::parse_address("0.0.0.0:7777").value();

TEST(Surroundings, AServerThatOnlyItsContainerReachesSaysWhatToDo) {
  const auto hint = loopback_hint(kLoopback, Surroundings::Container);
  ASSERT_TRUE(hint.has_value());
  const std::string line = as_text(*hint);
  EXPECT_TRUE(line.starts_with("loopback_in_container address=127.0.0.1:7777 ")) << line;
  EXPECT_TRUE(line.contains("--bind 0.0.0.0")) << line;
  EXPECT_TRUE(loopback_hint(net::parse_address("[::1]:7777").value(), Surroundings::Container));
}

TEST(Surroundings, ThereIsNothingToSayElsewhere) {
  EXPECT_FALSE(loopback_hint(kEverywhere, Surroundings::Container));
  EXPECT_FALSE(loopback_hint(kLoopback, Surroundings::Machine));
}

}  // namespace
}  // namespace tickbox::server
