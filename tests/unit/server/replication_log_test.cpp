#include "server/room/replication_log.h"

#include "core/rng.h"
#include "games/arena/arena.h"
#include "server/room/room.h"

#include <gtest/gtest.h>

#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

// What a replication log has of ticks that a room has stepped, and of reports written by hand.

constexpr PlayerId kA{0};
constexpr PlayerId kB{1};
constexpr std::uint32_t kSeats = 4;
constexpr std::uint32_t kRate = 60;
constexpr game::Input kShootRight{.buttons = game::kButtonShoot, .aim = 0};

/// Spawn points in a row, `spacing` units apart. Players get random ones near its beginning. A wall
/// is to the right of all.
game::SharedMap row(std::int32_t spacing) {
  auto map = std::make_shared<game::Map>();
  map->seats = kSeats;
  for (std::int32_t i = 0; i < 30; ++i) {
    map->spawn_points.push_back({.x = spacing * i * kUnit, .y = 0});
  }
  const sim::Body wall{.id = {3U << 30},
                       .kind = sim::Kind::Static,
                       .min = {.x = 30 * spacing * kUnit, .y = -kUnit},
                       .size = {kUnit, 3 * kUnit}};
  map->statics = std::make_shared<const sim::Statics>(std::vector{wall});
  map->crates.push_back({.x = 0, .y = 20 * kUnit});
  return map;
}

class ReplicationLogTest : public ::testing::Test {
 protected:
  ReplicationLogTest() { open(2); }

  /// Opens a room with two players next to each other, A left of B.
  void open(std::int32_t spacing) {
    for (std::uint64_t seed = 1;; ++seed) {
      room_ = std::make_unique<Room>(row(spacing), std::make_shared<const game::Arena>(kRate), seed,
                                     kRate);
      const std::vector joins{kA, kB};
      room_->tick({.leaves = {}, .joins = joins, .inputs = {}});
      if (x_of(kB) - x_of(kA) == spacing * kUnit) return;
    }
  }

  void tick(const std::vector<game::PlayerInput>& inputs = {}) {
    room_->tick({.leaves = {}, .joins = {}, .inputs = inputs});
  }

  [[nodiscard]] std::int32_t x_of(PlayerId player) const {
    return room_->world().entity(room_->world().index_of(room_->world().body_of(player))).min.x;
  }

  [[nodiscard]] SlotId slot(PlayerId player) const {
    return room_->replication_log().slots().find(room_->world().body_of(player));
  }

  [[nodiscard]] SlotId crate() const {
    return room_->replication_log().slots().find(game::crate_body(0));
  }

  struct Happened {
    std::vector<StickChange> sticks;
    std::span<const CauseLog<ShotFired>::Entry> shots;
    std::span<const CauseLog<BodyTeleport>::Entry> teleports;
    std::span<const CauseLog<BulletSpawn>::Entry> bullet_spawns;
  };

  [[nodiscard]] Happened now() const {
    const ReplicationLog& log = room_->replication_log();
    const Tick tick = room_->world().tick;
    return {.sticks = log.sticks().changes_of(tick),
            .shots = log.shots().causes_of(tick),
            .teleports = log.teleports().causes_of(tick),
            .bullet_spawns = log.bullet_spawns().causes_of(tick)};
  }

  [[nodiscard]] bool are_joined(SlotId a, SlotId b, Tick base) {
    Islands& islands = room_->replication_log().islands_since(base);
    return islands.root_of(a) == islands.root_of(b);
  }

  std::unique_ptr<Room> room_;
};

TEST_F(ReplicationLogTest, NotesAStickOnceWhenItChanges) {
  tick({{.player = kB, .input = {.move = 3}}});
  ASSERT_EQ(now().sticks.size(), 1U);
  EXPECT_EQ(now().sticks[0].slot, slot(kB));
  EXPECT_EQ(now().sticks[0].move, 3);
  tick({{.player = kB, .input = {.move = 3}}});
  EXPECT_TRUE(now().sticks.empty()) << "the same again";
  tick();
  EXPECT_TRUE(now().sticks.empty()) << "no input: it runs on";
  tick({{.player = kB, .input = {}}});
  ASSERT_EQ(now().sticks.size(), 1U);
  EXPECT_EQ(now().sticks[0].move, 0);
}

