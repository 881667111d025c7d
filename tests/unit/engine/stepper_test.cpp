// The order of a tick, and what a callback hears, on a game of probes that count.

#include "engine/stepper.h"

#include "engine/declared.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tickbox::engine::stepper_test {
namespace {

/// What a player asks its probe to do in one tick.
struct Ask {
  Int<-100, 100> run;  ///< units per second
  Press spawn;         ///< spawns a box that waits until it is apart
  Press teleport;      ///< to where it is
  TICKBOX_FIELDS(Ask, run, spawn, teleport)
};

struct Probe {
  Int<0, 1'000> acts;
  Int<0, 1'000> walls;
  Int<0, 1'000> met;          ///< boxes
  Int<0, 1'000> taken;        ///< coins
  Int<-kUnit, kUnit> before;  ///< velocity along x relative to the box that it has met last
  TICKBOX_FIELDS(Probe, acts, walls, met, taken, before)
};

struct Box {
  Int<0, 1'000> acts;
  Int<0, 1'000> walls;
  Int<0, 1'000> met;
  TICKBOX_FIELDS(Box, acts, walls, met)
};

struct Coin {
  TICKBOX_FIELDS(Coin)
};

struct Push {
  Int<-1'000, 1'000> speed;  ///< units per second
  TICKBOX_FIELDS(Push, speed)
};

struct Probes {
  static constexpr std::string_view name = "probes";
  static constexpr std::uint32_t version = 1;
  static constexpr std::int32_t gravity = 20;
  using Input = Ask;
  using Avatar = Probe;
  using Kinds = List<Probe, Box, Coin>;
  using Outcomes = List<Push>;
  using Step = tickbox::Step<Probes>;
  using Server = tickbox::Server<Probes>;

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 10;
  }

  static Body body(const Probe&) { return {}; }

  static Body body(const Box&) { return {.size = {kUnit / 2, kUnit / 2}, .mass = 50}; }

  static Body body(const Coin&) { return {.motion = Motion::Kinematic, .sensor = true}; }

  static void map(MapBuilder& map, const MapOptions&) {
    map.solid({-50 * kUnit, 10 * kUnit}, {100 * kUnit, kUnit});
    map.object("coin", {3 * kUnit, 9 * kUnit});
  }

  static void open(Server& server) {
    for (const MapObject& coin : server.objects("coin")) {
      server.spawn(Coin{}, coin.min);
    }
  }

  /// Players stand on the floor, one unit apart: the second on the coin.
  static void join(Server& server, Player who) {
    server.spawn_avatar(who, Probe{}, {(2 + who.seat) * kUnit, 9 * kUnit});
  }

  static void act(Entity<Probe> me, const Ask& ask, Step& step) {
    ++me->acts;
    if (ask.run != 0) me.velocity.x = step.speed(ask.run);
    if (ask.spawn) {
      step.spawn(Box{}, {me.min.x + kUnit / 4, me.min.y + kUnit / 4}, {},
                 Parent::IgnoredUntilApart);
    }
    if (ask.teleport) {
      const Vec2 there = me.min;
      me.min = {there.x + kUnit, there.y};
    }
  }

  static void act(Entity<Box> me, Step&) { ++me->acts; }

  static void wall(Entity<Probe> me, Contact, Step&) { ++me->walls; }

  static void wall(Entity<Box> me, Contact, Step&) { ++me->walls; }

  static void contact(Entity<Probe> me, Entity<Box>, Contact contact, Step&) {
    ++me->met;
    me->before = contact.before.x;
  }

  static void contact(Entity<Probe> me, Entity<Coin> it, Contact, Step& step) {
    ++me->taken;
    step.remove(it.ref);
  }

  static void apply(Entity<Probe> me, const Push& push, Step&) {
    me.velocity.x = push.speed * kUnit / 60;
  }
};

constexpr std::uint32_t kRate = 60;

class StepperTest : public ::testing::Test {
 protected:
  StepperTest() { stepper_.open(world_); }

  /// Steps a tick in which these players join.
  void join(const std::vector<std::uint16_t>& seats) {
    std::vector<Join> joins;
    for (const std::uint16_t seat : seats) {
      joins.push_back({.player = {seat}, .user_data = {}});
    }
    stepper_.step(world_, {.leaves = {}, .joins = joins, .inputs = {}}, record_);
  }

  void step(const Ask& ask) {
    const PlayerInput input{.player = {0}, .input = std::as_bytes(std::span{&ask, 1})};
    stepper_.step(world_, {.leaves = {}, .joins = {}, .inputs = {&input, 1}}, record_);
  }

  void step() { stepper_.step(world_, {}, record_); }

  [[nodiscard]] Probe probe(std::uint16_t seat = 0) {
    return *static_cast<const Probe*>(world_.row(world_.avatar_of({seat})).state);
  }

  /// Returns the first row of a kind, or size().
  [[nodiscard]] std::size_t first_of(std::size_t kind) const {
    std::size_t row = 0;
    while (row < world_.size() && world_.infos()[row].kind != kind) {
      ++row;
    }
    return row;
  }

  [[nodiscard]] Box box() { return *static_cast<const Box*>(world_.row(first_of(1)).state); }

  SharedMap map_ = make_map(kGameTable<Probes>, {.seats = 4}, kRate);
  World world_{kGameTable<Probes>, map_, kRate, 1};
  Stepper stepper_;
  TickRecord record_;
};

