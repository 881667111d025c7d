// The victims of rays in a room whose players stand and run as the test says.

#include "server/room/lag_compensation.h"

#include "core/rng.h"
#include "game/map.h"
#include "games/arena/arena_map.h"
#include "tests/support/arena_wrappers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr PlayerId kShooter{0};
constexpr PlayerId kTarget{1};
constexpr PlayerId kBehind{2};
constexpr std::uint16_t kRight = 0;
constexpr std::uint16_t kDown = game::kAimDirections / 4;

/// Seats at (0, 0), (10, 0) and (14, 0) units, a wall at x = 20 to 21, and a crate (far away if not
/// given). Enough spawn points for victims are far away.
game::SharedMap field(std::optional<Vec2> crate) {
  auto map = std::make_shared<game::Map>();
  map->seats = 3;
  map->spawn_points = {{.x = 0, .y = 0}, {.x = 10 * kUnit, .y = 0}, {.x = 14 * kUnit, .y = 0}};
  for (std::int32_t i = 0; i < 30; ++i) {
    map->spawn_points.push_back({.x = 3 * i * kUnit, .y = 500 * kUnit});
  }
  const sim::Body wall{.id = {3U << 30},
                       .kind = sim::Kind::Static,
                       .min = {.x = 20 * kUnit, .y = -5 * kUnit},
                       .size = {kUnit, 10 * kUnit}};
  map->statics = std::make_shared<const sim::Statics>(std::vector{wall});
  map->crates.push_back(crate.value_or(Vec2{.x = 0, .y = -500 * kUnit}));
  return map;
}

class LagCompensationTest : public ::testing::Test {
 protected:
  LagCompensationTest() { open(); }

  void open(std::optional<Vec2> crate = std::nullopt) {
    room_ = std::make_unique<Room>(field(crate), std::make_shared<const tests::SeatedArena>(kRate),
                                   1, kRate);
    const std::vector joins{kShooter, kTarget, kBehind};
    room_->tick({.leaves = {}, .joins = joins, .inputs = {}});
  }

  void tick(const std::vector<game::PlayerInput>& inputs = {}) {
    room_->tick({.leaves = {},
                 .joins = {},
                 .inputs = inputs,
                 .strikes = compensation_.judge(*room_, inputs)});
  }

  /// Lets the target run down for `ticks` ticks, out of the ray's way.
  void let_target_run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      tick({{.player = kTarget, .input = {.move = 3}}});
    }
  }

  [[nodiscard]] static game::PlayerInput ray(std::uint8_t look_back, std::uint16_t aim = kRight) {
    return {.player = kShooter,
            .input = {.buttons = game::kButtonRay, .aim = aim, .look_back = look_back}};
  }

  /// Returns the player that a ray of the next tick strikes.
  std::optional<PlayerId> struck(std::uint8_t look_back, std::uint16_t aim = kRight) {
    const std::vector inputs{ray(look_back, aim)};
    const auto strikes = compensation_.judge(*room_, inputs);
    EXPECT_LE(strikes.size(), 1U);
    if (strikes.empty()) return std::nullopt;
    EXPECT_EQ(strikes[0].shooter, kShooter);
    EXPECT_EQ(strikes[0].victim, room_->world().body_of(game::player_of(strikes[0].victim)));
    return game::player_of(strikes[0].victim);
  }

  LagCompensation compensation_{kRate};
  std::unique_ptr<Room> room_;
};

TEST_F(LagCompensationTest, StrikesTheFirstOnTheWay) {
  EXPECT_EQ(struck(0), kTarget);
  EXPECT_EQ(struck(1), kTarget);
  EXPECT_EQ(struck(0, kDown), std::nullopt);
  let_target_run(30);
  EXPECT_EQ(struck(0), kBehind);
}

// In twenty ticks the target runs about two units. Some twelve ticks before the end it leaves the
// way of the ray.
TEST_F(LagCompensationTest, StrikesWhoWasThereInTheTickLookedAt) {
  let_target_run(20);
  EXPECT_EQ(struck(1), kBehind);
  std::optional<std::uint8_t> first;
  for (std::uint8_t back = 1; back <= 15 && !first; ++back) {
    if (struck(back) == kTarget) first = back;
  }
  ASSERT_TRUE(first);
  // The target's upper edge is then above the ray, which is half a unit below the target's start.
  const Tick render_tick{room_->world().tick.value + 1 - *first};
  const StateAt* seen = room_->state_after(render_tick);
  const StateAt* after = room_->state_after(render_tick + 1);
  ASSERT_TRUE(seen != nullptr && after != nullptr);
  EXPECT_LE(seen->entities[1].min.y, kUnit / 2);
  EXPECT_GT(after->entities[1].min.y, kUnit / 2);
}

TEST_F(LagCompensationTest, LooksBackAQuarterOfASecondAtMost) {
  let_target_run(15);
  EXPECT_EQ(struck(15), kTarget) << "as it was when it stood";
  let_target_run(15);
  EXPECT_EQ(struck(15), kBehind);
  EXPECT_EQ(struck(30), kBehind) << "by the oldest that counts";
  EXPECT_EQ(struck(255), kBehind);
}

