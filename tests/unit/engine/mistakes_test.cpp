// What a review found in the engine. The comment of each test says what happened before the fix.

#include "engine/declared.h"
#include "engine/keyframe.h"
#include "engine/log/tick_codec.h"
#include "engine/stepper.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tickbox::engine::mistakes_test {
namespace {

struct Pad {
  bool beam = false;
  Press probe;
  TICKBOX_FIELDS(Pad, beam, probe)
};

struct Unit {
  Int<0, 9> width = 1;
  Int<0, 1'000> found;
  TICKBOX_FIELDS(Unit, width, found)
};

struct Hurt {
  Int<0, 9> by;
  TICKBOX_FIELDS(Hurt, by)
};

struct Cry {
  Ref who;
  TICKBOX_FIELDS(Cry, who)
};

struct Team {
  Int<0, 9> number;
  TICKBOX_FIELDS(Team, number)
};

struct Mistakes {
  static constexpr std::string_view name = "mistakes";
  static constexpr std::uint32_t version = 1;
  using Input = Pad;
  using Avatar = Unit;
  using Kinds = List<Unit>;
  using Outcomes = List<Hurt>;
  using Events = List<Cry>;
  using Seat = Team;
  using Step = tickbox::Step<Mistakes>;
  using Server = tickbox::Server<Mistakes>;

  static constexpr std::int32_t top_speed(const Unit&) { return 5; }

  static Body body(const Unit& it) {
    return {.size = {it.width * kUnit, kUnit}, .motion = Motion::Kinematic, .collides_with = 0};
  }

  static void map(MapBuilder&, const MapOptions&) {}

  static void join(Server& server, Player who) {
    server.seat(who).number = 1 + who.seat % 2;
    server.spawn_avatar(who, Unit{}, {who.seat * 10 * kUnit, 0});
    server.spawn_avatar(who, Unit{}, {who.seat * 10 * kUnit, 20 * kUnit});
  }

  /// Reads its seat, and leaves an entity behind that nobody can control.
  static void leave(Server& server, Player who) {
    if (server.seat(who).number == 9) return;
    server.spawn_avatar(who, Unit{}, {0, 50 * kUnit});
  }

  /// Looks around where it goes, and comes back. Seat 0 asks first.
  static void act(Entity<Unit> me, const Pad& pad, Step& step) {
    if (pad.beam) static_cast<void>(step.raycast({.from = me.min, .way = {kUnit, 0}}));
    if (!pad.probe) return;
    const Vec2 home = me.min;
    me.min = {home.x, 40 * kUnit};
    step.for_each_in<Unit>(me.min, {kUnit, kUnit}, [&](Entity<Unit>) { ++me->found; });
    me.min = home;
  }

  static std::optional<Ray> ray(ConstEntity<Unit> me, const Pad& pad, const Moment&) {
    if (!pad.beam) return std::nullopt;
    return Ray{.from = me.min, .way = {kUnit, 0}};
  }

  static void after(Entity<Unit> me, Step& step) { step.emit(me.ref, Cry{me.ref}); }

  static void decide(Server& server) {
    for (const Cry& cry : server.events<Cry>()) {
      server.decide(cry.who, Hurt{1});
    }
  }

  /// Answers each cry with another.
  static void apply(Entity<Unit> me, const Hurt&, Step& step) { step.emit(me.ref, Cry{me.ref}); }
};

constexpr std::uint32_t kRate = 60;

class Mistake : public ::testing::Test {
 protected:
  Mistake() { stepper_.open(world_); }

  void step(std::vector<Player> leaves, std::vector<Join> joins,
            const std::vector<Pad>& pads = {}) {
    const World before = world_;
    std::vector<PlayerInput> inputs;
    std::uint16_t seat = 0;
    for (const Pad& pad : pads)
      inputs.push_back({.player = {seat++}, .input = std::as_bytes(std::span{&pad, 1})});
    const JudgeRays judge = [this](std::span<const FiredRay> rays, std::vector<Strike>&) {
      rays_ += rays.size();
    };
    stepper_.step(world_, {.leaves = leaves, .joins = joins, .inputs = inputs, .judge = &judge},
                  record_);
    World replayed = before;
    replay_.replay(replayed, record_);
    EXPECT_EQ(state_hash(replayed), state_hash(world_));
  }

  [[nodiscard]] Unit unit(std::uint16_t seat) {
    return *static_cast<const Unit*>(world_.row(world_.avatar_of({seat})).state);
  }

