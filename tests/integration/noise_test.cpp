// Nonsense from the network at a server with a playing client: it is dropped and counted, and
// nobody else notices.

#include "core/rng.h"
#include "net/address.h"
#include "os/net/socket_address.h"
#include "tests/integration/document.h"
#include "tests/integration/running_server.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace tickbox::integration {
namespace {

constexpr std::uint64_t kSeed = 20'260;
constexpr int kRandom = 10'000;
constexpr int kLikeRealOnes = 2'000;

/// The datagrams that a small socket buffer of a stalled server still holds.
constexpr int kBatch = 200;

/// Longer than any of ours, so that too long ones are among them.
constexpr std::size_t kNoiseBytesMax = 1'400;

/// Sends what the transport of the programs would refuse to send.
class NoiseSource {
 public:
  explicit NoiseSource(const std::string& target)
      : to_(os::to_ipv4_or_ipv6(net::parse_address(target).value())),
        socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    if (socket_ < 0) throw std::system_error{errno, std::generic_category(), "socket"};
  }

  NoiseSource(const NoiseSource&) = delete;
  NoiseSource& operator=(const NoiseSource&) = delete;

  ~NoiseSource() { close(socket_); }

  void send_random() { send(draw(rng_.below(kNoiseBytesMax + 1))); }

  /// Type and connection id of a real packet, nonsense behind them.
  void send_like_a_real_one() {
    constexpr std::array<std::uint8_t, 15> kTypes = {1,  2,  3,  4,  5,  6,  8, 9,
                                                     10, 11, 12, 13, 16, 18, 19};
    constexpr std::uint64_t kLikelyConnections = 4'096;
    std::string bytes = draw(8 + rng_.below(kNoiseBytesMax - 8));
    bytes[0] = static_cast<char>(kTypes[rng_.below(kTypes.size())]);
    const std::uint64_t connection = rng_.below(kLikelyConnections);
    for (unsigned i = 0; i < 4; ++i) {
      bytes[1 + i] = static_cast<char>(connection >> (8 * i));
    }
    send(bytes);
  }

 private:
  std::string draw(std::uint64_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(rng_.below(256));
    }
    return bytes;
  }

  void send(const std::string& bytes) const {
    sendto(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to_.storage),
           to_.size);
  }

  Rng rng_{kSeed};
  os::SocketAddress to_;
  int socket_;
};

/// Waits for the server to have taken most of what was sent, so that the kernel need not drop it;
/// a busy server may lose some all the same.
void wait_until_taken(const RunningServer& server, double dropped) {
  const Instant give_up = std::chrono::steady_clock::now() + std::chrono::seconds{1};
  while (server.metric("tickbox_packets_dropped_total") < dropped &&
         std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

TEST(Noise, TwelveThousandDatagramsOfNonsenseDisturbNobody) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  const RunningServer server;
  Process client{tickbox({"connect", server.address(), "--json"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  const double before = server.metric("tickbox_packets_dropped_total");

  NoiseSource noise{server.address()};
  for (int i = 1; i <= kRandom + kLikeRealOnes; ++i) {
    if (i <= kRandom)
      noise.send_random();
    else
      noise.send_like_a_real_one();
    if (i % kBatch == 0) wait_until_taken(server, before + 0.9 * i);
  }

  const double dropped = server.metric("tickbox_packets_dropped_total") - before;
  EXPECT_GE(dropped, 0.8 * (kRandom + kLikeRealOnes));
  EXPECT_LE(dropped, kRandom + kLikeRealOnes);
  EXPECT_GT(server.metric("tickbox_packets_dropped_total", "unknown_connection"), 0);
  EXPECT_GT(server.metric("tickbox_packets_dropped_total", "too_long"), 0);
  EXPECT_EQ(server.metric("tickbox_clients"), 1) << "nobody joined by nonsense, nobody left";
  EXPECT_EQ(server.get("/livez").status, 200U);

  client.signal(SIGINT);
  const Finished left = finish(client);
  EXPECT_EQ(left.exit_code, kDone) << left;
  const Document document{left.out};
  EXPECT_GT(document.number("state_hash.checked"), 0);
  EXPECT_EQ(document.number("state_hash.mismatched"), 0);
}

}  // namespace
}  // namespace tickbox::integration
