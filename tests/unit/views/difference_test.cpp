#include "engine/declared.h"
#include "tests/support/field_game.h"
#include "views/view_state.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace tickbox::views {
namespace {

namespace field = tests::field;

using Bytes = std::vector<std::byte>;

/// A runner of seat 1 and two crates, once as expected and once as got.
class ViewDifferenceTest : public ::testing::Test {
 protected:
  static BodyId runner_id() {
    return engine::controlled_id(1, {.lineage = 1, .tick = {2}, .count = 0});
  }

  static BodyId crate_id(std::uint32_t i) {
    return engine::spawned_id(engine::IdClass::ByServer,
                              {.lineage = engine::kSeatsMax + i, .tick = {1}, .count = 0});
  }

  struct Changes {
    RowHead runner{.id = runner_id(), .kind = 0};
    field::Runner state{.paint = 2};
    field::Pad input{};
    std::uint32_t crates = 2;
  };

  static ViewState view_of(const Changes& changes) {
    const GameTable& game = field::game();
    ViewState view{.rows = Rows{game}, .room = Bytes(game.room.bytes)};
    game.room.write_default(view.room.data());
    const Bytes state = field::bytes_of(changes.state);
    const Bytes input = field::bytes_of(changes.input);
    view.rows.add({.head = changes.runner, .state = state, .input = input});
    const Bytes crate(game.kinds[1].type.bytes);
    for (std::uint32_t i = 0; i < changes.crates; ++i) {
      view.rows.add({.head = {.id = crate_id(i), .kind = 1}, .state = crate, .input = {}});
    }
    return view;
  }

  static std::optional<engine::WorldDifference> with(const std::function<void(Changes&)>& change) {
    Changes changes;
    change(changes);
    return compare_views(view_of({}), view_of(changes));
  }

  static std::string text_with(const std::function<void(Changes&)>& change) {
    const auto difference = with(change);
    return difference ? to_text(*difference) : "";
  }

  static std::string runner() { return "Runner #" + std::to_string(runner_id().value) + " "; }
};

TEST_F(ViewDifferenceTest, IsNothingForEqualViews) {
  EXPECT_FALSE(with([](Changes&) {}));
}

TEST_F(ViewDifferenceTest, NamesEachFieldOfARow) {
  EXPECT_EQ(text_with([](Changes& it) { it.runner.min.x = 5; }), runner() + "x: expected 0, got 5");
  EXPECT_EQ(text_with([](Changes& it) { it.runner.velocity.y = -5; }),
            runner() + "vy: expected 0, got -5");
  EXPECT_EQ(text_with([](Changes& it) { it.runner.is_new = true; }),
            runner() + "is_new: expected 0, got 1");
  EXPECT_EQ(text_with([](Changes& it) { it.runner.carrier = {7}; }),
            runner() + "carrier: expected none, got 7");
  EXPECT_EQ(text_with([](Changes& it) { it.runner.path = 7; }),
            runner() + "path: expected 65535, got 7");
  EXPECT_EQ(text_with([](Changes& it) { it.runner.path_ticks = 7; }),
            runner() + "path_ticks: expected 0, got 7");
  EXPECT_EQ(text_with([](Changes& it) {
              it.runner.parent = Parent::IgnoredUntilApart;
              it.runner.ignores = {7};
            }),
            runner() + "parent: expected 0, got 2");
  EXPECT_EQ(text_with([](Changes& it) { it.state.paint = 1; }),
            runner() + "paint: expected 2, got 1");
}

TEST_F(ViewDifferenceTest, NamesTheInputThatAnAvatarsPlayerHolds) {
  EXPECT_EQ(text_with([](Changes& it) { it.input.x = 1; }),
            runner() + "input.x: expected 0, got 1");
}

TEST_F(ViewDifferenceTest, CountsEntitiesAndFields) {
  const auto difference = with([](Changes& it) {
    it.runner.min = {5, 6};
    it.crates = 1;
  });
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->entity, runner_id());
  EXPECT_EQ(difference->entities, 2U);
  EXPECT_EQ(difference->fields, 3U);
  EXPECT_EQ(difference->others, 0U);
  EXPECT_EQ(difference->first_fields.size(), 2U);
}

TEST_F(ViewDifferenceTest, NamesAMemberThatOnlyOneViewHas) {
  const std::string id = std::to_string(crate_id(1).value);
  EXPECT_EQ(text_with([](Changes& it) { it.crates = 1; }),
            "Crate #" + id + " id: expected " + id + ", got absent");
  const std::string third = std::to_string(crate_id(2).value);
  EXPECT_EQ(text_with([](Changes& it) { it.crates = 3; }),
            "Crate #" + third + " id: expected absent, got " + third);
}

TEST_F(ViewDifferenceTest, HasTheRoomBehindTheEntities) {
  const FieldInfo& first = field::game().room.fields()[0];
  ViewState got = view_of({});
  engine::set_value(first, 0, first.max, got.room);
  const auto difference = compare_views(view_of({}), got);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->subject, "room");
  EXPECT_EQ(difference->entities, 0U);
  EXPECT_EQ(difference->others, 1U);
  EXPECT_EQ(difference->first_fields[0].field, first.name);
}

}  // namespace
}  // namespace tickbox::views
