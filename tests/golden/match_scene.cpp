// The game on top of the physics: players who decide by dice, and leave and join as they go.

#include "game/step.h"
#include "games/arena/arena.h"
#include "games/arena/arena_map.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/match_players.h"
#include "tests/golden/motion_hash.h"
#include "tests/golden/report_hash.h"

namespace tickbox::golden {
namespace {

constexpr std::uint32_t kTicksPerSecond = 60;

class MatchScene final : public Scene {
 public:
  MatchScene() : world_(game::make_arena_map(kMatchPlayers), rules_.settings(), kMatchSeed) {
    rules_.open(world_);
  }

  TickHashes step() override {
    players_.draw(world_.tick.value + 1);
    const sim::StepReport& report =
        game::step(world_, rules_,
                   {.leaves = players_.leaves, .joins = players_.joins, .inputs = players_.inputs},
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
  MatchPlayers players_;
};

}  // namespace

std::unique_ptr<Scene> make_match() {
  return std::make_unique<MatchScene>();
}

}  // namespace tickbox::golden
