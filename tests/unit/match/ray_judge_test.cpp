// The victims of rays in a match whose players stand and run as the test says.

#include "server/match/ray_judge.h"

#include "core/rng.h"
#include "engine/declared.h"
#include "games/arena/arena.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tickbox::server::ray_judge_test {
namespace {

struct Trigger {
  bool runs = false;  ///< downwards
  Press fire;
  Int<0, kDirections - 1> aim;
  TICKBOX_FIELDS(Trigger, runs, fire, aim)
};

struct Soldier {
  Int<0, 1'000> hits;
  TICKBOX_FIELDS(Soldier, hits)
};

struct Moved {
  TICKBOX_FIELDS(Moved)
};

/// Soldiers at (0, 0), (10, 0) and (14, 0) units, and a wall at x = 20 to 21. The second is put
/// elsewhere when it is hit.
struct Range {
  static constexpr std::string_view name = "range";
  static constexpr std::uint32_t version = 1;
  using Input = Trigger;
  using Avatar = Soldier;
  using Kinds = List<Soldier>;
  using Outcomes = List<Moved>;
  using Step = tickbox::Step<Range>;
  using Server = tickbox::Server<Range>;

  static constexpr std::int32_t top_speed(const Soldier&) { return 6; }

  static Body body(const Soldier&) { return {}; }

  static void map(MapBuilder& map, const MapOptions&) {
    map.solid({20 * kUnit, -5 * kUnit}, {kUnit, 10 * kUnit});
  }

  static void join(Server& server, Player who) {
    constexpr std::array<std::int32_t, 3> kPlaces = {0, 10, 14};
    server.spawn_avatar(who, Soldier{}, {kPlaces[who.seat] * kUnit, 0});
  }

  static void act(Entity<Soldier> me, const Trigger& trigger, Step& step) {
    me.velocity = {0, trigger.runs ? step.speed(6) : 0};
  }

  static std::optional<Ray> ray(ConstEntity<Soldier> me, const Trigger& trigger, const Moment&) {
    if (!trigger.fire) return std::nullopt;
    return Ray{.from = {me.min.x + kUnit / 2, me.min.y + kUnit / 2},
               .way = aimed(trigger.aim, 24 * kUnit),
               .ignores = me.ref};
  }

  static void struck(Entity<Soldier> me, Player, Step&) { ++me->hits; }

  static void decide(Server& server) {
    server.for_each<Soldier>([&](ConstEntity<Soldier> each) {
      if (each.owner.seat == 1 && each->hits == 1) server.decide(each.ref, Moved{});
    });
  }

  static void apply(Entity<Soldier> me, const Moved&, Step&) {
    ++me->hits;
    me.min = {0, 100 * kUnit};
  }
};

constexpr std::uint32_t kRate = 60;
constexpr std::int64_t kRight = 0;
constexpr std::int64_t kDown = kDirections / 4;

class RayJudgeTest : public ::testing::Test {
 protected:
  RayJudgeTest() { open(); }

  void open() {
    const engine::SharedMap map = engine::make_map(kGameTable<Range>, {.seats = 3}, kRate);
    match_ = std::make_unique<Match>(kGameTable<Range>, map, kRate, 1);
    const std::vector<engine::Join> joins{{.player = {0}, .user_data = {}},
                                          {.player = {1}, .user_data = {}},
                                          {.player = {2}, .user_data = {}}};
    match_->tick({.leaves = {}, .joins = joins, .inputs = {}});
  }

  [[nodiscard]] static std::vector<std::byte> trigger(bool runs, bool fire, std::int64_t aim) {
    const TypeInfo& type = kGameTable<Range>.input;
    std::vector<std::byte> input(type.bytes);
    const std::array<std::int64_t, 3> values = {runs ? 1 : 0, fire ? 1 : 0, aim};
    for (std::size_t i = 0; i < values.size(); ++i) {
      engine::set_value(type.fields()[i], 0, values[i], input);
    }
    return input;
  }

  /// Ticks with one player's input; the others stand.
  void tick(Player player, const std::vector<std::byte>& input, std::uint8_t look_back = 0) {
    const std::vector<engine::PlayerInput> inputs{{.player = player, .input = input}};
    const std::array<std::uint8_t, 3> back = {look_back, look_back, look_back};
    const engine::JudgeRays judge = [&](std::span<const engine::FiredRay> rays,
                                        std::vector<engine::Strike>& strikes) {
      judge_.judge(*match_, back, rays, strikes);
    };
    match_->tick({.leaves = {}, .joins = {}, .inputs = inputs, .judge = &judge});
  }

  /// Lets the second player run down for `ticks` ticks, out of the ray's way.
  void let_target_run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      tick({1}, trigger(true, false, 0));
    }
  }

  /// Returns the player that a ray of the next tick strikes.
  std::optional<std::uint16_t> struck(std::uint8_t look_back, std::int64_t aim = kRight) {
    const views::Rows& rows = match_->state().rows;
    const engine::FiredRay fired{.shooter = {0},
                                 .from = engine::ref_of(rows.head(0).id),
                                 .ray = {.from = {kUnit / 2, kUnit / 2},
                                         .way = aimed(static_cast<std::int32_t>(aim), 24 * kUnit),
                                         .ignores = engine::ref_of(rows.head(0).id)}};
    const std::array<std::uint8_t, 3> back = {look_back, 0, 0};
    std::vector<engine::Strike> strikes;
    judge_.judge(*match_, back, {&fired, 1}, strikes);
    EXPECT_LE(strikes.size(), 1U);
    if (strikes.empty()) return std::nullopt;
    EXPECT_EQ(strikes[0].shooter, Player{0});
    return views::owner_of(engine::body_id(strikes[0].victim)).seat;
  }

  RayJudge judge_{kRate};
  std::unique_ptr<Match> match_;
};

