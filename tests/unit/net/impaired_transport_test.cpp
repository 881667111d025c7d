#include "net/link_simulator.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <deque>

namespace tickbox::net {
namespace {

using namespace std::chrono_literals;

class ManualClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return now_; }

  void advance(Duration by) { now_ += by; }

 private:
  Instant now_;
};

struct Packet {
  Address address;
  std::vector<std::byte> bytes;
};

/// A socket whose other end is the test.
class TestTransport final : public Transport {
 public:
  void send(const Route& route, ConstBytes bytes) override {
    sent.push_back({route.peer, samples::copy_of(bytes)});
  }

  std::optional<Datagram> receive() override {
    if (arriving.empty()) return std::nullopt;
    current_ = arriving.front();
    arriving.pop_front();
    return Datagram{.from = current_.address, .bytes = current_.bytes};
  }

  std::vector<Packet> sent;
  std::deque<Packet> arriving;

 private:
  Packet current_;
};

class ImpairedTransportTest : public testing::Test {
 protected:
  ManualClock clock;
  TestTransport inner;
  const Address server = *parse_address("127.0.0.1:7777");
  const std::vector<std::byte> hello = std::vector<std::byte>(20, std::byte{0x68});
  const std::vector<std::byte> answer = std::vector<std::byte>(30, std::byte{0x61});
};

TEST_F(ImpairedTransportTest, DelaysEachDirection) {
  ImpairedTransport link{inner, clock, *parse_link_conditions("delay=80ms"), 0};
  link.send({server}, hello);
  clock.advance(39ms);
  EXPECT_FALSE(link.receive());
  EXPECT_TRUE(inner.sent.empty());
  EXPECT_EQ(link.next_due(), clock.now() + 1ms);
  clock.advance(1ms);
  EXPECT_FALSE(link.receive());
  ASSERT_EQ(inner.sent.size(), 1U);
  EXPECT_EQ(inner.sent[0].address, server);
  EXPECT_EQ(inner.sent[0].bytes, hello);
  EXPECT_FALSE(link.next_due());

  inner.arriving.push_back({server, answer});
  EXPECT_FALSE(link.receive());
  clock.advance(40ms);
  const auto received = link.receive();
  ASSERT_TRUE(received);
  EXPECT_EQ(received->from, server);
  EXPECT_EQ(samples::copy_of(received->bytes), answer);
  EXPECT_FALSE(link.receive());
}

TEST_F(ImpairedTransportTest, CountsEachDirectionApart) {
  ImpairedTransport link{inner, clock, *parse_link_conditions("loss=20%,seed=3"), 0};
  std::uint64_t received = 0;
  for (int i = 0; i < 10'000; ++i) {
    link.send({server}, hello);
    inner.arriving.push_back({server, answer});
    inner.arriving.push_back({server, answer});
    while (link.receive())
      ++received;
  }
  EXPECT_EQ(link.up().in, 10'000U);
  EXPECT_EQ(link.down().in, 20'000U);
  EXPECT_NEAR(static_cast<double>(link.up().lost), 2'000, 200);
  EXPECT_NEAR(static_cast<double>(link.down().lost), 4'000, 283);
  EXPECT_EQ(inner.sent.size(), 10'000 - link.up().lost);
  EXPECT_EQ(received, 20'000 - link.down().lost);
  EXPECT_NE(2 * link.up().lost, link.down().lost) << "both directions draw the same";
}

TEST_F(ImpairedTransportTest, DropsWhatComesFromElsewhere) {
  ImpairedTransport link{inner, clock, {}, 0};
  link.send({server}, hello);
  inner.arriving.push_back({*parse_address("127.0.0.1:7778"), answer});
  EXPECT_FALSE(link.receive());
  inner.arriving.push_back({server, answer});
  EXPECT_TRUE(link.receive());
}

TEST_F(ImpairedTransportTest, PassesTooLongDatagramsOn) {
  ImpairedTransport link{inner, clock, {}, 0};
  link.send({server}, hello);
  inner.arriving.push_back({server, std::vector<std::byte>(kDatagramBytesMax + 1)});
  const auto received = link.receive();
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes.size(), kDatagramBytesMax + 1);
}

TEST_F(ImpairedTransportTest, IsNotHeldByAFlood) {
  ImpairedTransport link{inner, clock, *parse_link_conditions("delay=1s"), 0};
  link.send({server}, hello);
  for (int i = 0; i < 5'000; ++i)
    inner.arriving.push_back({server, answer});
  EXPECT_FALSE(link.receive());
  EXPECT_GT(inner.arriving.size(), 3'000U);
}

}  // namespace
}  // namespace tickbox::net
