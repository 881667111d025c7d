#include "server/host/access.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

const net::Address kLoopback = net::parse_address("127.0.0.1:7777").value();
const net::Address kEverywhere = net::parse_address("0.0.0.0:7777").value();

TEST(Surroundings, AServerThatOnlyItsContainerReachesSaysWhatToDo) {
  const auto hint = loopback_hint(kLoopback, Surroundings::Container);
  ASSERT_TRUE(hint.has_value());
  EXPECT_TRUE(hint->starts_with("loopback_in_container address=127.0.0.1:7777 ")) << *hint;
  EXPECT_TRUE(hint->contains("--bind 0.0.0.0")) << *hint;
  EXPECT_TRUE(loopback_hint(net::parse_address("[::1]:7777").value(), Surroundings::Container));
}

TEST(Surroundings, ThereIsNothingToSayElsewhere) {
  EXPECT_EQ(loopback_hint(kEverywhere, Surroundings::Container), std::nullopt);
  EXPECT_EQ(loopback_hint(kLoopback, Surroundings::Machine), std::nullopt);
}

}  // namespace
}  // namespace tickbox::server
