// Real sockets on loopback, every port a free one.

#include "os/net/udp_transport.h"

#include "os/net/resolve.h"
#include "os/process/steady_clock.h"
#include "tests/support/patience.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tickbox::os {
namespace {

using namespace std::chrono_literals;

net::Address address(const char* text) {
  const auto parsed = net::parse_address(text);
  EXPECT_TRUE(parsed) << parsed.error();
  return *parsed;
}

std::unique_ptr<UdpTransport> open_at(const char* bind, std::size_t send_batch = 1) {
  auto transport = UdpTransport::open({.bind = address(bind), .send_batch = send_batch});
  EXPECT_TRUE(transport) << transport.error();
  return *std::move(transport);
}

/// Returns the next datagram, or nothing after half a minute.
std::optional<net::Datagram> receive_soon(UdpTransport& transport) {
  std::optional<net::Datagram> datagram;
  (void)tests::comes_true([&] {
    datagram = transport.receive();
    return datagram.has_value();
  });
  return datagram;
}

std::string as_text(ConstBytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(UdpTransport, TakesAFreePortAndTellsIt) {
  const auto transport = open_at("127.0.0.1:0");
  EXPECT_NE(transport->local_address().port, 0);
  EXPECT_EQ(net::to_string(transport->local_address()),
            "127.0.0.1:" + std::to_string(transport->local_address().port));
}

TEST(UdpTransport, CarriesADatagramWithItsSender) {
  for (const char* bind : {"127.0.0.1:0", "[::1]:0"}) {
    const auto a = open_at(bind);
    const auto b = open_at(bind);
    const std::string text = "hello";
    a->send({b->local_address()}, as_bytes_of(text));
    const auto datagram = receive_soon(*b);
    ASSERT_TRUE(datagram);
    EXPECT_EQ(as_text(datagram->bytes), "hello");
    EXPECT_EQ(datagram->from, a->local_address()) << net::to_string(datagram->from);
    EXPECT_FALSE(b->receive());
  }
}

TEST(UdpTransport, KeepsOrderAndContentOverManyBatches) {
  const auto a = open_at("127.0.0.1:0");
  const auto b = open_at("127.0.0.1:0");
  for (std::size_t i = 0; i < 200; ++i) {
    a->send({b->local_address()}, as_bytes_of(std::string(i, static_cast<char>('a' + i % 26))));
  }
  for (std::size_t i = 0; i < 200; ++i) {
    const auto datagram = receive_soon(*b);
    ASSERT_TRUE(datagram) << i;
    ASSERT_EQ(as_text(datagram->bytes), std::string(i, static_cast<char>('a' + i % 26)));
  }
  EXPECT_FALSE(b->receive());
}

// A batch that was not full had all that had arrived: receive() says so without a second system
// call. What has arrived since comes with the next call.
TEST(UdpTransport, EndsAfterABatchThatWasNotFull) {
  const auto a = open_at("127.0.0.1:0");
  const auto b = open_at("127.0.0.1:0");
  const std::string text = "x";
  a->send({b->local_address()}, as_bytes_of(text));
  ASSERT_TRUE(receive_soon(*b));
  a->send({b->local_address()}, as_bytes_of(text));
  EXPECT_FALSE(b->receive());
  EXPECT_TRUE(b->receive());
  EXPECT_FALSE(b->receive());
  for (int i = 0; i < 33; ++i) {
    a->send({b->local_address()}, as_bytes_of(text));
  }
  for (int i = 0; i < 33; ++i) {
    EXPECT_TRUE(b->receive()) << i << ": a full batch is followed by the next one";
  }
  EXPECT_FALSE(b->receive());
}

TEST(UdpTransport, KeepsABatchUntilItIsFullOrFlushed) {
  const auto a = open_at("127.0.0.1:0", 3);
  const auto b = open_at("127.0.0.1:0");
  for (const std::string text : {"1", "2", "three", "4"}) {
    a->send({b->local_address()}, as_bytes_of(text));
  }
  for (const char* text : {"1", "2", "three"}) {
    const auto datagram = receive_soon(*b);
    ASSERT_TRUE(datagram);
    EXPECT_EQ(as_text(datagram->bytes), text);
  }
  EXPECT_FALSE(b->receive());
  EXPECT_FALSE(b->receive()) << "the fourth one is kept";
  a->flush();
  a->flush();
  const auto last = receive_soon(*b);
  ASSERT_TRUE(last);
  EXPECT_EQ(as_text(last->bytes), "4");
  EXPECT_FALSE(b->receive());
}

// The kernel gets those of one size to one peer as one message.
TEST(UdpTransport, DatagramsOfABatchArriveOneByOne) {
  for (const char* bind : {"127.0.0.1:0", "[::1]:0"}) {
    const auto a = open_at(bind, 64);
    const auto b = open_at(bind);
    const auto c = open_at(bind);
    std::vector<std::string> sent;
    for (std::size_t i = 0; i < 20; ++i) {
      sent.push_back(std::to_string(100 + i) + std::string(i % 3, 'x'));
      for (const auto* to : {&b, &c}) {
        a->send({(*to)->local_address()}, as_bytes_of(sent.back()));
      }
    }
    a->flush();
    for (const auto* to : {&b, &c}) {
      std::vector<std::string> received;
      while (received.size() < sent.size()) {
        const auto datagram = receive_soon(**to);
        ASSERT_TRUE(datagram) << received.size();
        EXPECT_EQ(datagram->from, a->local_address());
        received.push_back(as_text(datagram->bytes));
      }
      EXPECT_TRUE(std::ranges::is_permutation(received, sent));
      EXPECT_FALSE((*to)->receive());
    }
    EXPECT_EQ(a->failures().send_errors, 0U);
  }
}

TEST(UdpTransport, DropsOfABatchWhatTheKernelDoesNotTake) {
  const auto v4 = open_at("127.0.0.1:0", 4);
  const auto b = open_at("127.0.0.1:0");
  const std::string text = "x";
  for (const net::Address& to :
       {address("[::1]:9"), b->local_address(), address("[::1]:9"), b->local_address()}) {
    v4->send({to}, as_bytes_of(text));
  }
  EXPECT_TRUE(receive_soon(*b));
  EXPECT_TRUE(receive_soon(*b));
  EXPECT_EQ(v4->failures().send_errors, 2U);
}

TEST(UdpTransport, HoldsMoreThanTheUsualDefaultOf256Datagrams) {
  const auto a = open_at("127.0.0.1:0");
  const auto b = open_at("127.0.0.1:0");
  if (b->buffers().receive_bytes < kSocketBufferBytes / 2) {
    GTEST_SKIP() << "this kernel grants " << b->buffers().receive_bytes << " bytes";
  }
  constexpr int kDatagrams = 1'000;
  const std::string text(100, 'x');
  for (int i = 0; i < kDatagrams; ++i) {
    a->send({b->local_address()}, as_bytes_of(text));
  }
  int received = 0;
  while (b->receive()) {
    ++received;
  }
  EXPECT_EQ(received, kDatagrams);
}

TEST(UdpTransport, ShowsADatagramThatIsTooLong) {
  const auto b = open_at("127.0.0.1:0");
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_GE(sender, 0);
  const SocketAddress target = to_ipv4_or_ipv6(b->local_address());
  for (const std::size_t size :
       {net::kDatagramBytesMax, net::kDatagramBytesMax + 1, std::size_t{9'000}}) {
    const std::string bytes(size, 'x');
    ASSERT_EQ(sendto(sender, bytes.data(), bytes.size(), 0,
                     reinterpret_cast<const sockaddr*>(&target.storage), target.size),
              static_cast<ssize_t>(size));
    const auto datagram = receive_soon(*b);
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->bytes.size(), std::min(size, net::kDatagramBytesMax + 1));
  }
  close(sender);
}

TEST(UdpTransport, ReceivesNothingWithoutWaiting) {
  const auto transport = open_at("127.0.0.1:0");
  const SteadyClock clock;
  const Instant start = clock.now();
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(transport->receive());
  }
  EXPECT_LT(clock.now() - start, 1s);
  EXPECT_EQ(transport->failures().receive_errors, 0U);
}

// A server must get its own port or say so: with SO_REUSEADDR both would have it, and one would
// hear nothing.
TEST(UdpTransport, RefusesAPortThatIsTaken) {
  const auto first = open_at("127.0.0.1:0");
  const auto second = UdpTransport::open({.bind = first->local_address()});
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().contains(net::to_string(first->local_address()))) << second.error();
  EXPECT_TRUE(second.error().contains("--port 0")) << second.error();
}

TEST(UdpTransport, RefusesAnAddressThatIsNotOurs) {
  const auto transport = UdpTransport::open({.bind = address("192.0.2.1:0")});
  ASSERT_FALSE(transport);
  EXPECT_TRUE(transport.error().contains("an address of this machine")) << transport.error();
}

TEST(UdpTransport, AReceiverThatIsGoneIsNoError) {
  const auto a = open_at("127.0.0.1:0");
  const net::Address gone = open_at("127.0.0.1:0")->local_address();
  const std::string text = "anybody?";
  for (int i = 0; i < 10; ++i) {
    a->send({gone}, as_bytes_of(text));
    EXPECT_FALSE(a->receive());
  }
  EXPECT_EQ(a->failures().send_errors, 0U);
  EXPECT_EQ(a->failures().receive_errors, 0U);
}

TEST(UdpTransport, CountsWhatItsAddressFamilyCannotReach) {
  const auto v4 = open_at("127.0.0.1:0");
  const std::string text = "?";
  v4->send({address("[::1]:9")}, as_bytes_of(text));
  EXPECT_EQ(v4->failures().send_errors, 1U);
}

// Before the fix, the kernel picked the address that a wildcard socket answered from: 127.0.0.1,
// whichever address of this machine a client had asked.
TEST(UdpTransport, AnswersFromTheAddressThatWasAsked) {
  const struct {
    const char* bind;
    IpFamilies families;
    std::vector<const char*> asked;
  } cases[] = {{"0.0.0.0:0", IpFamilies::OwnOnly, {"127.0.0.1:0", "127.0.0.2:0", "127.1.2.3:0"}},
               {"[::]:0", IpFamilies::Both, {"127.0.0.1:0", "127.0.0.2:0", "[::1]:0"}},
               {"127.0.0.2:0", IpFamilies::OwnOnly, {"127.0.0.2:0"}}};

  for (const auto& [bind, families, asked] : cases) {
    auto server = UdpTransport::open({.bind = address(bind), .families = families});
    ASSERT_TRUE(server) << server.error();
    for (const char* text : asked) {
      net::Address there = address(text);
      const auto client = open_at(net::is_ipv4(there) ? "0.0.0.0:0" : "[::]:0");
      there.port = (*server)->local_address().port;
      const std::string word = "ping";
      client->send({there}, as_bytes_of(word));
      const auto question = receive_soon(**server);
      ASSERT_TRUE(question);
      EXPECT_EQ(question->to, there) << net::to_string(question->to);
      (*server)->send(question->back(), as_bytes_of(word));
      const auto answer = receive_soon(*client);
      ASSERT_TRUE(answer) << bind << " " << text;
      EXPECT_EQ(answer->from, there) << net::to_string(answer->from);
    }
    EXPECT_EQ((*server)->failures().send_errors, 0U);
  }
}

TEST(UdpTransport, KnowsHowLongADatagramHasWaited) {
  for (const char* bind : {"127.0.0.1:0", "[::1]:0", "0.0.0.0:0", "[::]:0"}) {
    const auto server = UdpTransport::open({.bind = address(bind), .arrival_times = true});
    ASSERT_TRUE(server) << server.error();
    net::Address there = address(net::is_ipv4(address(bind)) ? "127.0.0.1:0" : "[::1]:0");
    const auto client = open_at(net::to_string(there).c_str());
    there.port = (*server)->local_address().port;
    const std::string text = "x";
    // The kernel begins to note times some time after the first socket has asked for them.
    EXPECT_TRUE(tests::comes_true([&] {
      client->send({there}, as_bytes_of(text));
      std::this_thread::sleep_for(5ms);
      const auto datagram = receive_soon(**server);
      return datagram && datagram->to == there && datagram->waited >= 5ms;
    })) << bind;
  }
}

TEST(UdpTransport, KnowsNoWaitUnlessItIsAsked) {
  const auto a = open_at("127.0.0.1:0");
  const auto b = open_at("127.0.0.1:0");
  const std::string text = "x";
  a->send({b->local_address()}, as_bytes_of(text));
  std::this_thread::sleep_for(5ms);
  const auto datagram = receive_soon(*b);
  ASSERT_TRUE(datagram);
  EXPECT_EQ(datagram->waited, 0ms);
}

TEST(UdpTransport, AClockThatIsSetMakesNoWaitNegativeOrLongerThanItCanBe) {
  const DrainStart drain{.real = 1'000h, .since = 4ms};
  EXPECT_EQ(waited_at(drain, 1'000h - 3ms), 3ms);
  EXPECT_EQ(waited_at(drain, 1'000h + 1us), 0ms) << "it has arrived since the drain began";
  EXPECT_EQ(waited_at(drain, 999h), 4ms) << "the clock was put forward in between";
  EXPECT_EQ(waited_at(drain, 1'001h), 0ms) << "the clock was put back";
  EXPECT_EQ(waited_at(drain, 0h), 4ms);
  EXPECT_EQ(waited_at({.real = 1'000h, .since = 0ms}, 999h), 0ms);
  EXPECT_EQ(waited_at({.real = 1'000h, .since = -4ms}, 999h), 0ms)
      << "a steady clock that goes back is broken, and does no harm either";
}

}  // namespace
}  // namespace tickbox::os
