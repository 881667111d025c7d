// Rows outside of a world: each has all that a view has of an entity.

#include "views/rows.h"

#include "engine/declared.h"
#include "games/arena/arena.h"
#include "package/laws/random_match.h"
#include "tests/support/field_game.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::views {
namespace {

namespace field = tests::field;

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 6;

class RowsOfGame : public ::testing::TestWithParam<const GameTable*> {
 protected:
  engine::SharedMap map_ = engine::make_map(*GetParam(), {.seats = kSeats}, kRate);
  laws::RandomMatch match_{*GetParam(), map_, {.seed = 4, .tick_rate = kRate, .seats = kSeats}};
};

TEST_P(RowsOfGame, MakeTheSameRowsInAnotherWorld) {
  const GameTable& game = *GetParam();
  engine::World copy{game, map_, kRate, 4};
  Rows rows;
  Rows again;
  std::size_t avatars = 0;
  for (int tick = 0; tick < 300; ++tick) {
    match_.draw();
    match_.step();
    const engine::World& world = match_.world();
    rows.assign(world);
    copy.clear_rows();
    copy.tick = world.tick;
    std::vector<RowRef> even;
    std::vector<RowRef> odd;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      (i % 2 == 0 ? even : odd).push_back(rows.row(i));
      avatars += is_controlled(rows.head(i).id) ? 1U : 0U;
    }
    ASSERT_TRUE(add_all(copy, even));
    ASSERT_TRUE(add_all(copy, odd)) << "among the others";
    ASSERT_FALSE(add_all(copy, even)) << "twice";
    ASSERT_EQ(copy.size(), world.size());
    again.assign(copy);
    ASSERT_EQ(again.size(), world.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_TRUE(are_equal(game, rows.row(i), again.row(i))) << "tick " << tick << " row " << i;
      ASSERT_EQ(engine::entity_hash(copy, i), engine::entity_hash(world, i));
      ASSERT_EQ(member_hash(copy, i, 7), member_hash(world, i, 7)) << "the input too";
    }
  }
  EXPECT_GT(avatars, 300U);
}

TEST_P(RowsOfGame, AreFoundById) {
  for (int tick = 0; tick < 100; ++tick) {
    match_.draw();
    match_.step();
  }
  Rows rows;
  rows.assign(match_.world());
  ASSERT_GT(rows.size(), 3U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows.index_of(rows.head(i).id), i);
    EXPECT_TRUE(rows.contains(rows.head(i).id));
    EXPECT_FALSE(rows.contains({rows.head(i).id.value ^ 0x80})) << "another count";
  }
  EXPECT_EQ(rows.index_of(sim::kNoBody), rows.size());
  rows.clear();
  EXPECT_TRUE(rows.empty());
  EXPECT_EQ(rows.index_of({}), 0U);
}

INSTANTIATE_TEST_SUITE_P(Games, RowsOfGame, ::testing::Values(&games::arena(), &tests::menagerie()),
                         [](const auto& of) { return std::string{of.param->name}; });

/// The row of a runner of seat 1, and what is changed of it.
class RowTest : public ::testing::Test {
 protected:
  [[nodiscard]] RowRef row() const { return {.head = head_, .state = state_, .input = input_}; }

  [[nodiscard]] RowHead& head() { return head_; }

  [[nodiscard]] bool can_be_added() const {
    engine::World copy = world_;
    const RowRef row = this->row();
    return add_all(copy, {&row, 1});
  }

  engine::World world_{field::game(), engine::make_map(field::game(), {.seats = 4}, kRate), kRate,
                       1};
  RowHead head_{.id = engine::controlled_id(3, {.lineage = 1, .tick = {9}, .count = 0}),
                .min = {2 * kUnit, 3 * kUnit},
                .velocity = {5, -5}};
  std::vector<std::byte> state_ = field::bytes_of(field::Runner{.paint = 8});
  std::vector<std::byte> input_ = field::bytes_of(field::Pad{.x = 1, .y = 0, .shoot = {}});
};