  World world_{kGameTable<Mistakes>, make_map(kGameTable<Mistakes>, {.seats = 4}, kRate), kRate, 1};
  Stepper stepper_;
  Stepper replay_;
  TickRecord record_;
  std::size_t rays_ = 0;
};

// The record had no state of a seat that was left and taken again in one tick, if the old and the
// new player had the same. A replay then had the state by default.
TEST_F(Mistake, ASeatThatIsLeftAndTakenInOneTickHasItsStateInAReplay) {
  step({}, {{.player = {1}, .user_data = {}}});
  step({{1}}, {{.player = {1}, .user_data = {}}});
}

// An entity that leave() gave to a player who leaves stayed without a player.
TEST_F(Mistake, WhatLeaveGivesToThePlayerWhoLeavesIsRemovedToo) {
  step({}, {{.player = {1}, .user_data = {}}});
  step({{1}}, {});
  EXPECT_EQ(world_.size(), 0U);
}

// A query saw the place of an entity before its move if another entity had asked before, and the
// place after it if not.
TEST_F(Mistake, AQueryAfterAMoveSeesTheMoveWhateverWasAskedBefore) {
  step({}, {{.player = {0}, .user_data = {}}, {.player = {1}, .user_data = {}}});
  step({}, {}, {{.beam = true}, {.probe = {true}}});
  EXPECT_EQ(unit(1).found, 1);
  step({}, {}, {{}, {.probe = {true}}});
  EXPECT_EQ(unit(1).found, 2);
}

// Only the first entity of a player fired, and only in the tick in which its input changed.
TEST_F(Mistake, ABeamThatIsHeldFiresARayOfEachEntityInEachTick) {
  step({}, {{.player = {0}, .user_data = {}}});
  for (int tick = 0; tick < 5; ++tick) {
    step({}, {}, {{.beam = true}});
  }
  EXPECT_EQ(rays_, 10U);
}

// The view followed the last entity that a player was given.
TEST_F(Mistake, AViewFollowsThePlayersFirstEntity) {
  step({}, {{.player = {2}, .user_data = {}}});
  EXPECT_EQ(world_.seats()[2].focus, ref_of(world_.id(world_.avatar_of({2}))));
  EXPECT_EQ(world_.seats()[2].focus_place, (Vec2{20 * kUnit + kUnit / 2, kUnit / 2}));
}

// Events that outcomes emitted moved those that the hook was reading.
TEST_F(Mistake, OutcomesMayEmitWhileAHookReadsEvents) {
  step({}, {{.player = {0}, .user_data = {}}, {.player = {1}, .user_data = {}}});
  EXPECT_EQ(record_.outcomes.size(), 2U + 4U + 2U + 4U)
      << "joins, entities, seats, and one outcome for each cry of the tick";
}

/// Returns the keyframe of the world with one more entity.
std::vector<std::byte> forged(const World& world, const RowHead& head, const Unit& state) {
  std::vector<std::byte> bytes;
  // The new entity is the last by id.
  World one = world;
  one.add({.head = head, .state = std::as_bytes(std::span{&state, 1}), .input = {}});
  encode_keyframe(one, bytes);
  return bytes;
}

// A body without size failed an assertion of the physics.
TEST_F(Mistake, AKeyframeWhoseStateHasNoBodyIsRefused) {
  const Unit good{.width = 1};
  std::vector<std::byte> bytes = forged(
      world_, {.id = spawned_id(IdClass::ByServer, {.lineage = kSeatsMax}), .is_new = true}, good);
  ASSERT_TRUE(decode_keyframe(bytes, world_));
  // The state is the last two bytes. The lowest four bits of the first one are the width.
  bytes[bytes.size() - 2] &= std::byte{0xf0};
  EXPECT_EQ(decode_keyframe(bytes, world_).error(), KeyframeError::Malformed);
}

// A later spawn with the same id failed an assertion.
TEST_F(Mistake, AKeyframeWithTheIdOfALaterSpawnIsRefused) {
  const auto with_tick = [&](std::uint32_t tick) {
    return forged(
        world_,
        {.id = spawned_id(IdClass::ByEntity, {.lineage = 0, .tick = {tick}}), .is_new = true},
        Unit{});
  };
  EXPECT_TRUE(decode_keyframe(with_tick(0), world_));
  EXPECT_EQ(decode_keyframe(with_tick(1), world_).error(), KeyframeError::Malformed);
}

}  // namespace
}  // namespace tickbox::engine::mistakes_test
