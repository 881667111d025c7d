// Games of the public interface: the arena with the players of the scene "match", whose motion it
// has, and the menagerie with random players.

#include "engine/declared.h"
#include "engine/stepper.h"
#include "games/arena/arena_game.h"
#include "laws/random_match.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/match_players.h"
#include "tests/golden/motion_hash.h"
#include "tests/golden/report_hash.h"
#include "tests/support/menagerie.h"

#include <vector>

namespace tickbox::golden {
namespace {

constexpr std::uint32_t kTicksPerSecond = 60;

TickHashes hashes_of(const engine::World& world, const engine::TickReport& report) {
  return {.state = engine::state_hash(world),
          .report = report_hash(*report.physics),
          .motion = motion_hash(world.physics())};
}

class ArenaGameScene final : public Scene {
 public:
  ArenaGameScene() { stepper_.open(world_); }

  TickHashes step() override {
    players_.draw(world_.tick.value + 1);
    const TypeInfo& pad = games::arena().input;
    leaves_.clear();
    joins_.clear();
    pads_.clear();
    inputs_.clear();
    for (const PlayerId player : players_.leaves) {
      leaves_.push_back({player.value});
    }
    for (const PlayerId player : players_.joins) {
      joins_.push_back({.player = {player.value}, .user_data = {}});
    }
    for (const game::PlayerInput& given : players_.inputs) {
      std::vector<std::byte>& bytes = pads_.emplace_back(pad.bytes);
      engine::set_value(pad.fields()[0], 0, given.input.move, bytes);
      engine::set_value(pad.fields()[1], 0, given.input.buttons != 0 ? 1 : 0, bytes);
      engine::set_value(pad.fields()[3], 0, given.input.aim, bytes);
    }
    for (std::size_t i = 0; i < pads_.size(); ++i) {
      inputs_.push_back({.player = {players_.inputs[i].player.value}, .input = pads_[i]});
    }
    return hashes_of(
        world_,
        stepper_.step(world_, {.leaves = leaves_, .joins = joins_, .inputs = inputs_}, record_));
  }

  [[nodiscard]] const sim::World& world() const override { return world_.physics(); }

 private:
  engine::World world_{games::arena(),
                       engine::make_map(games::arena(), {.seats = kMatchPlayers}, kTicksPerSecond),
                       kTicksPerSecond, kMatchSeed};
  engine::Stepper stepper_;
  engine::TickRecord record_;
  MatchPlayers players_;
  std::vector<Player> leaves_;
  std::vector<engine::Join> joins_;
  std::vector<std::vector<std::byte>> pads_;
  std::vector<engine::PlayerInput> inputs_;
};

class MenagerieScene final : public Scene {
 public:
  TickHashes step() override {
    match_.draw();
    const engine::TickReport& report = match_.step();
    return hashes_of(match_.world(), report);
  }

  [[nodiscard]] const sim::World& world() const override { return match_.world().physics(); }

 private:
  static constexpr std::uint32_t kSeats = 6;

  laws::RandomMatch match_{tests::menagerie(),
                           engine::make_map(tests::menagerie(), {.seats = kSeats}, kTicksPerSecond),
                           {.seed = 5'000'015, .tick_rate = kTicksPerSecond, .seats = kSeats}};
};

}  // namespace

std::unique_ptr<Scene> make_arena_game() {
  return std::make_unique<ArenaGameScene>();
}

std::unique_ptr<Scene> make_menagerie() {
  return std::make_unique<MenagerieScene>();
}

}  // namespace tickbox::golden