TEST_F(RayJudgeTest, StrikesTheFirstOnTheWay) {
  EXPECT_EQ(struck(0), 1);
  EXPECT_EQ(struck(1), 1);
  EXPECT_EQ(struck(0, kDown), std::nullopt);
  let_target_run(30);
  EXPECT_EQ(struck(0), 2);
}

TEST_F(RayJudgeTest, StrikesWhoWasThereInTheTickLookedAt) {
  let_target_run(10);
  EXPECT_EQ(struck(1), 2);
  std::optional<std::uint8_t> first;
  for (std::uint8_t back = 1; back <= 15 && !first; ++back) {
    if (struck(back) == 1) first = back;
  }
  ASSERT_TRUE(first);
  // The target's upper edge is then above the ray, which is half a unit below the target's start.
  const Tick seen_tick{match_->world().tick.value + 1 - *first};
  const StateAt* seen = match_->state_after(seen_tick);
  const StateAt* after = match_->state_after(seen_tick + 1);
  ASSERT_TRUE(seen != nullptr && after != nullptr);
  EXPECT_LE(seen->rows.head(1).min.y, kUnit / 2);
  EXPECT_GT(after->rows.head(1).min.y, kUnit / 2);
}

TEST_F(RayJudgeTest, LooksBackAQuarterOfASecondAtMost) {
  let_target_run(15);
  EXPECT_EQ(struck(15), 1) << "as it was when it stood";
  let_target_run(15);
  EXPECT_EQ(struck(15), 2);
  EXPECT_EQ(struck(30), 2) << "by the oldest that counts";
  EXPECT_EQ(struck(255), 2);
}

TEST_F(RayJudgeTest, DoesNotStrikeWhoWasPutElsewhereSince) {
  tick({0}, trigger(false, true, kRight));
  ASSERT_EQ(match_->record().strikes.size(), 1U);
  ASSERT_EQ(match_->state().rows.head(1).min.y, 100 * kUnit) << "the second was hit and has moved";
  EXPECT_EQ(struck(2), 2) << "the second stood there, but it is not where it was seen";
}

// A strike changes no place: the next ray may strike the same body.
TEST_F(RayJudgeTest, StrikesWhoWasStruckBefore) {
  let_target_run(30);
  tick({0}, trigger(false, true, kRight));
  ASSERT_EQ(match_->record().strikes.size(), 1U);
  EXPECT_EQ(struck(2), 2);
}

TEST_F(RayJudgeTest, DoesNotStrikeWhoHasLeft) {
  const std::vector<Player> leaves{{1}};
  match_->tick({.leaves = leaves, .joins = {}, .inputs = {}});
  EXPECT_EQ(struck(2), std::nullopt) << "who stood there takes the ray, and is gone";
}

TEST_F(RayJudgeTest, AWallStopsARay) {
  let_target_run(30);
  const std::vector<Player> leaves{{2}};
  match_->tick({.leaves = leaves, .joins = {}, .inputs = {}});
  EXPECT_EQ(struck(0), std::nullopt);
}

// The rays that look at one tick share an index of its bodies.
TEST(RayJudge, AVolleyStrikesTheBodiesThatEachRayStrikesAlone) {
  constexpr std::uint16_t kPlayers = 150;
  const GameTable& game = games::arena();
  Match match{game, engine::make_map(game, {.seats = kPlayers}, kRate), kRate, 5};
  RayJudge judge{kRate};
  Rng rng{11};
  std::vector<engine::Join> joins;
  std::vector<std::vector<std::byte>> values(kPlayers, std::vector<std::byte>(game.input.bytes));
  std::vector<engine::PlayerInput> inputs;
  for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
    joins.push_back({.player = {seat}, .user_data = {}});
    inputs.push_back({.player = {seat}, .input = values[seat]});
  }
  match.tick({.leaves = {}, .joins = joins, .inputs = {}});
  std::vector<std::uint8_t> back(kPlayers);
  std::size_t struck = 0;
  const engine::JudgeRays judge_both = [&](std::span<const engine::FiredRay> rays,
                                           std::vector<engine::Strike>& strikes) {
    std::vector<engine::Strike> alone;
    for (std::size_t i = 0; i < rays.size(); ++i) {
      judge.judge(match, back, rays.subspan(i, 1), alone);
    }
    judge.judge(match, back, rays, strikes);
    EXPECT_EQ(strikes, alone) << "tick " << match.world().tick.value;
    struck += strikes.size();
  };
  for (int tick = 0; tick < 100; ++tick) {
    for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
      back[seat] = static_cast<std::uint8_t>(rng.below(20));
      for (const FieldInfo& field : game.input.fields()) {
        const auto count = static_cast<std::uint64_t>(field.max - field.min) + 1;
        engine::set_value(field, 0, field.min + static_cast<std::int64_t>(rng.below(count)),
                          values[seat]);
      }
    }
    match.tick({.leaves = {}, .joins = {}, .inputs = inputs, .judge = &judge_both});
  }
  EXPECT_GT(struck, 20U);
}

}  // namespace
}  // namespace tickbox::server::ray_judge_test
