#include "server/room/replication_log.h"

#include "core/rng.h"
#include "games/arena/arena.h"
#include "server/room/cause_log.h"
#include "server/room/room.h"

#include <gtest/gtest.h>

#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

// The notes of a history on ticks that a room has stepped, and on reports that the test writes.

constexpr PlayerId kA{0};
constexpr PlayerId kB{1};
constexpr std::uint32_t kSeats = 4;
constexpr std::uint32_t kRate = 60;
constexpr game::Input kShootRight{.buttons = game::kButtonShoot, .aim = 0};

/// Spawn points in a row, `spacing` units apart. Players get the first ones in a random order. A
/// wall is to the right of all.
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

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() { open(2); }

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

  [[nodiscard]] LifeId life(PlayerId player) const {
    return room_->history().lives().find(room_->world().body_of(player));
  }

  [[nodiscard]] LifeId crate() const { return room_->history().lives().find(game::crate_body(0)); }

  struct Happened {
    std::span<const Chronicle<StickChange>::Entry> sticks;
    std::span<const Chronicle<ShotFired>::Entry> shots;
    std::span<const Chronicle<Relocation>::Entry> relocations;
    std::span<const Chronicle<Birth>::Entry> births;
  };

  [[nodiscard]] Happened now() const {
    const History& history = room_->history();
    const Tick tick = room_->world().tick;
    return {.sticks = history.sticks().of(tick),
            .shots = history.shots().of(tick),
            .relocations = history.relocations().of(tick),
            .births = history.births().of(tick)};
  }

  [[nodiscard]] bool are_joined(LifeId a, LifeId b, Tick base) {
    Islands& islands = room_->history().islands_since(base);
    return islands.root_of(a) == islands.root_of(b);
  }

  std::unique_ptr<Room> room_;
};

TEST_F(HistoryTest, NotesAStickOnceWhenItChanges) {
  tick({{.player = kB, .input = {.move = 3}}});
  ASSERT_EQ(now().sticks.size(), 1U);
  EXPECT_EQ(now().sticks[0].life, life(kB));
  EXPECT_EQ(now().sticks[0].move, 3);
  tick({{.player = kB, .input = {.move = 3}}});
  EXPECT_TRUE(now().sticks.empty()) << "the same again";
  tick();
  EXPECT_TRUE(now().sticks.empty()) << "no input: it runs on";
  tick({{.player = kB, .input = {}}});
  ASSERT_EQ(now().sticks.size(), 1U);
  EXPECT_EQ(now().sticks[0].move, 0);
}

TEST_F(HistoryTest, NotesWhatTheRulesMadeOfAStick) {
  tick({{.player = kA, .input = {.move = 200}}});
  EXPECT_TRUE(now().sticks.empty()) << "no direction at all is rest";
}

// A player that joins is sent in full, with its stick.
TEST_F(HistoryTest, NotesNoStickOfWhoHasJustCome) {
  const std::vector joins{PlayerId{2}};
  const std::vector<game::PlayerInput> inputs{{.player = {2}, .input = {.move = 4}}};
  room_->tick({.leaves = {}, .joins = joins, .inputs = inputs});
  EXPECT_TRUE(now().sticks.empty());
  tick();
  EXPECT_TRUE(now().sticks.empty());
  tick({{.player = {2}, .input = {.move = 5}}});
  ASSERT_EQ(now().sticks.size(), 1U);
}

TEST_F(HistoryTest, NotesAShotOnlyWhereABulletComesOfIt) {
  open(8);
  tick({{.player = kA, .input = {.buttons = game::kButtonShoot, .aim = 256}}});
  ASSERT_EQ(now().shots.size(), 1U);
  EXPECT_EQ(now().shots[0].life, life(kA));
  EXPECT_EQ(now().shots[0].aim, 256);
  tick({{.player = kA, .input = kShootRight}});
  EXPECT_TRUE(now().shots.empty()) << "it reloads";
  EXPECT_TRUE(now().births.empty());
}

