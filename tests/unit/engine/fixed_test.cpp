// Fixed bodies of a game: what callbacks can do with them, and what they cost at rest.

#include "engine/keyframe.h"
#include "engine/stepper.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tickbox::engine::fixed_test {
namespace {

/// What a walker does with the bricks under it.
enum class Deed : std::uint8_t {
  Nothing,
  Break,
  Look,
  BreakAndLook,
  DropCoin,
  Push,
  Lower,
  SetInMotion,
  WallIn,
  ThrowOut,
};

struct Pad {
  Int<0, 9> deed;
  TICKBOX_FIELDS(Pad, deed)
};

struct Walker {
  Int<0, 1'000> coins;
  Int<0, 1'000> met;    ///< bricks
  Int<0, 1'000> walls;  ///< of the map
  Int<0, 1'000> found;  ///< bricks that a query found
  bool is_on_ground = false;
  bool does_exist = false;
  Ref seen;
  TICKBOX_FIELDS(Walker, coins, met, walls, found, is_on_ground, does_exist, seen)
};

struct Coin {
  TICKBOX_FIELDS(Coin)
};

struct Brick {
  bool is_low = false;
  bool moves = false;
  Int<0, 1'000> met;
  TICKBOX_FIELDS(Brick, is_low, moves, met)
};

/// Acts in each tick.
struct Clock {
  Int<0, 1'000> ticks;
  TICKBOX_FIELDS(Clock, ticks)
};

struct Ledge {
  Int<0, 9> number;
  TICKBOX_FIELDS(Ledge, number)
};

struct Garden {
  static constexpr std::string_view name = "garden";
  static constexpr std::uint32_t version = 1;
  static constexpr std::int32_t gravity = 20;
  using Input = Pad;
  using Avatar = Walker;
  using Kinds = List<Walker, Coin, Brick, Clock>;
  using Commands = List<Ledge>;
  using Step = tickbox::Step<Garden>;
  using Server = tickbox::Server<Garden>;

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 10;
  }

  static Body body(const Walker&) { return {}; }

  static Body body(const Coin&) { return {.motion = Motion::Fixed, .sensor = true}; }

  static Body body(const Brick& it) {
    return {.size = {2 * kUnit, it.is_low ? kUnit / 2 : kUnit},
            .motion = it.moves ? Motion::Kinematic : Motion::Fixed};
  }

  static Body body(const Clock&) { return {.motion = Motion::Fixed}; }

  static void map(MapBuilder& map, const MapOptions&) {
    map.border({-50 * kUnit, -50 * kUnit}, {100 * kUnit, 100 * kUnit}, Border::Remove);
  }

  /// Four bricks side by side: both walkers of a pair stand on the same one.
  static void open(Server& server) {
    for (std::int32_t i = 0; i < 4; ++i) {
      server.spawn(Brick{}, {2 * i * kUnit, 10 * kUnit});
    }
    server.spawn(Clock{}, {30 * kUnit, 0});
  }

  static void join(Server& server, Player who) {
    server.spawn_avatar(who, Walker{}, {who.seat * kUnit, 9 * kUnit});
  }

  /// Spawns a coin that overlaps two walkers, and another one far away if is_free() misses the
  /// brick below them.
  static void command(Server& server, Player, const Ledge&) {
    const Vec2 place{kUnit / 2, 9 * kUnit};
    server.spawn(Coin{}, place);
    if (server.is_free({kUnit / 2, 10 * kUnit + kUnit / 4}, {1, 1})) {
      server.spawn(Coin{}, {0, 40 * kUnit});
    }
  }

  template <class Visit>
  static void each_below(Entity<Walker> me, Step& step, Visit visit) {
    step.for_each_in<Brick>({me.min.x, me.min.y + kUnit}, {kUnit, kUnit}, visit);
  }

