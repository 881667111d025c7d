// The game on top of the physics: players who decide by dice, and leave and join as they go.

#include "game/step.h"
#include "games/arena/arena.h"
#include "games/arena/arena_map.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/motion_hash.h"
#include "tests/golden/report_hash.h"

#include <array>
#include <span>

namespace tickbox::golden {
namespace {

constexpr std::uint32_t kTicksPerSecond = 60;
constexpr std::uint16_t kPlayers = 16;

/// A player is away for this long once in a while, one after the other.
constexpr std::uint32_t kTicksAway = 40;
static_assert(kTicksAway * kPlayers < kTicks / 2);

game::Input decide(Rng& rng, game::Input before) {
  game::Input input = before;
  if (rng.chance(1, 20)) {
    input.move = static_cast<std::uint8_t>(rng.below(game::kMoveDirections + 1));
  }
  input.buttons = rng.chance(1, 6) ? game::kButtonShoot : std::uint8_t{0};
  input.aim = static_cast<std::uint16_t>(rng.below(game::kAimDirections));
  return input;
}

class MatchScene final : public Scene {
 public:
  MatchScene() : world_(game::make_arena_map(kPlayers), rules_.settings(), 5'000'013) {
    rules_.open(world_);
  }

  TickHashes step() override {
    const std::uint32_t tick = world_.tick.value + 1;
    std::vector<PlayerId> joins;
    std::vector<PlayerId> leaves;
    std::vector<game::PlayerInput> inputs;
    for (std::uint16_t i = 0; i < kPlayers; ++i) {
      const bool was_here = world_.seat({i}).taken;
      const bool is_here = tick / kTicksAway % (kPlayers + 1) != i + 1U;
      if (is_here && !was_here) joins.push_back({i});
      if (was_here && !is_here) leaves.push_back({i});
      if (is_here) {
        held_[i] = decide(dice_, held_[i]);
        inputs.push_back({{i}, held_[i]});
      }
    }
    const sim::StepReport& report =
        game::step(world_, rules_, {.leaves = leaves, .joins = joins, .inputs = inputs},
                   game::Authority::Server, stepper_);
    return {.state = state_hash(world_),
            .report = report_hash(report),
            .motion = motion_hash(world_.physics())};
  }

  [[nodiscard]] const sim::World& world() const override { return world_.physics(); }

 private:
  game::Arena rules_{kTicksPerSecond};
  game::World world_;
  game::Stepper stepper_;
  Rng dice_{5'000'014};
  std::array<game::Input, kPlayers> held_{};
};

}  // namespace

std::unique_ptr<Scene> make_match() {
  return std::make_unique<MatchScene>();
}

}  // namespace tickbox::golden