TEST_F(HistoryTest, NotesABirthWithItsOwner) {
  const Tick before = room_->world().tick;
  tick({{.player = kB, .input = {.buttons = game::kButtonShoot, .aim = 256}}});
  ASSERT_EQ(now().births.size(), 1U);
  EXPECT_EQ(now().births[0].life, life(kB));
  const LifeId bullet = now().births[0].born;
  EXPECT_EQ(room_->history().lives().of(bullet).id, game::bullet_body(kB, room_->world().tick));
  EXPECT_TRUE(are_joined(bullet, life(kB), before));
  EXPECT_FALSE(are_joined(bullet, life(kA), before));
  tick();
  EXPECT_TRUE(now().births.empty());
}

// A shoots at B, which is within the bullet's first tick. The bullet never is in a view.
TEST_F(HistoryTest, LetsAnOwnerAnswerForWhoIsBornAndGoneAtOnce) {
  const Tick before = room_->world().tick;
  tick({{.player = kA, .input = kShootRight}});
  ASSERT_EQ(now().shots.size(), 1U);
  EXPECT_TRUE(now().births.empty());
  EXPECT_TRUE(are_joined(life(kA), life(kB), before));
  EXPECT_FALSE(are_joined(life(kA), crate(), before));
}

TEST_F(HistoryTest, NotesOnceWhereAHitPutSomebody) {
  std::vector<Relocation> put;
  for (int i = 0; i < 60; ++i) {
    tick({{.player = kA, .input = kShootRight}});
    const auto now_put = now().relocations;
    put.insert(put.end(), now_put.begin(), now_put.end());
    if (!put.empty()) break;
  }
  ASSERT_EQ(put.size(), 1U);
  EXPECT_EQ(put[0].life, life(kB));
  EXPECT_EQ(x_of(kB), room_->world().map()->spawn_points[put[0].place].x);
  tick();
  EXPECT_TRUE(now().relocations.empty());
}

TEST_F(HistoryTest, KeepsWhatHappenedInTheTicksBefore) {
  std::vector<std::uint8_t> moves;
  for (std::uint32_t i = 0; i < 3 * protocol::kTicksRemembered; ++i) {
    moves.push_back(static_cast<std::uint8_t>(1 + i % 2));
    tick({{.player = kA, .input = {.move = moves.back()}}});
    for (std::uint32_t ago = 0; ago < std::min(i + 1, protocol::kTicksRemembered - 1); ++ago) {
      const auto then = room_->history().sticks().of({room_->world().tick.value - ago});
      ASSERT_EQ(then.size(), 1U);
      ASSERT_EQ(then[0].move, moves[i - ago]);
    }
  }
}

TEST_F(HistoryTest, ForgetsWhatHappenedLongAgo) {
  do {
    tick({{.player = kA, .input = kShootRight}});
  } while (now().relocations.empty());
  for (std::uint32_t reload = 0; reload < kRate; ++reload) {
    tick();
  }
  tick({{.player = kA, .input = {.move = 1, .buttons = game::kButtonShoot, .aim = 768}}});
  ASSERT_EQ(now().births.size(), 1U);
  for (std::uint32_t i = 0; i < 2 * protocol::kTicksRemembered; ++i) {
    tick();
    EXPECT_TRUE(now().sticks.empty());
    EXPECT_TRUE(now().shots.empty());
    EXPECT_TRUE(now().births.empty());
    EXPECT_TRUE(now().relocations.empty());
  }
}

// A contact from before a view joins nothing for a client that holds this view.
TEST_F(HistoryTest, KnowsIslandsSinceEachBaseAlone) {
  std::vector<Tick> before;
  do {
    before.push_back(room_->world().tick);
    tick({{.player = kA, .input = kShootRight}});
  } while (now().relocations.empty());
  const Tick met = room_->world().tick;
  ASSERT_TRUE(are_joined(life(kA), life(kB), before.back()));
  const std::uint32_t age = base_age_max(kRate);
  while (room_->world().tick - before.back() < age) {
    tick();
    for (const Tick base : before) {
      if (room_->world().tick - base > age) continue;
      ASSERT_TRUE(are_joined(life(kA), life(kB), base));
    }
    for (Tick base = met; base < room_->world().tick; base = base + 1) {
      ASSERT_FALSE(are_joined(life(kA), life(kB), base)) << base.value;
    }
  }
}

