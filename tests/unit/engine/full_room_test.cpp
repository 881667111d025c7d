// A room with as many entities as it can have.

#include "engine/keyframe.h"
#include "engine/log/tick_log.h"
#include "engine/map.h"
#include "engine/stepper.h"
#include "tickbox/adapter.h"
#include "tickbox/game.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace tickbox::engine {
namespace {

struct Nothing {
  TICKBOX_FIELDS(Nothing)
};

struct Mite {
  Int<0, 255> children;  ///< that it spawns in a tick
  TICKBOX_FIELDS(Mite, children)
};

struct Asked {
  Int<0, 100'000> spawns;  ///< of the server, in a tick
  Int<0, 100'000> granted;
  bool closes = false;
  TICKBOX_FIELDS(Asked, spawns, granted, closes)
};

struct Hive {
  static constexpr std::string_view name = "hive";
  static constexpr std::uint32_t version = 1;
  using Input = Nothing;
  using Seat = Nothing;
  using Room = Asked;
  using Avatar = Mite;
  using Kinds = List<Mite>;
  using Step = tickbox::Step<Hive>;
  using Server = tickbox::Server<Hive>;

  static Body body(const Mite&) {
    return {.motion = Motion::Fixed, .layers = 1, .collides_with = 0};
  }

  static constexpr std::int32_t top_speed(const Mite&) { return 1; }

  static void map(MapBuilder&, const MapOptions&) {}

  static void join(Server& server, Player who) { server.spawn_avatar(who, Mite{}, {}); }

  static void act(Entity<Mite> me, Step& step) {
    for (std::int32_t i = 0; i < me->children; ++i) {
      step.spawn(Mite{}, {me.min.x + (i + 1) * 2 * kUnit, me.min.y});
    }
  }

  /// A match that opens after another is full from the first tick on.
  static void open(Server& server) {
    for (std::int32_t i = 0; server.tick() > 0 && server.spawn(Mite{}, place_of(i)) != Ref{}; ++i) {
    }
  }

  /// A place that no other place overlaps.
  static Vec2 place_of(std::int32_t i) {
    return {i / 4'000 * 1'000 * kUnit, i % 4'000 * 2 * kUnit};
  }

  static void decide(Server& server) {
    std::int32_t granted = 0;
    for (std::int32_t i = 0; i < server.room().spawns; ++i) {
      granted += server.spawn(Mite{}, place_of(i)) != Ref{} ? 1 : 0;
    }
    server.room().granted = granted;
    if (server.room().closes) server.close_room();
  }
};

class FullRoomTest : public ::testing::Test {
 protected:
  FullRoomTest() {
    stepper_.open(world_);
    reader_.begin(world_);
    replayed_ = world_;
  }

  /// Steps, and replays the log of the tick.
  void step() {
    stepper_.step(world_,
                  {.opens_match = record_.closes_match(), .leaves = {}, .joins = {}, .inputs = {}},
                  record_);
    ASSERT_TRUE(is_valid(replayed_, record_));
    DecodedTick tick;
    ASSERT_TRUE(reader_.read(log_.tick(record_, {}), tick));
    replaying_.replay(replayed_, tick.record);
    ASSERT_EQ(state_hash(replayed_), state_hash(world_));
    ASSERT_LE(world_.size(), kEntitiesMax);
    std::vector<std::byte> keyframe;
    encode_keyframe(world_, keyframe);
    ASSERT_TRUE(restore(keyframe, world_));
  }

  void ask_for(std::int32_t spawns) {
    reinterpret_cast<Asked*>(world_.room().data())->spawns = spawns;
    reinterpret_cast<Asked*>(replayed_.room().data())->spawns = spawns;
  }

  [[nodiscard]] std::int32_t granted() const {
    return reinterpret_cast<const Asked*>(std::as_const(world_).room().data())->granted;
  }

  const GameTable& game_ = kGameTable<Hive>;
  World world_{game_, make_map(game_, {.seats = 4}, 60), 60, 1};
  World replayed_{world_};
  TickLog log_{world_};
  TickLogReader reader_{game_};
  Stepper stepper_;
  Stepper replaying_;
  TickRecord record_;
};

TEST_F(FullRoomTest, TheServerSpawnsNoMore) {
  ask_for(10'000);
  step();
  EXPECT_EQ(world_.size(), 10'000U);
  EXPECT_EQ(granted(), 10'000);
  step();
  EXPECT_EQ(world_.size(), kEntitiesMax);
  EXPECT_EQ(granted(), 6'384);
  step();
  EXPECT_EQ(granted(), 0);
}

TEST_F(FullRoomTest, ClosesAndTheNextMatchFillsItAgain) {
  ask_for(10'000);
  step();
  step();
  EXPECT_EQ(world_.size(), kEntitiesMax);
  const BodyId last = world_.id(kEntitiesMax - 1);
  for (World* world : {&world_, &replayed_}) {
    reinterpret_cast<Asked*>(world->room().data())->closes = true;
  }
  step();
  step();
  EXPECT_EQ(world_.size(), kEntitiesMax);
  EXPECT_GT(world_.id(0), last);
}

TEST_F(FullRoomTest, WhatEntitiesSpawnBeyondTheLimitIsRemoved) {
  ask_for(100);
  step();
  ask_for(0);
  for (std::size_t row = 0; row < world_.size(); ++row) {
    for (World* world : {&world_, &replayed_}) {
      reinterpret_cast<Mite*>(world->state(row).data())->children = 200;
      world->update_body(row);
    }
  }
  step();
  EXPECT_EQ(world_.size(), kEntitiesMax);
  const BodyId oldest = world_.id(0);
  for (int tick = 0; tick < 3; ++tick) {
    step();
    EXPECT_EQ(world_.size(), kEntitiesMax);
    EXPECT_EQ(world_.id(0), oldest);
  }
}

}  // namespace
}  // namespace tickbox::engine
