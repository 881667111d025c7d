// Snapshots whose replay would take much longer than the replay of any that a server sends.

#include "client/match/snapshot_world.h"
#include "engine/declared.h"
#include "tests/support/content_bits.h"
#include "tests/support/declared_values.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace tickbox::server {
namespace {

constexpr Tick kBase{100};

/// A client that holds a view of many walkers of one player.
class HostileReplayTest : public ::testing::Test {
 protected:
  /// `apart`: from one walker to the next, along x.
  void hold(std::uint32_t walkers, std::int64_t hurt, std::int32_t apart) {
    const TypeInfo& type = game_.kinds[game_.avatar].type;
    const std::vector<std::byte> state = tests::value_with(type, {{"hurt", hurt}});
    views::Rows rows{game_};
    for (std::uint32_t i = 0; i < walkers; ++i) {
      const BodyId id =
          engine::controlled_id(1, {.lineage = 0, .tick = {i / 256}, .count = i % 256});
      const Vec2 place{kUnit + static_cast<std::int32_t>(i) % 20 * apart,
                       5 * kUnit - static_cast<std::int32_t>(i) / 20 * apart / 2};
      rows.add(
          {.head = {.id = id, .min = place, .velocity = {}}, .state = state, .input = input()});
    }
    const std::vector<std::byte> content = tests::full_content(rows, kBase, {});
    client::ViewHead head{.tick = kBase};
    const auto refused = world_.apply(head, content);
    ASSERT_TRUE(!refused && refused.error().wrong);
    head.view_hash = refused.error().wrong->client_hash;
    ASSERT_TRUE(world_.apply(head, content));
  }

  [[nodiscard]] const std::vector<std::byte>& input() const { return input_; }

  void expect_malformed(const std::vector<std::byte>& content, std::uint64_t steps_max) {
    const auto view = world_.apply({.tick = kBase + 60, .base_age = 60, .view_hash = 0}, content);
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().reason, net::DropReason::Malformed);
    EXPECT_FALSE(view.error().wrong);
    EXPECT_LE(world_.steps(), steps_max);
  }

  const GameTable& game_ = tests::menagerie();
  engine::Stepper stepper_;
  client::SnapshotWorld world_{
      {game_, engine::make_map(game_, {.seats = 6}, 60), 60, 1}, Player{0}, stepper_};
  std::vector<std::byte> input_ = tests::value_with(game_.input, {});
};

// All walkers lay a bomb in each tick. Before the fix, the world grew without a limit, and the
// replay took 45 s.
TEST_F(HostileReplayTest, MoreBodiesThanAViewHoldsAreRefused) {
  constexpr std::uint32_t kWalkers = 400;
  ASSERT_NO_FATAL_FAILURE(hold(kWalkers, 0, kUnit));
  const std::vector<std::byte> pressed = tests::value_with(game_.input, {{"bomb", 1}});
  std::vector<std::byte> content;
  {
    engine::BitWriter out{content};
    views::write_head(views::index_bits(kWalkers), {.inputs = true}, out);
    for (int tick = 0; tick < 60; ++tick) {
      out.write(1, 1);
      out.write(0, views::index_bits(kWalkers));
      engine::pack_change(game_.input, input(), pressed, out);
      out.write(0, 1);
    }
  }
  expect_malformed(content, 3);
}

// Walkers that are hurt pass through each other. When they are well again, they are all in one
// place. The rules of a game may do this.
TEST_F(HostileReplayTest, APileThatRulesMakeIsReplayed) {
  ASSERT_NO_FATAL_FAILURE(hold(400, 5, 0));
  const auto view = world_.apply({.tick = kBase + 60, .base_age = 60, .view_hash = 0}, {});
  ASSERT_FALSE(view);
  EXPECT_TRUE(view.error().wrong) << "another hash alone";
  EXPECT_EQ(world_.steps(), 60U);
}

// A thousand bodies in one place, of which each looks at all others in each tick. Before there was
// a limit, each such view took seconds.
TEST_F(HostileReplayTest, APileBeyondTheLimitOfWorkIsNotReplayed) {
  ASSERT_NO_FATAL_FAILURE(hold(1'000, 5, 0));
  stepper_.limit({.searches = 32'000'000});
  expect_malformed({}, 12);
  EXPECT_TRUE(stepper_.gave_up());
  const std::uint64_t steps = world_.steps();
  expect_malformed({}, steps + 1);
  stepper_.limit({});
  const auto view = world_.apply({.tick = kBase + 1, .base_age = 1, .view_hash = 0}, {});
  ASSERT_FALSE(view);
  EXPECT_TRUE(view.error().wrong) << "it is stepped, and compared";
}

}  // namespace
}  // namespace tickbox::server
