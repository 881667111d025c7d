// The arena of the public interface (arena_game.cpp) moves every body as the arena of game::Rules
// (arena.cpp) does: both step the same match, and every place and velocity is compared after every
// tick.

#include "core/rng.h"
#include "engine/declared.h"
#include "engine/stepper.h"
#include "game/step.h"
#include "games/arena/arena.h"
#include "games/arena/arena_game.h"
#include "games/arena/arena_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox {
namespace {

constexpr std::uint16_t kPlayers = 12;

/// The fields of the arena's input, as both forms of the game have them.
std::vector<std::byte> pad_of(const game::Input& input) {
  const TypeInfo& type = games::arena().input;
  std::vector<std::byte> pad(type.bytes);
  const std::array<std::int64_t, 4> values = {
      input.move, (input.buttons & game::kButtonShoot) != 0 ? 1 : 0,
      (input.buttons & game::kButtonRay) != 0 ? 1 : 0, input.aim};
  for (std::size_t i = 0; i < values.size(); ++i) {
    engine::set_value(type.fields()[i], 0, values[i], pad);
  }
  return pad;
}

class BothArenas {
 public:
  BothArenas(std::uint32_t rate, std::uint64_t seed)
      : rules_(rate),
        before_(game::make_arena_map(kPlayers), rules_.settings(), seed),
        now_(games::arena(), engine::make_map(games::arena(), {.seats = kPlayers}, rate), rate,
             seed),
        dice_(seed + 1) {
    rules_.open(before_);
    stepper_.open(now_);
  }

  /// Steps both by one tick with the same random inputs, joins, leaves and strikes.
  void step() {
    std::vector<PlayerId> leaves;
    std::vector<PlayerId> joins;
    std::vector<game::PlayerInput> inputs;
    for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
      const bool was_here = before_.seat({seat}).taken;
      const bool leaves_now = was_here && dice_.chance(1, 200);
      const bool joins_now = (!was_here || leaves_now) && dice_.chance(1, 20);
      if (leaves_now) leaves.push_back({seat});
      if (joins_now) joins.push_back({seat});
      if ((was_here && !leaves_now) || joins_now) inputs.push_back({{seat}, draw_input(seat)});
    }
    std::vector<game::Strike> strikes = step_now(leaves, joins, inputs);
    game::step(before_, rules_,
               {.leaves = leaves, .joins = joins, .inputs = inputs, .strikes = strikes},
               game::Authority::Server, before_stepper_);
    strikes_ += strikes.size();
    hits_ += before_stepper_.events.hits.size();
  }

  /// Returns an empty text if both have the same bodies.
  [[nodiscard]] std::string difference() const {
    const auto& before = before_.physics();
    const auto& now = now_.physics();
    if (before.movers().size() != now.movers().size()) {
      return std::to_string(before.movers().size()) + " bodies, not " +
             std::to_string(now.movers().size());
    }
    for (std::size_t i = 0; i < before.movers().size(); ++i) {
      if (before.movers()[i].min == now.movers()[i].min &&
          before.movers()[i].velocity == now.movers()[i].velocity) {
        continue;
      }
      return "body " + std::to_string(i) + " of kind " + std::to_string(now_.infos()[i].kind);
    }
    return {};
  }

  [[nodiscard]] std::size_t strikes() const { return strikes_; }

  [[nodiscard]] std::size_t hits() const { return hits_; }

 private:
  game::Input draw_input(std::uint16_t seat) {
    game::Input& held = held_[seat];
    if (dice_.chance(1, 15)) held.move = static_cast<std::uint8_t>(dice_.below(9));
    held.buttons = 0;
    if (dice_.chance(1, 5)) held.buttons = static_cast<std::uint8_t>(1 + dice_.below(3));
    held.aim = static_cast<std::uint16_t>(dice_.below(game::kAimDirections));
    return held;
  }

  /// Steps the new form. Returns the strikes of its judge as the old form takes them.
  std::vector<game::Strike> step_now(const std::vector<PlayerId>& leaves,
                                     const std::vector<PlayerId>& joins,
                                     const std::vector<game::PlayerInput>& inputs) {
    std::vector<Player> leaving;
    std::vector<engine::Join> joining;
    std::vector<std::vector<std::byte>> pads;
    std::vector<engine::PlayerInput> given;
    for (const PlayerId player : leaves) {
      leaving.push_back({player.value});
    }
    for (const PlayerId player : joins) {
      joining.push_back({.player = {player.value}, .user_data = {}});
    }
    for (const game::PlayerInput& input : inputs) {
      pads.push_back(pad_of(input.input));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      given.push_back({.player = {inputs[i].player.value}, .input = pads[i]});
    }
    std::vector<game::Strike> strikes;
    const engine::JudgeRays judge = [&](std::span<const engine::FiredRay> rays,
                                        std::vector<engine::Strike>& out) {
      for (const engine::FiredRay& ray : rays) {
        const Player victim{static_cast<std::uint16_t>(dice_.below(kPlayers))};
        const std::size_t row = now_.avatar_of(victim);
        if (row == now_.size()) continue;
        out.push_back({.shooter = ray.shooter, .victim = engine::ref_of(now_.id(row))});
        // The old form has joined nobody yet, so the generation is the one that a join will give.
        const std::uint32_t generation = now_.seats()[victim.seat].generation;
        strikes.push_back({.shooter = {ray.shooter.seat},
                           .victim = game::player_body({victim.seat}, generation)});
      }
    };
    stepper_.step(now_, {.leaves = leaving, .joins = joining, .inputs = given, .judge = &judge},
                  record_);
    return strikes;
  }

  game::Arena rules_;
  game::World before_;
  game::Stepper before_stepper_;
  engine::World now_;
  engine::Stepper stepper_;
  engine::TickRecord record_;
  Rng dice_;
  std::array<game::Input, kPlayers> held_{};
  std::size_t strikes_ = 0;
  std::size_t hits_ = 0;
};

TEST(ArenaEquality, BothFormsOfTheArenaMoveEveryBodyAlike) {
  for (const std::uint32_t rate : {10U, 60U, 128U, 240U}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      BothArenas both{rate, seed};
      for (std::uint32_t tick = 1; tick <= 3'000; ++tick) {
        both.step();
        ASSERT_EQ(both.difference(), "")
            << "rate " << rate << ", seed " << seed << ", tick " << tick;
      }
      EXPECT_GT(both.strikes(), 5U);
      EXPECT_GT(both.hits(), 20U);
    }
  }
}

}  // namespace
}  // namespace tickbox