TEST_F(RowTest, AreEqualIfEachValueIs) {
  const RowRef before = row();
  const auto is_other = [&](auto change) {
    RowRef changed = before;
    change(changed.head);
    return !are_equal(field::game(), before, changed);
  };
  EXPECT_FALSE(is_other([](RowHead&) {}));
  EXPECT_TRUE(is_other([](RowHead& it) { it.id.value += 1; }));
  EXPECT_TRUE(is_other([](RowHead& it) { it.carrier = {7}; }));
  EXPECT_TRUE(is_other([](RowHead& it) { it.ignores = {7}; }));
  EXPECT_TRUE(is_other([](RowHead& it) { it.min.y += 1; }));
  EXPECT_TRUE(is_other([](RowHead& it) { it.velocity.x += 1; }));
  EXPECT_TRUE(is_other([](RowHead& it) { it.path_ticks += 1; }));
  EXPECT_TRUE(is_other([](RowHead& it) { it.path = 0; }));
  EXPECT_TRUE(is_other([](RowHead& it) { it.parent = Parent::IgnoredThisTick; }));
  EXPECT_TRUE(is_other([](RowHead& it) { it.is_new = true; }));
  const auto state = field::bytes_of(field::Runner{.paint = 9});
  EXPECT_FALSE(are_equal(field::game(), before, {.head = head_, .state = state, .input = input_}));
  const auto input = field::bytes_of(field::Pad{.x = 1, .y = 1, .shoot = {}});
  EXPECT_FALSE(are_equal(field::game(), before, {.head = head_, .state = state_, .input = input}));
  EXPECT_FALSE(are_equal(field::game(), before, {.head = head_, .state = state_, .input = {}}));
}

TEST_F(RowTest, AnAvatarTakesItsSeatWithItsInput) {
  const RowRef row = this->row();
  ASSERT_TRUE(add_all(world_, {&row, 1}));
  EXPECT_TRUE(world_.has({1}));
  EXPECT_EQ(world_.seats()[1].generation, 3U);
  EXPECT_EQ(world_.avatar_of({1}), 0U);
  EXPECT_TRUE(engine::are_equal(field::game().input, std::as_const(world_).input({1}), input_));
  EXPECT_EQ(world_.infos()[0].owner, Player{1});
}

TEST_F(RowTest, AnAvatarOfASeatThatTheMapHasNotIsRefused) {
  head_.id = engine::controlled_id(1, {.lineage = 3, .tick = {1}, .count = 0});
  EXPECT_TRUE(can_be_added());
  head_.id = engine::controlled_id(1, {.lineage = 4, .tick = {1}, .count = 0});
  EXPECT_FALSE(can_be_added());
}

// Every Press is up between ticks.
TEST_F(RowTest, AnAvatarWhosePressIsDownIsRefused) {
  input_ = field::bytes_of(field::Pad{.x = 0, .y = 0, .shoot = {true}});
  EXPECT_FALSE(can_be_added());
}

// A replay would spawn the same id.
TEST_F(RowTest, AnEntityOfALaterTickIsRefused) {
  input_.clear();
  world_.tick = {50};
  head_.id =
      engine::spawned_id(engine::IdClass::ByEntity, {.lineage = 1, .tick = {50}, .count = 0});
  EXPECT_TRUE(can_be_added());
  head_.id =
      engine::spawned_id(engine::IdClass::ByEntity, {.lineage = 1, .tick = {51}, .count = 0});
  EXPECT_FALSE(can_be_added());
  head_.id = engine::wall_id(1);
  EXPECT_FALSE(can_be_added()) << "a wall is no entity";
}

TEST_F(RowTest, ABodyThatThePhysicsCannotHaveIsRefused) {
  head_.velocity.x = INT32_MAX;
  EXPECT_FALSE(can_be_added());
  head_.velocity.x = 0;
  head_.min.x = INT32_MAX;
  EXPECT_FALSE(can_be_added());
}

TEST(Rows, BeginWithAnotherGameAndDropTheirRows) {
  laws::RandomMatch match{tests::menagerie(),
                          engine::make_map(tests::menagerie(), {.seats = kSeats}, kRate),
                          {.seed = 1, .tick_rate = kRate, .seats = kSeats}};
  Rows rows;
  rows.assign(match.world());
  EXPECT_FALSE(rows.empty());
  EXPECT_EQ(&rows.game(), &tests::menagerie());
  rows.begin(field::game());
  EXPECT_TRUE(rows.empty());
  EXPECT_EQ(&rows.game(), &field::game());
}

TEST(Rows, TheOwnerIsThePlayerWhoseLineageTheIdHas) {
  EXPECT_EQ(owner_of(engine::controlled_id(1, {.lineage = 5, .tick = {1}, .count = 2})), Player{5});
  const auto by_entity = [](std::uint32_t lineage) {
    return engine::spawned_id(engine::IdClass::ByEntity,
                              {.lineage = lineage, .tick = {1}, .count = 0});
  };
  EXPECT_EQ(owner_of(by_entity(4'095)), Player{4'095});
  EXPECT_EQ(owner_of(by_entity(4'096)), Player{});
}

}  // namespace
}  // namespace tickbox::views