TEST_F(StepperTest, WhoJoinsActsInTheSameTick) {
  join({0});
  EXPECT_EQ(probe().acts, 1);
}

TEST_F(StepperTest, WhatActSpawnsMovesInTheTickAndDoesNotAct) {
  join({0});
  step({.spawn = {true}});
  EXPECT_EQ(box().acts, 0);
  EXPECT_GT(world_.body(first_of(1)).velocity.y, 0) << "gravity has pulled it";
  step();
  EXPECT_EQ(box().acts, 1);
}

TEST_F(StepperTest, ASpawnedEntityMeetsItsParentOnceTheyAreApart) {
  join({0});
  step({.spawn = {true}});
  EXPECT_EQ(world_.infos()[first_of(1)].parent, Parent::IgnoredUntilApart);
  for (int tick = 0; tick < 30; ++tick) {
    step({.run = -9});
  }
  EXPECT_EQ(world_.infos()[first_of(1)].parent, Parent::Collides);
  EXPECT_EQ(probe().met, 0);
  for (int tick = 0; tick < 60; ++tick) {
    step({.run = 9});
  }
  EXPECT_EQ(probe().met, 1) << "it runs into its box, and hears of it once";
  EXPECT_EQ(probe().before, 9 * kUnit / 60) << "with the velocity that it ran at";
}

TEST_F(StepperTest, AContactIsHeardWhenItBegins) {
  join({0});
  for (int tick = 0; tick < 60; ++tick) {
    step();
  }
  EXPECT_EQ(probe().walls, 1) << "it has stood on the floor since its spawn";
}

// Nobody is in the room, and a box and a coin lie there: an idle tick leaves them as they are.
TEST_F(StepperTest, AnIdleTickMovesItsNumberAlone) {
  join({0});
  step({.spawn = {true}});
  const Player leaves{0};
  stepper_.step(world_, {.leaves = {&leaves, 1}, .joins = {}, .inputs = {}}, record_);
  ASSERT_NE(first_of(1), world_.size());
  CallCounts counts;
  stepper_.set_call_counts(counts);
  World still = world_;
  for (int i = 0; i < 100; ++i) {
    const TickReport& report = stepper_.step(world_, {.is_idle = true}, record_);
    EXPECT_TRUE(record_.is_idle && record_.outcomes.empty());
    EXPECT_TRUE(report.emitted.empty() && report.spawns.empty());
    report.visit_influences([](BodyId, BodyId) { ADD_FAILURE() << "nothing happens"; });
    still.tick = world_.tick;
    ASSERT_EQ(state_hash(still), state_hash(world_));
  }
  EXPECT_EQ(counts.of({.callback = Callback::Act, .kind = 1}), 0U);
  EXPECT_EQ(counts.of({.callback = Callback::Wall, .kind = 1}), 0U);
  step();
  EXPECT_FALSE(record_.is_idle);
  EXPECT_EQ(counts.of({.callback = Callback::Act, .kind = 1}), 1U);
  stepper_.replay(still, record_);
  EXPECT_EQ(state_hash(still), state_hash(world_));
}

TEST_F(StepperTest, ATeleportBeginsContactsAnew) {
  join({0});
  for (int tick = 0; tick < 10; ++tick) {
    step();
  }
  step({.teleport = {true}});
  EXPECT_EQ(probe().walls, 2);
}

TEST_F(StepperTest, AnEntityThatIsPutIntoASensorHearsOfIt) {
  join({1});
  EXPECT_EQ(probe(1).taken, 1);
}

TEST_F(StepperTest, AnEntityThatWasRemovedTakesPartInNoFurtherCallback) {
  join({0});
  // Both reach the coin in the same tick: one is spawned on it, the other teleports onto it.
  const Ask ask{.teleport = {true}};
  const Join joins{.player = {1}, .user_data = {}};
  const PlayerInput input{.player = {0}, .input = std::as_bytes(std::span{&ask, 1})};
  stepper_.step(world_, {.leaves = {}, .joins = {&joins, 1}, .inputs = {&input, 1}}, record_);
  EXPECT_EQ(probe(0).taken + probe(1).taken, 1);
  EXPECT_EQ(first_of(2), world_.size());
}

TEST_F(StepperTest, RulesMakeNoBodyFasterThanItsKind) {
  join({0});
  step({.run = 100});
  EXPECT_EQ(world_.body(world_.avatar_of({0})).velocity.x, 10 * kUnit / 60);
}

TEST_F(StepperTest, PlayersWhoLeaveTakeTheirEntitiesWithThem) {
  join({0, 2});
  const Player leaves{2};
  stepper_.step(world_, {.leaves = {&leaves, 1}, .joins = {}, .inputs = {}}, record_);
  EXPECT_EQ(world_.avatar_of({2}), world_.size());
  EXPECT_NE(world_.avatar_of({0}), world_.size());
  EXPECT_FALSE(world_.has({2}));
}

TEST_F(StepperTest, ASeatThatIsTakenAgainHasAnotherGeneration) {
  join({0});
  const BodyId first = world_.id(world_.avatar_of({0}));
  const Player leaves{0};
  const Join joins{.player = {0}, .user_data = {}};
  stepper_.step(world_, {.leaves = {&leaves, 1}, .joins = {&joins, 1}, .inputs = {}}, record_);
  const BodyId second = world_.id(world_.avatar_of({0}));
  EXPECT_LT(first, second);
  EXPECT_EQ(generation_of(second), generation_of(first) + 1);
}

}  // namespace
}  // namespace tickbox::engine::stepper_test
