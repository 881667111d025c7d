#include "net/link_simulator.h"

#include "tests/unit/protocol/fault.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

namespace tickbox::net {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSent = 100'000;

struct Arrival {
  std::uint32_t number;
  Instant at;
  std::vector<std::byte> bytes;

  friend bool operator==(const Arrival&, const Arrival&) = default;
};

std::vector<std::byte> datagram(std::uint32_t number, std::size_t size) {
  std::vector<std::byte> bytes(size);
  store_le(MutableBytes{bytes}, number);
  return bytes;
}

// Sends a numbered datagram each millisecond, and takes each arrival in its very moment.
std::vector<Arrival> run(LinkSimulator& link, std::uint64_t count, std::size_t size = 16) {
  std::vector<Arrival> arrivals;
  const auto take_until = [&](Instant end) {
    for (auto due = link.next_due(); due && *due <= end; due = link.next_due()) {
      const auto bytes = link.pop(*due);
      if (!bytes) continue;  // one that was held back is free now
      const std::uint32_t number = bytes->size() >= 4 ? load_le<std::uint32_t>(*bytes) : 0;
      arrivals.push_back({number, *due, samples::copy_of(*bytes)});
    }
  };
  Instant now{};
  for (std::uint32_t i = 0; i < count; ++i, now += 1ms) {
    take_until(now);
    link.push(now, datagram(i, size));
  }
  take_until(now + 1min);
  EXPECT_FALSE(link.next_due());
  return arrivals;
}

// `counted` is what `ppm` of `trials` makes, within five standard deviations.
void expect_share(std::uint64_t counted, std::uint64_t trials, std::uint32_t ppm) {
  const double share = ppm / 1e6;
  const double mean = static_cast<double>(trials) * share;
  EXPECT_NEAR(static_cast<double>(counted), mean, 5 * std::sqrt(mean * (1 - share)));
  EXPECT_GT(counted, 0U);
}

TEST(LinkSimulator, IsAPerfectLinkByDefault) {
  LinkSimulator link{{}, 0};
  const auto arrivals = run(link, 1'000);
  ASSERT_EQ(arrivals.size(), 1'000U);
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    EXPECT_EQ(arrivals[i], (Arrival{i, Instant{} + i * 1ms, datagram(i, 16)}));
  }
}

TEST(LinkSimulator, LosesAndDoublesTheSharesAskedFor) {
  LinkSimulator link{{.loss_ppm = 50'000, .duplicate_ppm = 10'000}, 0};
  const auto arrivals = run(link, kSent);
  const LinkCounts& counts = link.counts();
  expect_share(counts.lost, kSent, 50'000);
  expect_share(counts.duplicated, kSent - counts.lost, 10'000);
  EXPECT_EQ(counts.in, kSent);
  EXPECT_EQ(counts.out, arrivals.size());
  std::vector<int> seen(kSent);
  for (const Arrival& arrival : arrivals) {
    ++seen[arrival.number];
  }
  EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(seen, 2)), counts.duplicated);
  EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(seen, 0)), counts.lost);
  LinkSimulator all{{.loss_ppm = 1'000'000}, 0};
  EXPECT_TRUE(run(all, 1'000).empty());
}

/// Returns the numbers of datagrams that were lost in a row, in order.
std::vector<std::uint32_t> bursts_of(const std::vector<Arrival>& arrivals) {
  std::vector<std::uint32_t> bursts;
  std::uint32_t next = 0;
  for (const Arrival& arrival : arrivals) {
    if (arrival.number > next) bursts.push_back(arrival.number - next);
    next = arrival.number + 1;
  }
  return bursts;
}

TEST(LinkSimulator, LosesInBurstsOfTheMeanLengthAskedFor) {
  for (const std::uint32_t burst : {2U, 5U, 20U}) {
    SCOPED_TRACE(burst);
    LinkSimulator link{{.loss_ppm = 20'000, .burst = burst}, 0};
    const auto bursts = bursts_of(run(link, 10 * kSent));
    const auto count = static_cast<double>(bursts.size());
    EXPECT_NEAR(static_cast<double>(link.counts().lost) / count, burst,
                5 * burst / std::sqrt(count));
    EXPECT_NEAR(count, 20'000.0 / burst, 5 * std::sqrt(20'000.0 / burst));
    EXPECT_GT(std::ranges::max(bursts), burst);
  }
}

TEST(LinkSimulator, LosesEverythingInAnEndlessBurst) {
  LinkSimulator all{{.loss_ppm = 1'000'000, .burst = 5}, 0};
  EXPECT_TRUE(run(all, 1'000).empty());
}

// 100 bytes and 28 of headers are 1,024 bits: at 100 kbit/s a datagram takes 10.24 ms.
TEST(LinkSimulator, SendsOneAfterTheOtherAtTheRateAskedFor) {
  LinkSimulator link{{.delay = 30ms, .bits_per_second = 100'000}, 0};
  for (std::uint32_t i = 0; i < 3; ++i) {
    link.push(Instant{}, datagram(i, 100));
  }
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(link.next_due(), Instant{} + 30ms + i * 10'240us);
    EXPECT_TRUE(link.pop(Instant{} + 1s));
  }
  link.push(Instant{} + 1s, datagram(4, 100));
  EXPECT_EQ(link.next_due(), Instant{} + 1s + 30ms + 10'240us) << "the link was free";
}

TEST(LinkSimulator, LosesWhatWouldWaitTooLongForItsRate) {
  LinkSimulator link{{.bits_per_second = 100'000}, 0};
  // A datagram each millisecond, so that ten times the rate arrives.
  const auto arrivals = run(link, 10'000, 100);
  EXPECT_NEAR(static_cast<double>(arrivals.size()), 10'000 / 10.24, 25);
  EXPECT_EQ(link.counts().lost, 10'000 - arrivals.size());
  for (const Arrival& arrival : arrivals) {
    ASSERT_LE(arrival.at - (Instant{} + arrival.number * 1ms), kLinkQueueMax + 10'240us);
  }
}

TEST(LinkSimulator, FlipsOneBitAndCutsOfTheSharesAskedFor) {
  LinkSimulator link{{.corrupt_ppm = 20'000, .truncate_ppm = 20'000}, 0};
  const auto arrivals = run(link, kSent);
  expect_share(link.counts().corrupted, kSent, 20'000);
  expect_share(link.counts().truncated, kSent, 20'000);
  std::uint64_t changed = 0;
  std::uint64_t cut = 0;
  for (std::uint32_t i = 0; i < kSent; ++i) {
    const auto sent = datagram(i, 16);
    const std::size_t size = arrivals[i].bytes.size();
    int bits = 0;
    for (std::size_t b = 0; b < size; ++b) {
      bits += std::popcount(std::to_integer<std::uint8_t>(sent[b] ^ arrivals[i].bytes[b]));
    }
    ASSERT_LE(bits, 1);
    changed += bits == 1 ? 1 : 0;
    cut += size < 16 ? 1 : 0;
  }
  EXPECT_EQ(cut, link.counts().truncated);
  EXPECT_LE(changed, link.counts().corrupted) << "a flipped bit may be cut off";
  EXPECT_GE(changed + cut, link.counts().corrupted);
}

// How many arrive after one that was sent later.
std::uint64_t overtaken(const std::vector<Arrival>& arrivals) {
  std::uint64_t count = 0;
  std::uint32_t newest = 0;
  for (const Arrival& arrival : arrivals) {
    count += arrival.number < newest ? 1 : 0;
    newest = std::max(newest, arrival.number);
  }
  return count;
}

TEST(LinkSimulator, ReordersTheShareAskedFor) {
  LinkSimulator link{{.delay = 30ms, .reorder_ppm = 10'000}, 0};
  const auto arrivals = run(link, kSent);
  expect_share(link.counts().reordered, kSent, 10'000);
  EXPECT_EQ(overtaken(arrivals), link.counts().reordered);
  EXPECT_EQ(arrivals.size(), kSent);
  for (std::size_t i = 0; i < kSent; ++i) {
    ASSERT_LE(std::abs(static_cast<std::int64_t>(i) - arrivals[i].number), 30)
        << "held back for too many";
  }
}

TEST(LinkSimulator, LetsGoOfTheLastDatagramThoughNonePassesIt) {
  LinkSimulator link{{.delay = 30ms, .reorder_ppm = 1'000'000}, 0};
  link.push(Instant{}, datagram(1, 16));
  EXPECT_FALSE(link.pop(Instant{} + 129ms));
  EXPECT_EQ(link.next_due(), Instant{} + 130ms);
  EXPECT_TRUE(link.pop(Instant{} + 130ms));
  EXPECT_EQ(link.counts().reordered, 0U) << "nothing has overtaken it";
}

TEST(LinkSimulator, DelaysByDelayAndEvenlySpreadJitter) {
  LinkSimulator link{{.delay = 40ms, .jitter = 20ms}, 0};
  const auto arrivals = run(link, kSent);
  ASSERT_EQ(arrivals.size(), kSent);
  std::array<std::uint64_t, 4> quarters{};
  for (const Arrival& arrival : arrivals) {
    const Duration late = arrival.at - (Instant{} + arrival.number * 1ms) - 40ms;
    ASSERT_GE(late, 0ms);
    ASSERT_LE(late, 20ms);
    ++quarters[std::min<std::size_t>(3, static_cast<std::size_t>(late / 5ms))];
  }
  for (const std::uint64_t quarter : quarters)
    expect_share(quarter, kSent, 250'000);
}

TEST(LinkSimulator, GivesArrivalsInTheOrderOfTheirTimes) {
  LinkSimulator link{{.delay = 40ms,
                      .jitter = 20ms,
                      .loss_ppm = 10'000,
                      .duplicate_ppm = 10'000,
                      .reorder_ppm = 50'000},
                     0};
  const auto arrivals = run(link, 20'000);
  EXPECT_TRUE(std::ranges::is_sorted(arrivals, {}, &Arrival::at));
  EXPECT_EQ(link.counts().out, link.counts().in - link.counts().lost + link.counts().duplicated);
}

// A reader that waits for a while and then takes all at once gets the same datagrams.
TEST(LinkSimulator, GivesTheSameToARareReader) {
  const LinkConditions conditions{
      .delay = 40ms, .jitter = 20ms, .loss_ppm = 10'000, .corrupt_ppm = 10'000};
  LinkSimulator often{conditions, 0};
  LinkSimulator rarely{conditions, 0};
  const auto arrivals = run(often, 5'000);
  for (std::uint32_t i = 0; i < 5'000; ++i)
    rarely.push(Instant{} + i * 1ms, datagram(i, 16));
  for (const Arrival& arrival : arrivals) {
    const auto bytes = rarely.pop(Instant{} + 1min);
    ASSERT_TRUE(bytes);
    ASSERT_EQ(samples::copy_of(*bytes), arrival.bytes);
  }
  EXPECT_FALSE(rarely.pop(Instant{} + 1min));
}

TEST(LinkSimulator, IsDecidedBySeedAndStream) {
  const auto arrivals_of = [](std::uint64_t seed, std::uint64_t stream) {
    LinkSimulator link{{.delay = 40ms,
                        .jitter = 20ms,
                        .loss_ppm = 50'000,
                        .duplicate_ppm = 10'000,
                        .reorder_ppm = 10'000,
                        .corrupt_ppm = 10'000,
                        .truncate_ppm = 10'000,
                        .seed = seed},
                       stream};
    return run(link, 2'000);
  };
  EXPECT_EQ(arrivals_of(7, 3), arrivals_of(7, 3));
  EXPECT_NE(arrivals_of(7, 3), arrivals_of(8, 3));
  EXPECT_NE(arrivals_of(7, 3), arrivals_of(7, 4));
  EXPECT_NE(arrivals_of(3, 7), arrivals_of(7, 3));
}

TEST(LinkSimulator, LosesWhatDoesNotFitItsQueue) {
  LinkSimulator link{{.delay = 1s}, 0};
  for (std::uint32_t i = 0; i < kLinkWaitingMax + 10; ++i)
    link.push(Instant{}, datagram(i, 4));
  EXPECT_EQ(link.counts().lost, 10U);
}

TEST(LinkSimulator, PassesEmptyDatagramsUnderEveryFault) {
  LinkSimulator link{{.corrupt_ppm = 1'000'000, .truncate_ppm = 1'000'000}, 0};
  link.push(Instant{}, {});
  const auto bytes = link.pop(Instant{});
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(bytes->empty());
  EXPECT_EQ(link.counts().corrupted + link.counts().truncated, 0U);
}

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
  ImpairedTransport link{inner, clock, *parse_link("delay=80ms"), 0};
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
  ImpairedTransport link{inner, clock, *parse_link("loss=20%,seed=3"), 0};
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

TEST_F(ImpairedTransportTest, HasOtherFaultsInEachDirection) {
  ImpairedTransport link{inner, clock, *parse_link("up.loss=100%,down.delay=20ms"), 0};
  link.send({server}, hello);
  inner.arriving.push_back({server, answer});
  EXPECT_FALSE(link.receive());
  clock.advance(20ms);
  EXPECT_TRUE(link.receive());
  EXPECT_TRUE(inner.sent.empty());
}

TEST_F(ImpairedTransportTest, DropsWhatComesFromElsewhere) {
  ImpairedTransport link{inner, clock, {}, 0};
  link.send({server}, hello);
  inner.arriving.push_back({*parse_address("127.0.0.1:7778"), answer});
  EXPECT_FALSE(link.receive());
  inner.arriving.push_back({server, answer});
  EXPECT_TRUE(link.receive());
}

// A client that is handed over says goodbye to its first server, and speaks to the next one.
TEST_F(ImpairedTransportTest, KeepsTheServersApart) {
  const Address next = *parse_address("127.0.0.1:7778");
  ImpairedTransport link{inner, clock, *parse_link("delay=80ms"), 0};
  link.send({server}, hello);
  inner.arriving.push_back({server, answer});
  EXPECT_FALSE(link.receive());
  link.send({next}, answer);
  clock.advance(40ms);
  const auto received = link.receive();
  ASSERT_TRUE(received);
  EXPECT_EQ(received->from, server);
  ASSERT_EQ(inner.sent.size(), 2U);
  EXPECT_EQ(inner.sent[0].address, server);
  EXPECT_EQ(inner.sent[1].address, next);
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
  ImpairedTransport link{inner, clock, *parse_link("delay=1s"), 0};
  link.send({server}, hello);
  for (int i = 0; i < 5'000; ++i) {
    inner.arriving.push_back({server, answer});
  }
  EXPECT_FALSE(link.receive());
  EXPECT_GT(inner.arriving.size(), 3'000U);
}

}  // namespace
}  // namespace tickbox::net