TEST_F(ReplicationLogTest, NotesWhatTheRulesMadeOfAStick) {
  tick({{.player = kA, .input = {.move = 200}}});
  EXPECT_TRUE(now().sticks.empty()) << "no direction at all is rest";
}

// A newcomer is sent in full, with its stick.
TEST_F(ReplicationLogTest, NotesNoStickOfWhoHasJustCome) {
  const std::vector joins{PlayerId{2}};
  const std::vector<game::PlayerInput> inputs{{.player = {2}, .input = {.move = 4}}};
  room_->tick({.leaves = {}, .joins = joins, .inputs = inputs});
  EXPECT_TRUE(now().sticks.empty());
  tick();
  EXPECT_TRUE(now().sticks.empty());
  tick({{.player = {2}, .input = {.move = 5}}});
  ASSERT_EQ(now().sticks.size(), 1U);
}

TEST_F(ReplicationLogTest, NotesAShotOnlyWhereABulletComesOfIt) {
  open(8);
  tick({{.player = kA, .input = {.buttons = game::kButtonShoot, .aim = 256}}});
  ASSERT_EQ(now().shots.size(), 1U);
  EXPECT_EQ(now().shots[0].slot, slot(kA));
  EXPECT_EQ(now().shots[0].aim, 256);
  tick({{.player = kA, .input = kShootRight}});
  EXPECT_TRUE(now().shots.empty()) << "it reloads";
  EXPECT_TRUE(now().bullet_spawns.empty());
}

TEST_F(ReplicationLogTest, NotesTheSpawnOfABulletWithItsOwner) {
  const Tick before = room_->world().tick;
  tick({{.player = kB, .input = {.buttons = game::kButtonShoot, .aim = 256}}});
  ASSERT_EQ(now().bullet_spawns.size(), 1U);
  EXPECT_EQ(now().bullet_spawns[0].slot, slot(kB));
  const SlotId bullet = now().bullet_spawns[0].bullet;
  EXPECT_EQ(room_->replication_log().slots().slot(bullet).id,
            game::bullet_body(kB, room_->world().tick));
  EXPECT_TRUE(are_joined(bullet, slot(kB), before));
  EXPECT_FALSE(are_joined(bullet, slot(kA), before));
  tick();
  EXPECT_TRUE(now().bullet_spawns.empty());
}

// A shoots at B, who stands within the bullet's first tick: there never is a bullet to be seen.
TEST_F(ReplicationLogTest, JoinsTheOwnerOfABulletThatDespawnsInItsFirstTick) {
  const Tick before = room_->world().tick;
  tick({{.player = kA, .input = kShootRight}});
  ASSERT_EQ(now().shots.size(), 1U);
  EXPECT_TRUE(now().bullet_spawns.empty());
  EXPECT_TRUE(are_joined(slot(kA), slot(kB), before));
  EXPECT_FALSE(are_joined(slot(kA), crate(), before));
}

TEST_F(ReplicationLogTest, NotesOnceWhereAHitPutSomebody) {
  std::vector<BodyTeleport> put;
  for (int i = 0; i < 60; ++i) {
    tick({{.player = kA, .input = kShootRight}});
    const auto now_put = now().teleports;
    put.insert(put.end(), now_put.begin(), now_put.end());
    if (!put.empty()) break;
  }
  ASSERT_EQ(put.size(), 1U);
  EXPECT_EQ(put[0].slot, slot(kB));
  EXPECT_EQ(x_of(kB), room_->world().map()->spawn_points[put[0].place].x);
  tick();
  EXPECT_TRUE(now().teleports.empty());
}

