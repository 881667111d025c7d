// Real sockets on loopback: what is readable is named, and a wait ends in time.

#include "core/bytes.h"
#include "os/net/udp_transport.h"
#include "os/process/steady_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace tickbox::os {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<UdpTransport> open_socket() {
  return UdpTransport::open({.bind = net::parse_address("127.0.0.1:0").value()}).value();
}

TEST(PollSet, NamesTheSocketsThatHaveADatagramUntilTheyAreRead) {
  auto set = PollSet::open();
  ASSERT_TRUE(set) << set.error();
  const std::array sockets{open_socket(), open_socket(), open_socket()};
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    ASSERT_TRUE(set->watch(*sockets[i], i));
  }
  const std::string text = "hello";
  sockets[0]->send({sockets[2]->local_address()}, as_bytes_of(text));
  for (int time = 0; time < 2; ++time) {
    const auto ready = set->wait(5s);
    ASSERT_EQ(ready.size(), 1U);
    EXPECT_EQ(ready[0], 2U);
  }
  ASSERT_TRUE(sockets[2]->receive());
  EXPECT_TRUE(set->wait(Duration::zero()).empty());
}

TEST(PollSet, WaitsNoLongerThanAsked) {
  auto set = PollSet::open();
  ASSERT_TRUE(set) << set.error();
  const auto socket = open_socket();
  ASSERT_TRUE(set->watch(*socket, 0));
  const SteadyClock clock;
  const Instant start = clock.now();
  EXPECT_TRUE(set->wait(20ms).empty());
  EXPECT_GE(clock.now() - start, 20ms);
  EXPECT_TRUE(set->wait(-1s).empty());
  EXPECT_LT(clock.now() - start, 5s);
}

}  // namespace
}  // namespace tickbox::os