  static void look_around(Entity<Walker> me, Step& step) {
    const auto hit = step.raycast({.from = {me.min.x + kUnit / 2, me.min.y + kUnit / 2},
                                   .way = {0, 5 * kUnit},
                                   .ignores = me.ref});
    me->seen = hit ? hit->ref : Ref{};
    me->is_on_ground = step.grounded();
    me->found = 0;
    each_below(me, step, [&](Entity<Brick>) { ++me->found; });
  }

  static void act(Entity<Walker> me, const Pad& pad, Step& step) {
    switch (static_cast<Deed>(+pad.deed)) {
      case Deed::Look:
        return look_around(me, step);
      case Deed::Break:
      case Deed::BreakAndLook: {
        Ref broken;
        each_below(me, step, [&](Entity<Brick> it) { broken = it.ref; });
        step.remove(broken);
        look_around(me, step);
        me->does_exist = step.exists(broken);
        return;
      }
      case Deed::DropCoin:
        return step.spawn(Coin{}, me.min, {1'000, 1'000});
      case Deed::Push:
        each_below(me, step, [&](Entity<Brick> it) {
          it.min.x += 20 * kUnit;
          it.velocity = {3'000, 0};
          // Queries find it where it is now.
          step.for_each_in<Brick>(it.min, {1, 1}, [&](Entity<Brick>) { ++me->found; });
        });
        return look_after_push(me, step);
      case Deed::Lower:
        return each_below(me, step, [](Entity<Brick> it) { it->is_low = true; });
      case Deed::SetInMotion:
        return each_below(me, step, [](Entity<Brick> it) { it->moves = true; });
      case Deed::WallIn:
        return step.spawn(Brick{}, {me.min.x - kUnit / 2, me.min.y}, {}, Parent::IgnoredUntilApart);
      case Deed::ThrowOut:
        return each_below(me, step, [](Entity<Brick> it) { it.min = {INT32_MAX, INT32_MIN}; });
      default:
        return;
    }
  }

  static void look_after_push(Entity<Walker> me, Step& step) {
    me->is_on_ground = step.grounded();
    each_below(me, step, [&](Entity<Brick>) { me->found = 1'000; });
  }

  static void act(Entity<Clock> me, Step&) { ++me->ticks; }

  static void contact(Entity<Walker> me, Entity<Coin> it, Contact, Step& step) {
    ++me->coins;
    step.remove(it.ref);
  }

  static void contact(Entity<Walker> me, Entity<Brick>, Contact, Step&) { ++me->met; }

  static void contact(Entity<Brick> me, Entity<Walker>, Contact, Step&) { ++me->met; }

  static void wall(Entity<Walker> me, Contact, Step&) { ++me->walls; }
};

constexpr std::uint32_t kRate = 60;

class FixedTest : public ::testing::Test {
 protected:
  FixedTest() { stepper_.open(world_); }

  void join(const std::vector<std::uint16_t>& seats) {
    std::vector<Join> joins;
    joins.reserve(seats.size());
    for (const std::uint16_t seat : seats) {
      joins.push_back({.player = {seat}, .user_data = {}});
    }
    stepper_.step(world_, {.leaves = {}, .joins = joins, .inputs = {}}, record_);
  }

  /// Steps a tick in which the first player does something.
  void step(Deed deed = Deed::Nothing) {
    const Pad pad{.deed = static_cast<std::int32_t>(deed)};
    const PlayerInput input{.player = {0}, .input = std::as_bytes(std::span{&pad, 1})};
    stepper_.step(world_, {.leaves = {}, .joins = {}, .inputs = {&input, 1}}, record_);
  }

  [[nodiscard]] Walker walker(std::uint16_t seat = 0) {
    return *static_cast<const Walker*>(world_.row(world_.avatar_of({seat})).state);
  }

  [[nodiscard]] Vec2 place(std::uint16_t seat = 0) const {
    return world_.body(world_.avatar_of({seat})).min;
  }

  [[nodiscard]] std::size_t count(std::uint8_t kind) const {
    return static_cast<std::size_t>(std::ranges::count(world_.infos(), kind, &RowInfo::kind));
  }

  /// The row of the first brick.
  [[nodiscard]] std::size_t brick() const {
    const auto found = std::ranges::find(world_.infos(), kBrick, &RowInfo::kind);
    return static_cast<std::size_t>(found - world_.infos().begin());
  }

  [[nodiscard]] const Brick& brick_state(std::size_t row) {
    return *static_cast<const Brick*>(world_.row(row).state);
  }

  [[nodiscard]] std::vector<std::uint32_t> active() const {
    return {world_.active_rows().begin(), world_.active_rows().end()};
  }

  static constexpr std::uint8_t kCoin = 1;
  static constexpr std::uint8_t kBrick = 2;

  World world_{kGameTable<Garden>, make_map(kGameTable<Garden>, {.seats = 2}, kRate), kRate, 1};
  Stepper stepper_;
  TickRecord record_;
};

TEST_F(FixedTest, AMoverRestsOnOneAndFallsWhenItIsRemoved) {
  join({0});
  for (int tick = 0; tick < 10; ++tick) {
    step();
  }
  EXPECT_EQ(place(), (Vec2{0, 9 * kUnit}));
  step(Deed::Break);
  EXPECT_EQ(count(kBrick), 3U);
  EXPECT_GT(place().y, 9 * kUnit) << "it falls in the tick in which the brick is removed";
}

TEST_F(FixedTest, AContactIsOneOfTwoEntitiesAndBeginsOnce) {
  join({0});
  for (int tick = 0; tick < 10; ++tick) {
    step();
  }
  EXPECT_EQ(walker().met, 1);
  EXPECT_EQ(walker().walls, 0);
  EXPECT_EQ(brick_state(brick()).met, 1);
}

TEST_F(FixedTest, ACoinThatTwoReachInOneTickIsTakenOnce) {
  join({0, 1});
  const Ledge ledge;
  const Command command{.player = {0}, .type = 0, .bytes = std::as_bytes(std::span{&ledge, 1})};
  stepper_.step(world_, {.leaves = {}, .joins = {}, .commands = {&command, 1}, .inputs = {}},
                record_);
  EXPECT_EQ(walker(0).coins + walker(1).coins, 1);
  EXPECT_EQ(count(kCoin), 0U) << "and is_free() has found the brick";
}

TEST_F(FixedTest, ASensorThatIsSpawnedOntoAMoverBeginsTheOverlap) {
  join({0});
  step();
  step(Deed::DropCoin);
  EXPECT_EQ(walker().coins, 1);
  EXPECT_EQ(count(kCoin), 0U);
}

TEST_F(FixedTest, QueriesFindIt) {
  join({0});
  step(Deed::Look);
  EXPECT_EQ(walker().seen, ref_of(world_.id(brick())));
  EXPECT_TRUE(walker().is_on_ground);
  EXPECT_EQ(walker().found, 1);
}

TEST_F(FixedTest, NoQueryFindsItOnceItIsRemoved) {
  join({0});
  step(Deed::BreakAndLook);
  EXPECT_EQ(walker().seen, Ref{});
  EXPECT_FALSE(walker().is_on_ground);
  EXPECT_FALSE(walker().does_exist);
  EXPECT_EQ(walker().found, 0);
}

TEST_F(FixedTest, WritingItsPlaceTeleportsItAndWritingItsVelocityDoesNothing) {
  join({0});
  step();
  const BodyId id = world_.id(brick());
  step(Deed::Push);
  const sim::Body& moved = world_.body(world_.index_of(id));
  EXPECT_EQ(moved.min, (Vec2{20 * kUnit, 10 * kUnit}));
  EXPECT_EQ(moved.velocity, Vec2{});
  EXPECT_EQ(walker().found, 1) << "where it is now, and no longer where it was";
  EXPECT_FALSE(walker().is_on_ground);
  EXPECT_GT(place().y, 9 * kUnit);
}

TEST_F(FixedTest, APlaceOutsideOfTheWorldIsLimitedAndTheBorderRemovesIt) {
  join({0});
  step(Deed::ThrowOut);
  EXPECT_EQ(count(kBrick), 3U);
}

TEST_F(FixedTest, ItsPropertiesFollowItsState) {
  join({0});
  step();
  step(Deed::Lower);
  EXPECT_EQ(world_.body(brick()).size.y, kUnit / 2);
  EXPECT_EQ(place().y, 9 * kUnit) << "the brick is lower at its lower side";
  EXPECT_EQ(walker().met, 1) << "the contact rests";
}

TEST_F(FixedTest, ItIgnoresItsParentUntilTheyAreApart) {
  join({0});
  step(Deed::WallIn);
  step();
  const std::size_t wall = world_.size() - 1;
  EXPECT_EQ(world_.infos()[wall].parent, Parent::IgnoredUntilApart);
  EXPECT_EQ(place(), (Vec2{0, 9 * kUnit})) << "it is not pushed out";
  step(Deed::Break);
  for (int tick = 0; tick < 60; ++tick) {
    step();
  }
  EXPECT_EQ(world_.infos()[world_.size() - 1].parent, Parent::Collides);
  EXPECT_EQ(world_.body(world_.size() - 1).ignores, sim::kNoBody);
}

TEST_F(FixedTest, AKeyframeHasIt) {
  join({0});
  step(Deed::WallIn);
  std::vector<std::byte> bytes;
  encode_keyframe(world_, bytes);
  auto read = restore(bytes, world_);
  ASSERT_TRUE(read);
  for (std::size_t row = 0; row < world_.size(); ++row) {
    EXPECT_EQ(read->body(row), world_.body(row)) << row;
  }
  for (const Deed deed : {Deed::Break, Deed::Nothing, Deed::DropCoin, Deed::Nothing}) {
    step(deed);
    stepper_.replay(*read, record_);
    EXPECT_EQ(state_hash(*read), state_hash(world_));
  }
}

TEST_F(FixedTest, AKeyframeThatCallsItAMoverIsRefused) {
  std::vector<std::byte> bytes;
  encode_keyframe(world_, bytes);
  constexpr std::byte kIsFixed{32};
  std::size_t refused = 0;
  for (std::byte& byte : bytes) {
    if ((byte & kIsFixed) == std::byte{}) continue;
    byte ^= kIsFixed;
    refused += restore(bytes, world_) ? 0U : 1U;
    byte ^= kIsFixed;
  }
  EXPECT_GE(refused, 5U);
}

TEST_F(FixedTest, OneAtRestIsNoActiveRow) {
  join({0});
  step();
  const auto clock = static_cast<std::uint32_t>(world_.size() - 1);
  EXPECT_EQ(active(), (std::vector<std::uint32_t>{0, clock})) << "the walker, and what acts";
  step(Deed::Lower);
  EXPECT_EQ(active(), (std::vector<std::uint32_t>{0, clock})) << "again at rest";
}

TEST_F(FixedTest, ACopyOfAWorldHasItsOwn) {
  join({0});
  step();
  World copy = world_;
  const std::uint64_t hash = state_hash(copy);
  step(Deed::Push);
  step(Deed::Break);
  EXPECT_EQ(state_hash(copy), hash);
  EXPECT_EQ(copy.body(1).min, (Vec2{0, 10 * kUnit}));
  copy = world_;
  EXPECT_EQ(state_hash(copy), state_hash(world_));
}

using FixedDeathTest = FixedTest;

TEST_F(FixedDeathTest, AStateThatSetsItInMotionIsAMistake) {
  join({0});
  EXPECT_DEATH(step(Deed::SetInMotion), "is_fixed");
}

}  // namespace
}  // namespace tickbox::engine::fixed_test