TEST_F(ReplicationLogTest, KeepsWhatHappenedInTheTicksBefore) {
  std::vector<std::uint8_t> moves;
  for (std::uint32_t i = 0; i < 3 * protocol::kTicksRemembered; ++i) {
    moves.push_back(static_cast<std::uint8_t>(1 + i % 2));
    tick({{.player = kA, .input = {.move = moves.back()}}});
    for (std::uint32_t ago = 0; ago < std::min(i + 1, protocol::kTicksRemembered - 1); ++ago) {
      const auto then =
          room_->replication_log().sticks().changes_of({room_->world().tick.value - ago});
      ASSERT_EQ(then.size(), 1U);
      ASSERT_EQ(then[0].move, moves[i - ago]);
    }
  }
}

TEST_F(ReplicationLogTest, ForgetsWhatHappenedLongAgo) {
  do {
    tick({{.player = kA, .input = kShootRight}});
  } while (now().teleports.empty());
  for (std::uint32_t reload = 0; reload < kRate; ++reload) {
    tick();
  }
  tick({{.player = kA, .input = {.move = 1, .buttons = game::kButtonShoot, .aim = 768}}});
  ASSERT_EQ(now().bullet_spawns.size(), 1U);
  for (std::uint32_t i = 0; i < 2 * protocol::kTicksRemembered; ++i) {
    tick();
    EXPECT_TRUE(now().sticks.empty());
    EXPECT_TRUE(now().shots.empty());
    EXPECT_TRUE(now().bullet_spawns.empty());
    EXPECT_TRUE(now().teleports.empty());
  }
}

// Contacts from before a view are no news to a client that holds it.
TEST_F(ReplicationLogTest, KnowsIslandsSinceEachBaseAlone) {
  std::vector<Tick> before;
  do {
    before.push_back(room_->world().tick);
    tick({{.player = kA, .input = kShootRight}});
  } while (now().teleports.empty());
  const Tick met = room_->world().tick;
  ASSERT_TRUE(are_joined(slot(kA), slot(kB), before.back()));
  const std::uint32_t age = base_age_max(kRate);
  while (room_->world().tick - before.back() < age) {
    tick();
    for (const Tick base : before) {
      if (room_->world().tick - base > age) continue;
      ASSERT_TRUE(are_joined(slot(kA), slot(kB), base));
    }
    for (Tick base = met; base < room_->world().tick; base = base + 1) {
      ASSERT_FALSE(are_joined(slot(kA), slot(kB), base)) << base.value;
    }
  }
}

/// A replication log of the room's world, which gets reports written by hand.
class ReportTest : public ReplicationLogTest {
 protected:
  ReportTest() { replication_log_.begin(room_->world(), room_->entities()); }

  /// Whether the report joins A and B.
  bool joins(const sim::StepReport& report) {
    const Tick before = replication_log_.tick();
    world_.tick = before + 1;
    replication_log_.note(world_, room_->entities(), report, {});
    Islands& islands = replication_log_.islands_since(before);
    const BodySlots& slots = replication_log_.slots();
    return islands.root_of(slots.find(a_)) == islands.root_of(slots.find(b_));
  }

  ReplicationLog replication_log_{base_age_max(kRate)};
  game::World world_ = room_->world();
  BodyId a_ = room_->world().body_of(kA);
  BodyId b_ = room_->world().body_of(kB);
};

TEST_F(ReportTest, JoinsByContactsAndInfluencesOfEntitiesAlone) {
  const BodyId wall{3U << 30};
  EXPECT_FALSE(joins({}));
  EXPECT_TRUE(joins({.contacts = {{.a = a_, .b = b_}}}));
  EXPECT_FALSE(joins({.contacts = {{.a = a_, .b = wall}, {.a = b_, .b = wall}}})) << "statics";
  EXPECT_FALSE(joins({.influences = {{game::crate_body(0), a_}}}));
  EXPECT_TRUE(joins({.influences = {sim::ordered_pair(a_, b_)}}));
}

TEST_F(ReportTest, JoinsByWhoIsThereNoMore) {
  const BodyId bullet_of_a = game::bullet_body(kA, world_.tick + 1);
  EXPECT_TRUE(joins({.contacts = {{.a = b_, .b = bullet_of_a}}})) << "its owner answers";
  const BodyId bullet_of_b = game::bullet_body(kB, world_.tick + 2);
  EXPECT_FALSE(joins({.contacts = {{.a = b_, .b = bullet_of_b}}}));
}

