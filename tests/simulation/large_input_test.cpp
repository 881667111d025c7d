// A game whose inputs are large: what a client repeats fills its packets.

#include "net/reasons.h"
#include "tests/support/harness.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Pose {
  Array<Int<-1'000'000'000, 1'000'000'000>, 26> left;
  Array<Int<-1'000'000'000, 1'000'000'000>, 26> right;
  TICKBOX_FIELDS(Pose, left, right)
};

struct Dancer {
  Int<-1'000'000'000, 1'000'000'000> bend;
  TICKBOX_FIELDS(Dancer, bend)
};

struct Dance {
  static constexpr std::string_view name = "dance";
  static constexpr std::uint32_t version = 1;
  using Input = Pose;
  using Avatar = Dancer;
  using Kinds = List<Dancer>;

  static Body body(const Dancer&) { return {}; }

  static constexpr std::int32_t top_speed(const Dancer&) { return 1; }

  static void map(MapBuilder& map, const MapOptions&) {
    map.border({0, 0}, {kUnit, kUnit}, Border::Solid);
  }

  static void join(Server<Dance>& server, Player who) { server.spawn_avatar(who, Dancer{}, {}); }

  static void act(Entity<Dancer> me, const Pose& pose, Step<Dance>&) { me->bend = pose.left[0]; }
};

// Before the fix, packets of such a client were over a limit of 400 bytes each on average, and some
// were dropped.
TEST(LargeInput, OfAClientFarAwayIsTakenEveryTick) {
  Harness harness{{.link = {.delay = milliseconds{50}, .jitter = milliseconds{200}},
                   .bot = "stress",
                   .game = &kGameTable<Dance>}};
  const std::size_t client = harness.add_client();
  harness.run_for(seconds{5});
  const auto& metrics = harness.shard().metrics();
  const std::uint64_t bytes = metrics.traffic.bytes_in;
  harness.run_for(seconds{10});
  EXPECT_GT(metrics.traffic.bytes_in - bytes, 10U * 60 * 800);
  EXPECT_EQ(metrics.drops.of(net::DropReason::RateLimited), 0U);
  EXPECT_EQ(harness.client(client).stats().hashes_mismatched, 0U);
}

}  // namespace
}  // namespace tickbox::tests
