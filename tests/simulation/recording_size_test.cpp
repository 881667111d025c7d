// What a recording grows by, in bytes a second: of an empty room, of a client that stands still,
// and of one that plays.

#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kSecondsADay = 24.0 * 60 * 60;

struct Crowd {
  std::size_t clients = 0;
  const char* bot = "still";
  std::uint32_t max_clients = 64;
  std::uint32_t loss_ppm = 0;
};

/// Measures after all clients have joined. A keyframe is written every 5 s, in an empty room every
/// minute.
double bytes_per_second(const Crowd& crowd, int seconds_measured) {
  Harness harness{{.seed = 7,
                   .max_clients = crowd.max_clients,
                   .link = {.delay = milliseconds{20}, .loss_ppm = crowd.loss_ppm},
                   .bot = crowd.bot}};
  for (std::size_t i = 0; i < crowd.clients; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{5});
  EXPECT_EQ(harness.shard().clients(), crowd.clients);
  const std::size_t before = harness.recording().size();
  harness.run_for(seconds{seconds_measured});
  return static_cast<double>(harness.recording().size() - before) / seconds_measured;
}

/// What each client beyond the first costs, keyframes included.
double bytes_per_client(Crowd crowd) {
  constexpr int kSeconds = 20;
  crowd.clients = 1;
  const double one = bytes_per_second(crowd, kSeconds);
  crowd.clients = 33;
  return (bytes_per_second(crowd, kSeconds) - one) / 32;
}

void tell(const std::string& what, double bytes) {
  std::cout << what << ": " << bytes << " bytes per second\n";
}

TEST(RecordingSize, AnEmptyServerWritesAtMostTenMegabytesADay) {
  const double empty = bytes_per_second({.max_clients = 1'000}, 60);
  tell("an empty room of 1,000 seats", empty);
  EXPECT_LE(empty * kSecondsADay, 10e6);
  const double small = bytes_per_second({.max_clients = 16}, 60);
  tell("an empty room of 16 seats", small);
  EXPECT_LE(small * 3'600, 200e3) << "of an hour";
}

TEST(RecordingSize, AnIdleClientCostsAtMostSixtyBytesASecond) {
  const double idle = bytes_per_client({});
  tell("each idle client", idle);
  EXPECT_LE(idle, 60);
  const double at_a_loss = bytes_per_client({.loss_ppm = 50'000});
  tell("each idle client, 5 % of packets lost", at_a_loss);
  EXPECT_LE(at_a_loss, 60);
}

TEST(RecordingSize, APlayingClientCostsAtMost260BytesASecond) {
  const double wanders = bytes_per_client({.bot = "wander"});
  tell("each client that wanders", wanders);
  EXPECT_LE(wanders, 260);
  const double chases = bytes_per_client({.bot = "chase"});
  tell("each client that chases", chases);
  EXPECT_LE(chases, 260);
}

}  // namespace
}  // namespace tickbox::tests
