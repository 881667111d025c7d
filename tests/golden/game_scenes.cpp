// Games on top of the physics: the arena with players who decide by dice, leave and join again, and
// the menagerie with random players.

#include "engine/stepper.h"
#include "games/arena/arena.h"
#include "package/laws/random_match.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/match_players.h"
#include "tests/golden/motion_hash.h"
#include "tests/golden/report_hash.h"
#include "tests/support/menagerie.h"

#include <memory>

namespace tickbox::golden {
namespace {

constexpr std::uint32_t kTicksPerSecond = 60;

TickHashes hashes_of(const engine::World& world, const engine::TickReport& report) {
  return {.state = engine::state_hash(world),
          .report = report_hash(*report.physics),
          .motion = motion_hash(world.physics())};
}

class MatchScene final : public Scene {
 public:
  MatchScene() { stepper_.open(world_); }

  TickHashes step() override {
    const engine::TickRequest request = players_.draw(world_.tick.value + 1);
    return hashes_of(world_, stepper_.step(world_, request, record_));
  }

  [[nodiscard]] const sim::PhysicsWorld& world() const override { return world_.physics(); }

 private:
  engine::World world_{games::arena(),
                       engine::make_map(games::arena(), {.seats = kMatchPlayers}, kTicksPerSecond),
                       kTicksPerSecond, kMatchSeed};
  engine::Stepper stepper_;
  engine::TickRecord record_;
  MatchPlayers players_;
};

class MenagerieScene final : public Scene {
 public:
  TickHashes step() override {
    match_.draw();
    const engine::TickReport& report = match_.step();
    return hashes_of(match_.world(), report);
  }

  [[nodiscard]] const sim::PhysicsWorld& world() const override { return match_.world().physics(); }

 private:
  static constexpr std::uint32_t kSeats = 6;

  laws::RandomMatch match_{tests::menagerie(),
                           engine::make_map(tests::menagerie(), {.seats = kSeats}, kTicksPerSecond),
                           {.seed = 5'000'015, .tick_rate = kTicksPerSecond, .seats = kSeats}};
};

}  // namespace

std::unique_ptr<Scene> make_match() {
  return std::make_unique<MatchScene>();
}

std::unique_ptr<Scene> make_menagerie() {
  return std::make_unique<MenagerieScene>();
}

}  // namespace tickbox::golden
