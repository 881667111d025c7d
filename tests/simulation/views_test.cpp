// Views that are never wrong: many players in sight of each other and out of it again, on links
// that lose, hold up, double and cut what passes, whose clients stall, and are stopped and come
// back.
//
// Each client checks the hash of each view, so there is nothing to check here but that they did.
// TICKBOX_VIEW_SEEDS and TICKBOX_VIEW_SECONDS make the test as long as one likes. With
// TICKBOX_VIEW_LOSS every link loses that percentage, and there is no other fault.

#include "games/arena/arena.h"
#include "tests/support/harness.h"
#include "tests/support/sights.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return text != nullptr ? std::stoull(text) : otherwise;
}

net::LinkConditions any_link(Rng& rng, std::optional<std::uint64_t> loss_percent) {
  if (loss_percent) {
    return {.delay = milliseconds{rng.below(150)},
            .jitter = milliseconds{rng.below(40)},
            .loss_ppm = static_cast<std::uint32_t>(*loss_percent * 10'000)};
  }
  return {.delay = milliseconds{rng.below(150)},
          .jitter = milliseconds{rng.below(40)},
          .loss_ppm = static_cast<std::uint32_t>(rng.below(200'000)),
          .duplicate_ppm = static_cast<std::uint32_t>(rng.below(50'000)),
          .reorder_ppm = static_cast<std::uint32_t>(rng.below(50'000)),
          .corrupt_ppm = static_cast<std::uint32_t>(rng.below(10'000)),
          .truncate_ppm = static_cast<std::uint32_t>(rng.below(10'000))};
}

std::optional<std::uint64_t> loss_percent() {
  const std::uint64_t percent = number_from("TICKBOX_VIEW_LOSS", 100);
  return percent < 100 ? std::optional{percent} : std::nullopt;
}

/// A client's link goes down, or its process is stopped, for up to a second and a half.
class Trouble {
 public:
  explicit Trouble(Harness& harness) : harness_(harness) {}

  void begin(Rng& rng) {
    client_ = rng.below(harness_.players().size());
    is_cut_ = rng.chance(1, 2);
    if (is_cut_) {
      harness_.network().cut(client_);
    } else {
      harness_.silence(client_);
    }
  }

  void end() {
    if (is_cut_) {
      harness_.network().mend(client_);
    } else {
      harness_.wake(client_);
    }
  }

 private:
  Harness& harness_;
  std::size_t client_ = 0;
  bool is_cut_ = false;
};

/// Few where a step is slow, checked and unoptimised.
#ifdef TICKBOX_AUDIT
constexpr std::uint64_t kSeeds = 2;
#else
constexpr std::uint64_t kSeeds = 12;
#endif

constexpr std::uint32_t kTickRates[] = {60, 60, 30, 128};
using SightHook = Vec2 (*)(const void* avatar);
constexpr SightHook kSights[] = {nullptr, &sight_of<8, 6>, &sight_of<4, 4>, &sight_of<100, 100>};
constexpr const char* kBots[] = {"mix", "wander", "chase", "stress"};

struct Seen {
  std::uint64_t views = 0;
  std::uint64_t on_base = 0;
  std::uint64_t new_bodies = 0;  ///< bytes, as the next two
  std::uint64_t known_bodies = 0;
  std::uint64_t exits = 0;
};

void play(std::uint64_t seed, std::uint64_t length, Seen& seen) {
  Rng rng{seed};
  const std::uint32_t tick_rate = kTickRates[rng.below(std::size(kTickRates))];
  const std::uint32_t snapshot_rate = rng.chance(1, 3) ? tick_rate / 2 : 0;
  const GameTable game = with_sight(games::arena(), kSights[rng.below(std::size(kSights))]);
  Harness harness{{.seed = seed,
                   .tick_rate = tick_rate,
                   .max_clients = 24,
                   .snapshot_rate = snapshot_rate,
                   .bot = kBots[rng.below(std::size(kBots))],
                   .game = &game}};
  const std::size_t clients = 4 + rng.below(20);
  const std::optional<std::uint64_t> loss = loss_percent();
  for (std::size_t i = 0; i < clients; ++i) {
    harness.add_client(any_link(rng, loss));
  }
  if (loss) harness.run_for(seconds{length});
  for (std::uint64_t second = 0; second < length && !loss; ++second) {
    Trouble trouble{harness};
    trouble.begin(rng);
    harness.run_for(milliseconds{rng.below(1'500)});
    trouble.end();
    harness.run_for(milliseconds{500});
  }
  for (std::size_t i = 0; i < clients; ++i) {
    // A flipped bit in its very CONNECT, which no checksum of UDP would let pass, keeps a client
    // out.
    if (harness.client(i).connection().state() == client::Connection::State::Refused) continue;
    const client::ClientStats stats = harness.client(i).stats();
    EXPECT_EQ(stats.hashes_mismatched, 0U)
        << "client " << i
        << (harness.desyncs(i).empty() || !harness.desyncs(i)[0].difference
                ? std::string{}
                : ": " + protocol::difference_in_words(*harness.desyncs(i)[0].difference));
    EXPECT_GT(stats.hashes_checked, 0U) << "client " << i;
    seen.views += stats.hashes_checked;
  }
  EXPECT_EQ(harness.log().errors(), 0);
  const server::SnapshotMetrics& snapshots = harness.shard().metrics().snapshots;
  const auto bytes_of = [&](server::SnapshotPart part) {
    return snapshots.bytes[static_cast<std::size_t>(part)];
  };
  seen.on_base += snapshots.on_base;
  seen.new_bodies += bytes_of(server::SnapshotPart::NewBodies);
  seen.known_bodies += bytes_of(server::SnapshotPart::KnownBodies);
  seen.exits += bytes_of(server::SnapshotPart::Exits);
}

TEST(Views, AreNeverWrong) {
  const std::uint64_t first = number_from("TICKBOX_VIEW_FIRST_SEED", 1);
  const std::uint64_t count = number_from("TICKBOX_VIEW_SEEDS", kSeeds);
  const std::uint64_t length = number_from("TICKBOX_VIEW_SECONDS", 12);
  Seen seen;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    play(seed, length, seen);
    if (HasFailure()) return;
  }
  RecordProperty("views", std::to_string(seen.views));
  EXPECT_GT(seen.views, count * length * 10);
  EXPECT_GT(seen.on_base, count * length * 50);
  EXPECT_GT(seen.new_bodies, 0U);
  if (count >= 12) {
    EXPECT_GT(seen.known_bodies, 0U) << "nobody was touched from outside";
  }
  EXPECT_GT(seen.exits, 0U);
}

}  // namespace
}  // namespace tickbox::tests
