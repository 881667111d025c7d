// When a client asks while nobody answers: by itself, and as one of many that have lost one server.

#include "client/connection/connection.h"
#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

namespace tickbox::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr net::Address kServer{.ip = {}, .port = 7'777};
constexpr Instant kStart{seconds{100}};

/// Nobody is there.
class SilentTransport final : public net::Transport {
 public:
  void send(const net::Route&, ConstBytes) override { ++sent; }

  std::optional<net::Datagram> receive() override { return std::nullopt; }

  std::size_t sent = 0;
};

/// A client that was connected once, and has nothing but its ticket.
struct Asker {
  explicit Asker(std::uint64_t seed) : entropy(seed) {}

  tests::SeededEntropy entropy;
  SilentTransport transport;
  Connection connection{
      {.server = kServer, .ticket = net::ResumeTicket{}}, transport, entropy, kStart};
};

TEST(Asking, IsRepeatedAfterAQuarterOfASecondAndUpToAQuarterMore) {
  Duration shortest = seconds{1};
  Duration longest{};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Asker asker{seed};
    Instant before = kStart;
    while (asker.connection.next_wakeup() < kStart + kServerTimeout) {
      const Instant now = asker.connection.next_wakeup();
      const std::size_t sent = asker.transport.sent;
      asker.connection.update(now - Duration{1});
      ASSERT_EQ(asker.transport.sent, sent) << "a nanosecond too early";
      asker.connection.update(now);
      ASSERT_EQ(asker.transport.sent, sent + 1);
      shortest = std::min(shortest, now - before);
      longest = std::max(longest, now - before);
      before = now;
    }
  }
  EXPECT_GE(shortest, milliseconds{250});
  EXPECT_LE(shortest, milliseconds{251});
  EXPECT_GE(longest, milliseconds{311});
  EXPECT_LE(longest, Duration{milliseconds{250}} * 5 / 4);
}

TEST(Asking, EndsInTimeForWhoIsWokenNoMoreOftenThanItSays) {
  Asker asker{1};
  Instant now = kStart;
  for (int wakes = 0; !asker.connection.over(); ++wakes) {
    ASSERT_LE(wakes, 20);
    ASSERT_GT(asker.connection.next_wakeup(), now);
    now = asker.connection.next_wakeup();
    asker.connection.update(now);
  }
  EXPECT_EQ(now, kStart + kServerTimeout);
}

// They lose it within the same tick, so they begin together. They must not go on so, nor fall into
// step again when they begin anew.
TEST(Asking, OfAThousandThatLostOneServerIsSpreadOverTime) {
  constexpr std::size_t kClients = 1'000;
  std::deque<Asker> askers;
  for (std::size_t i = 0; i < kClients; ++i) {
    askers.emplace_back(i);
  }
  std::size_t most_at_once = 0;
  std::size_t all = 0;
  for (milliseconds passed{1}; passed < kServerTimeout; passed += milliseconds{1}) {
    std::size_t at_once = 0;
    for (Asker& asker : askers) {
      const std::size_t before = asker.transport.sent;
      asker.connection.update(kStart + passed);
      at_once += asker.transport.sent - before;
    }
    most_at_once = std::max(most_at_once, at_once);
    all += at_once;
  }
  EXPECT_GE(all, 15 * kClients);
  constexpr std::size_t kFairShare = kClients / 62;  // of each millisecond of jitter
  EXPECT_LE(most_at_once, 2 * kFairShare);
}

}  // namespace
}  // namespace tickbox::client
