#include "tests/bench/game/both_arenas.h"

#include "engine/state_hasher.h"
#include "engine/stepper.h"
#include "game/step.h"
#include "games/arena/arena.h"
#include "games/arena/arena_game.h"
#include "games/arena/arena_map.h"
#include "tests/bench/game/arena_inputs.h"
#include "tests/bench/game/timing.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tickbox::bench {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr int kWarmUpTicks = 120;

class BothArenas {
 public:
  explicit BothArenas(const ArenaCase& of)
      : inputs_(of.players, of.is_stress, kSeed),
        before_(game::make_arena_map(of.players), rules_.settings(), kSeed),
        now_(games::arena(), engine::make_map(games::arena(), {.seats = of.players}, kRate), kRate,
             kSeed) {
    rules_.open(before_);
    stepper_.open(now_);
  }

  void draw() { inputs_.draw(); }

  void step_before() {
    game::step(before_, rules_, {.leaves = {}, .joins = inputs_.joins, .inputs = inputs_.inputs},
               game::Authority::Server, before_stepper_);
  }

  void step_now() {
    stepper_.step(now_, {.leaves = {}, .joins = inputs_.joining, .inputs = inputs_.given}, record_);
  }

  [[nodiscard]] std::uint64_t hash_before() const { return game::state_hash(before_); }

  std::uint64_t hash_now() { return hasher_.hash(now_); }

  [[nodiscard]] bool is_equal() const {
    return std::ranges::equal(before_.physics().movers(), now_.physics().movers(), {},
                              &sim::Body::min, &sim::Body::min);
  }

  [[nodiscard]] std::size_t bodies() const { return now_.size(); }

 private:
  static constexpr std::uint64_t kSeed = 11;

  ArenaInputs inputs_;
  game::Arena rules_{kRate};
  game::World before_;
  game::Stepper before_stepper_;
  engine::World now_;
  engine::Stepper stepper_;
  engine::StateHasher hasher_;
  engine::TickRecord record_;
};

}  // namespace

ArenaCosts measure_arena(const ArenaCase& of, int ticks) {
  BothArenas both{of};
  ArenaCosts costs;
  std::array<std::vector<double>, 4> times;
  std::uint64_t hashes = 0;
  for (int tick = 0; tick < ticks + kWarmUpTicks; ++tick) {
    both.draw();
    const double start = thread_us();
    both.step_before();
    const double stepped_before = thread_us();
    both.step_now();
    const double stepped_now = thread_us();
    hashes += both.hash_before();
    const double hashed_before = thread_us();
    hashes += both.hash_now();
    const double hashed_now = thread_us();
    costs.is_equal = costs.is_equal && both.is_equal();
    if (tick < kWarmUpTicks) continue;
    times[0].push_back(stepped_before - start);
    times[1].push_back(stepped_now - stepped_before);
    times[2].push_back(hashed_before - stepped_now);
    times[3].push_back(hashed_now - hashed_before);
  }
  costs.step = {.before = median(times[0]), .now = median(times[1])};
  costs.hash = {.before = median(times[2]), .now = median(times[3])};
  costs.bodies = both.bodies();
  costs.is_equal = costs.is_equal && hashes != 0;
  return costs;
}

}  // namespace tickbox::bench