/// A history of the room's world with a report for each tick from the test.
class ReportTest : public HistoryTest {
 protected:
  ReportTest() { history_.begin(room_->world(), room_->entities()); }

  /// Whether the report joins A and B.
  bool joins(const sim::StepReport& report) {
    const Tick before = history_.tick();
    world_.tick = before + 1;
    history_.note(world_, room_->entities(), report, {});
    Islands& islands = history_.islands_since(before);
    const Lives& lives = history_.lives();
    return islands.root_of(lives.find(a_)) == islands.root_of(lives.find(b_));
  }

  History history_{base_age_max(kRate)};
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

// A chronicle against a plain list of all notes.

struct Deed {
  LifeId life;
  std::uint32_t number;
};

using Deeds = std::vector<std::pair<Tick, std::uint32_t>>;

constexpr std::uint32_t kTicks = 5 * protocol::kTicksRemembered;

class ChronicleTest : public ::testing::Test {
 protected:
  void begin(std::size_t lives) { chronicle_.begin(tick_ = tick_ + 1, lives); }

  void note(LifeId life) {
    const Deed deed{.life = life, .number = ++number_};
    chronicle_.note(deed);
    if (life != kNoLife) all_.emplace_back(tick_, deed);
  }

  /// Newest first.
  [[nodiscard]] Deeds noted_of(LifeId life, Tick base) const {
    Deeds deeds;
    chronicle_.visit_since(life, base, [&](Tick tick, const Deed& deed) {
      EXPECT_EQ(deed.life, life);
      deeds.emplace_back(tick, deed.number);
    });
    return deeds;
  }

  [[nodiscard]] Deeds all_of(LifeId life, Tick base) const {
    Deeds deeds;
    for (const auto& [tick, deed] : std::views::reverse(all_)) {
      if (deed.life == life && tick > base) deeds.emplace_back(tick, deed.number);
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

  Chronicle<Deed> chronicle_;
  Tick tick_;
  std::uint32_t number_ = 0;
  std::vector<std::pair<Tick, Deed>> all_;
};

TEST_F(ChronicleTest, TellsOfALifeWhatAListOfEverythingTells) {
  Rng rng{1};
  std::size_t told = 0;
  for (std::uint32_t i = 0; i < kTicks; ++i) {
    const std::uint32_t lives = 1 + i / 20;
    begin(lives);
    for (std::uint64_t deeds = rng.below(4); deeds > 0; --deeds) {
      note(static_cast<LifeId>(rng.below(lives)));
    }
    for (const Tick base : bases()) {
      const auto life = static_cast<LifeId>(rng.below(lives));
      const Deeds expected = all_of(life, base);
      ASSERT_EQ(noted_of(life, base), expected) << tick_.value << ", since " << base.value;
      ASSERT_EQ(chronicle_.has_since(life, base), !expected.empty());
      told += expected.size();
    }
  }
  EXPECT_GT(told, 10'000U);
}

TEST_F(ChronicleTest, TellsOfATickWhatWasNotedInIt) {
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
      for (const Deed& deed : chronicle_.of(tick)) {
        told.push_back(deed.number);
      }
      ASSERT_EQ(told, expected) << tick_.value << ", of " << tick.value;
    }
  }
}

TEST_F(ChronicleTest, NotesNothingOfNobody) {
  begin(1);
  note(kNoLife);
  EXPECT_TRUE(chronicle_.of(tick_).empty());
  EXPECT_FALSE(chronicle_.has_since(0, {}));
}

}  // namespace
}  // namespace tickbox::server
