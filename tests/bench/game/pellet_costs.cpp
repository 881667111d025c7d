#include "tests/bench/frame.h"
#include "tests/bench/game/costs.h"
#include "tests/bench/game/pellets.h"
#include "tests/support/harness.h"

#include <chrono>
#include <cstddef>
#include <vector>

namespace tickbox::bench {
namespace {

using std::chrono::milliseconds;

/// Views of 1,024 members fill up in some seconds.
constexpr int kTicksUntilFull = 360;

Vec2 wide_sight(const void* /*avatar*/) {
  return kWideSight;
}

class Room {
 public:
  Room(std::string_view name, Pellets pellets)
      : game_(pellet_game(pellets, &wide_sight)),
        harness_({.seed = 7,
                  .max_clients = kWalkers,
                  .bot = "wander",
                  .game = &game_,
                  .meter = thread_time}) {
    cost_.name = name;
    for (std::uint32_t i = 0; i < kWalkers; ++i) {
      harness_.add_client();
    }
  }

  void tick(bool is_measured) {
    const Tick tick = harness_.world().tick;
    const std::uint64_t before = harness_.metered();
    const std::uint64_t sent_before = harness_.metered_sending();
    while (harness_.world().tick == tick) {
      harness_.run_for(milliseconds{1});
    }
    if (!is_measured) return;
    ticks_.push_back(static_cast<double>(harness_.metered() - before) / 1e3);
    sendings_.push_back(static_cast<double>(harness_.metered_sending() - sent_before) / 1e3);
  }

  void begin() { before_ = harness_.shard().metrics().snapshots; }

  [[nodiscard]] PelletCost cost() {
    const server::SnapshotMetrics& after = harness_.shard().metrics().snapshots;
    const auto sent =
        static_cast<double>(after.on_base + after.full - before_.on_base - before_.full);
    PelletCost cost = cost_;
    cost.tick = median(ticks_);
    cost.sending = median(sendings_);
    cost.members = sent > 0 ? static_cast<double>(after.members - before_.members) / sent : 0;
    cost.bodies = harness_.world().size();
    for (std::uint32_t i = 0; i < kWalkers; ++i) {
      cost.mismatches += harness_.client(i).stats().hashes_mismatched;
    }
    return cost;
  }

 private:
  GameTable game_;
  tests::Harness harness_;
  PelletCost cost_;
  server::SnapshotMetrics before_;
  std::vector<double> ticks_;
  std::vector<double> sendings_;
};

}  // namespace

std::array<PelletCost, 4> measure_pellets(int ticks) {
  Room without{"16 walkers", Pellets::None};
  Room out_of_sight{"and 4,000 out of sight", Pellets::OutOfSight};
  Room at_rest{"and 4,000 in sight", Pellets::AtRest};
  Room to_eat{"and 4,000 to eat", Pellets::ToEat};
  const std::array rooms = {&without, &out_of_sight, &at_rest, &to_eat};
  for (int tick = 0; tick < kTicksUntilFull + ticks; ++tick) {
    for (Room* room : rooms) {
      if (tick == kTicksUntilFull) room->begin();
      room->tick(tick >= kTicksUntilFull);
    }
  }
  return {without.cost(), out_of_sight.cost(), at_rest.cost(), to_eat.cost()};
}

}  // namespace tickbox::bench
