#include "tests/bench/game/costs.h"
#include "tests/bench/game/pellets.h"
#include "tests/support/allocations.h"
#include "tests/support/harness.h"

#include <chrono>

namespace tickbox::bench {
namespace {

using std::chrono::seconds;

/// Enough for views to fill, and for all memory that is kept from tick to tick.
constexpr seconds kSettling{5};

Vec2 small_sight(const void* /*avatar*/) {
  return {3 * kUnit, 3 * kUnit};
}

Vec2 large_sight(const void* /*avatar*/) {
  return {16 * kUnit, 16 * kUnit};
}

/// Bytes that are held so far.
struct Held {
  double server = 0;
  double client = 0;

  friend Held operator-(const Held& a, const Held& b) {
    return {.server = a.server - b.server, .client = a.client - b.client};
  }
};

Held held(const tests::Harness& harness) {
  const auto server = static_cast<std::int64_t>(harness.metered());
  const auto all = static_cast<std::int64_t>(tests::live_bytes());
  return {.server = static_cast<double>(server), .client = static_cast<double>(all - server)};
}

}  // namespace

ViewMemory measure_memory(Views views) {
  const GameTable game =
      pellet_game(Pellets::AtRest, views == Views::Small ? &small_sight : &large_sight);
  tests::Harness harness{{.seed = 7,
                          .max_clients = kWalkers,
                          .bot = "stress",  // news in every tick, and nobody gets far
                          .game = &game,
                          .meter = tests::live_bytes}};
  harness.add_client();
  harness.run_for(kSettling);
  const Held first = held(harness);
  for (std::uint32_t i = 1; i < kWalkers; ++i) {
    harness.add_client();
  }
  harness.run_for(kSettling);
  const Held second = held(harness);
  const server::SnapshotMetrics before = harness.shard().metrics().snapshots;
  harness.run_for(kSettling);
  // Between the second and the third measurement only the harness's own records of each tick grow.
  // They grew as much between the first and the second, so this is subtracted there.
  const Held grown = held(harness) - second;
  const Held added = second - first - grown;
  const server::SnapshotMetrics& after = harness.shard().metrics().snapshots;
  constexpr double kAdded = kWalkers - 1;
  ViewMemory memory{
      .members = static_cast<double>(after.members - before.members) /
                 static_cast<double>(after.on_base + after.full - before.on_base - before.full),
      .server = added.server / kAdded,
      .client = added.client / kAdded};
  for (std::uint32_t i = 0; i < kWalkers; ++i) {
    memory.mismatches += harness.client(i).stats().hashes_mismatched;
  }
  return memory;
}

}  // namespace tickbox::bench