TEST_F(LagCompensationTest, DoesNotStrikeWhoAppearedElsewhereSince) {
  tick({ray(0)});
  ASSERT_EQ(room_->events().hits.size(), 1U);
  EXPECT_EQ(room_->events().hits[0], (game::Hit{.shooter = kShooter, .victim = kTarget}));
  EXPECT_EQ(room_->world().seat(kShooter).score, 1U);
  for (int i = 0; i < 30; ++i) {
    tick();
  }
  ASSERT_TRUE(struck(0)) << "the weapon is loaded";
  open();
  tick({ray(0)});
  // Others may fire at once: the second player's ray looks back to a tick before the hit.
  const std::vector second{game::PlayerInput{
      .player = kBehind,
      .input = {.buttons = game::kButtonRay, .aim = game::kAimDirections / 2, .look_back = 2}}};
  const auto strikes = compensation_.judge(*room_, second);
  ASSERT_EQ(strikes.size(), 1U);
  EXPECT_EQ(strikes[0].victim, room_->world().body_of(kShooter)) << "through where it was";
}

TEST_F(LagCompensationTest, DoesNotStrikeWhoIsGone) {
  const std::vector leaves{kTarget};
  room_->tick({.leaves = leaves, .joins = {}, .inputs = {}});
  EXPECT_EQ(struck(2), std::nullopt) << "it covers who stands behind it, as it was seen";
  const std::vector<game::PlayerInput> inputs{ray(0)};
  const game::Strike made_up{.shooter = kShooter, .victim = game::player_body(kTarget, 1)};
  room_->tick({.leaves = {}, .joins = {}, .inputs = inputs, .strikes = {&made_up, 1}});
  EXPECT_TRUE(room_->events().hits.empty());
}

TEST_F(LagCompensationTest, WallsAndCratesStopRays) {
  let_target_run(30);
  const std::vector leaves{kBehind};
  room_->tick({.leaves = leaves, .joins = {}, .inputs = {}});
  EXPECT_EQ(struck(0), std::nullopt) << "nobody but the wall";
  open(Vec2{.x = 5 * kUnit, .y = 0});
  EXPECT_EQ(struck(0), std::nullopt) << "a crate in the way";
}

TEST_F(LagCompensationTest, FiresOnlyWhatIsLoaded) {
  tick({ray(0, kDown)});
  ASSERT_EQ(room_->events().shots.size(), 1U);
  EXPECT_EQ(room_->events().shots[0].weapon, game::Weapon::Ray);
  int fired = 0;
  for (int i = 0; i < 60; ++i) {
    const bool strikes = struck(0).has_value();
    tick({ray(0, kDown)});
    const bool shoots = !room_->events().shots.empty();
    EXPECT_EQ(strikes, shoots) << "judged as loaded, and not fired, or the other way round: " << i;
    fired += shoots ? 1 : 0;
  }
  EXPECT_EQ(fired, 2);
}

// The rays that look at one tick share an index of its bodies.
TEST(LagCompensation, AVolleyStrikesThePlayersThatEachRayStrikesAlone) {
  constexpr std::uint16_t kPlayers = 150;
  Room room{game::make_arena_map(kPlayers), std::make_shared<const game::Arena>(kRate), 5, kRate};
  LagCompensation compensation{kRate};
  Rng rng{11};
  std::vector<PlayerId> joins;
  for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
    joins.push_back({seat});
  }
  room.tick({.leaves = {}, .joins = joins, .inputs = {}});
  std::size_t strikes_seen = 0;
  for (int tick = 0; tick < 100; ++tick) {
    std::vector<game::PlayerInput> inputs;
    for (const PlayerId player : joins) {
      inputs.push_back(
          {.player = player,
           .input = {.move = static_cast<std::uint8_t>(rng.below(9)),
                     .buttons = rng.below(4) == 0 ? game::kButtonRay : std::uint8_t{0},
                     .aim = static_cast<std::uint16_t>(rng.below(game::kAimDirections)),
                     .look_back = static_cast<std::uint8_t>(rng.below(20))}});
    }
    std::vector<game::Strike> alone;
    for (const game::PlayerInput& input : inputs) {
      const auto strikes = compensation.judge(room, {&input, 1});
      alone.insert(alone.end(), strikes.begin(), strikes.end());
    }
    const auto strikes = compensation.judge(room, inputs);
    EXPECT_TRUE(std::ranges::equal(strikes, alone)) << "tick " << tick;
    strikes_seen += strikes.size();
    room.tick({.leaves = {}, .joins = {}, .inputs = inputs, .strikes = strikes});
  }
  EXPECT_GT(strikes_seen, 20U);
}

TEST_F(LagCompensationTest, ReachesAsFarAsAScreen) {
  const auto cast = room_->rules().ray_of(room_->world(), ray(0, kDown));
  ASSERT_TRUE(cast);
  EXPECT_EQ(cast->way, (Vec2{.x = 0, .y = 24 * kUnit}));
}

}  // namespace
}  // namespace tickbox::server