TEST(BaseAge, IsASecondWithinWhatCausesCanSay) {
  EXPECT_EQ(base_age_max(10), 24U);
  EXPECT_EQ(base_age_max(30), 30U);
  EXPECT_EQ(base_age_max(60), 60U);
  EXPECT_EQ(base_age_max(240), protocol::kBaseAgeMax);
}

// A cause log against a plain list of all causes that were ever noted.

struct Deed {
  SlotId slot;
  std::uint32_t number;
};

using Deeds = std::vector<std::pair<Tick, std::uint32_t>>;

constexpr std::uint32_t kTicks = 5 * protocol::kTicksRemembered;

class CauseLogTest : public ::testing::Test {
 protected:
  void begin(std::size_t slots) { log_.begin(tick_ = tick_ + 1, slots); }

  void note(SlotId slot) {
    const Deed deed{.slot = slot, .number = ++number_};
    log_.note(deed);
    if (slot != kNoSlot) all_.emplace_back(tick_, deed);
  }

  /// Newest first.
  [[nodiscard]] Deeds noted_of(SlotId slot, Tick base) const {
    Deeds deeds;
    log_.visit_since(slot, base, [&](Tick tick, const Deed& deed) {
      EXPECT_EQ(deed.slot, slot);
      deeds.emplace_back(tick, deed.number);
      return true;
    });
    return deeds;
  }

  [[nodiscard]] Deeds all_of(SlotId slot, Tick base) const {
    Deeds deeds;
    for (const auto& [tick, deed] : std::views::reverse(all_)) {
      if (deed.slot == slot && tick > base) deeds.emplace_back(tick, deed.number);
    }
    return deeds;
  }

  /// The ticks that may be a base, newest first.
  [[nodiscard]] std::vector<Tick> bases() const {
    std::vector<Tick> bases;
    for (std::uint32_t ago = 0; ago < protocol::kTicksRemembered && ago < tick_.value; ++ago) {
      bases.push_back({tick_.value - ago});
    }
    return bases;
  }

  CauseLog<Deed> log_;
  Tick tick_;
  std::uint32_t number_ = 0;
  std::vector<std::pair<Tick, Deed>> all_;
};

TEST_F(CauseLogTest, TellsOfASlotWhatAListOfEverythingTells) {
  Rng rng{1};
  std::size_t told = 0;
  for (std::uint32_t i = 0; i < kTicks; ++i) {
    const std::uint32_t slots = 1 + i / 20;
    begin(slots);
    for (std::uint64_t deeds = rng.below(4); deeds > 0; --deeds) {
      note(static_cast<SlotId>(rng.below(slots)));
    }
    for (const Tick base : bases()) {
      const auto slot = static_cast<SlotId>(rng.below(slots));
      const Deeds expected = all_of(slot, base);
      ASSERT_EQ(noted_of(slot, base), expected) << tick_.value << ", since " << base.value;
      ASSERT_EQ(log_.has_since(slot, base), !expected.empty());
      told += expected.size();
    }
  }
  EXPECT_GT(told, 10'000U);
}

TEST_F(CauseLogTest, TellsOfATickWhatWasNotedInIt) {
  for (std::uint32_t i = 0; i < kTicks; ++i) {
    begin(3);
    for (std::uint32_t deeds = i % 3; deeds > 0; --deeds) {
      note(deeds);
    }
    for (const Tick tick : bases()) {
      std::vector<std::uint32_t> expected;
      for (const auto& [noted, deed] : all_) {
        if (noted == tick) expected.push_back(deed.number);
      }
      std::vector<std::uint32_t> told;
      for (const Deed& deed : log_.causes_of(tick)) {
        told.push_back(deed.number);
      }
      ASSERT_EQ(told, expected) << tick_.value << ", of " << tick.value;
    }
  }
}

TEST_F(CauseLogTest, NotesNothingOfNobody) {
  begin(1);
  note(kNoSlot);
  EXPECT_TRUE(log_.causes_of(tick_).empty());
  EXPECT_FALSE(log_.has_since(0, {}));
}

}  // namespace
}  // namespace tickbox::server
