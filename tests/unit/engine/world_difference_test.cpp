#include "core/rng.h"
#include "engine/declared.h"
#include "engine/keyframe.h"
#include "engine/log/words.h"
#include "package/laws/random_match.h"
#include "tests/support/menagerie.h"
#include "tests/unit/engine/yard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace tickbox::engine::world_difference_test {
namespace {

constexpr std::uint32_t kRate = 60;

/// Two copies of a room of the yard with a walker of seat 0 and one of seat 2.
class WorldDifferenceTest : public ::testing::Test {
 protected:
  WorldDifferenceTest() {
    const std::vector<Join> joins{{.player = {0}, .user_data = "red"},
                                  {.player = {2}, .user_data = "red"}};
    Stepper stepper;
    TickRecord record;
    stepper.step(expected_, {.leaves = {}, .joins = joins, .inputs = {}}, record);
    got_ = expected_;
  }

  [[nodiscard]] std::string text() const {
    const auto difference = compare_worlds(expected_, got_);
    return difference ? to_text(*difference) : "";
  }

  void set(std::size_t row, std::string_view name, std::int64_t value) {
    for (const FieldInfo& field : got_.kind_of(row).type.fields()) {
      if (field.name == name) set_value(field, 0, value, got_.state(row));
    }
  }

  /// "Walked #17" with the id of a row.
  [[nodiscard]] std::string walker(std::size_t row) const {
    return "Walked #" + std::to_string(expected_.id(row).value);
  }

  World expected_{tests::yard(), make_map(tests::yard(), {.seats = 4}, kRate), kRate, 1};
  World got_ = expected_;
};

TEST_F(WorldDifferenceTest, IsNothingForEqualWorlds) {
  EXPECT_FALSE(compare_worlds(expected_, got_));
}

TEST_F(WorldDifferenceTest, NamesTheFirstEntityAndItsFields) {
  set(1, "kicks", 3);
  got_.change_body(1, [](sim::Body& body) { body.min.x += 5; });
  EXPECT_EQ(text(), walker(1) + " x: expected 131072, got 131077");
  const auto difference = compare_worlds(expected_, got_);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->entity, expected_.id(1));
  EXPECT_EQ(difference->entities, 1U);
  EXPECT_EQ(difference->fields, 2U);
  EXPECT_EQ(difference->others, 0U);
  EXPECT_EQ(difference->first_fields,
            (std::vector<FieldDifference>{{.field = "x", .expected = "131072", .got = "131077"},
                                          {.field = "kicks", .expected = "0", .got = "3"}}));
}

TEST_F(WorldDifferenceTest, CountsTheOtherEntities) {
  set(0, "kicks", 4);
  set(1, "kicks", 3);
  set(1, "farewells", 1);
  const auto difference = compare_worlds(expected_, got_);
  ASSERT_TRUE(difference);
  EXPECT_EQ(to_text(*difference), walker(0) + " kicks: expected 0, got 4");
  EXPECT_EQ(difference->entities, 2U);
  EXPECT_EQ(difference->fields, 3U);
  EXPECT_EQ(difference->first_fields.size(), 1U);
}

TEST_F(WorldDifferenceTest, NamesAnEntityThatOnlyOneWorldHas) {
  const std::vector<std::uint8_t> marked{1, 0};
  got_.remove_marked(marked);
  const std::string id = std::to_string(expected_.id(0).value);
  EXPECT_EQ(text(), "Walked #" + id + " id: expected " + id + ", got absent");
  std::swap(expected_, got_);
  EXPECT_EQ(text(), "Walked #" + id + " id: expected absent, got " + id);
}

TEST_F(WorldDifferenceTest, HasWordsForNone) {
  set(0, "friend_of", 17);
  EXPECT_EQ(text(), walker(0) + " friend_of: expected none, got 17");
}

TEST_F(WorldDifferenceTest, ComparesWhatOnlySomeEntitiesHave) {
  const auto with = [this](const std::function<void(RowInfo&, sim::Body&)>& change) {
    got_ = expected_;
    got_.change_body(0, [&](sim::Body& body) { change(got_.infos()[0], body); });
    return text().substr(walker(0).size() + 1);
  };
  using Body = sim::Body;
  EXPECT_EQ(with([](RowInfo& info, Body&) { info.parent = Parent::IgnoredUntilApart; }),
            "parent: expected 0, got 2");
  EXPECT_EQ(with([](RowInfo& info, Body&) { info.is_new = true; }), "is_new: expected 0, got 1");
  EXPECT_EQ(with([](RowInfo&, Body& body) { body.velocity.y = -3; }), "vy: expected 0, got -3");
  expected_.infos()[0].parent = Parent::IgnoredUntilApart;
  EXPECT_EQ(with([](RowInfo&, Body& body) { body.ignores = {5}; }),
            "ignores: expected none, got 5");
  EXPECT_EQ(with([](RowInfo&, Body& body) { body.path = 1; }), "path: expected 65535, got 1");
  EXPECT_EQ(with([](RowInfo&, Body& body) { body.path_ticks = 7; }),
            "path_ticks: expected 0, got 7");
  expected_.change_body(0, [](Body& body) { body.kind = sim::Kind::Dynamic; });
  EXPECT_EQ(with([](RowInfo&, Body& body) { body.carrier = {5}; }),
            "carrier: expected none, got 5");
}

TEST_F(WorldDifferenceTest, FindsWhatIsNoEntity) {
  const auto with = [this](const std::function<void()>& change) {
    got_ = expected_;
    change();
    const auto difference = compare_worlds(expected_, got_);
    EXPECT_TRUE(difference && difference->entities == 0 && !difference->entity &&
                difference->others > 0);
    return text();
  };
  const FieldInfo& coins = tests::yard().seat.fields()[0];
  const FieldInfo& walk = tests::yard().input.fields()[0];
  EXPECT_EQ(with([&] { got_.seats()[2].generation = 9; }), "seat 2 generation: expected 1, got 9");
  EXPECT_EQ(with([&] { got_.seats()[2].focus = {}; }).substr(0, 22), "seat 2 focus: expected");
  EXPECT_EQ(with([&] { set_value(coins, 0, 7, got_.seat_state({2})); }),
            "seat 2 coins: expected 0, got 7");
  EXPECT_EQ(with([&] { set_value(walk, 0, -1, got_.input({0})); }),
            "seat 0 input.walk: expected 0, got -1");
  EXPECT_EQ(with([&] { set_value(coins, 0, 7, got_.room()); }), "room coins: expected 0, got 7");
  EXPECT_EQ(with([&] { got_.tick = {9}; }), "tick: expected 1, got 9");
  EXPECT_EQ(with([&] { got_.next_lineage = 5'000; }), "next_lineage: expected 4096, got 5000");
  EXPECT_EQ(with([&] { got_.random = Rng{255}; }),
            "random: expected 0000000000000001, got 00000000000000ff");
}

TEST_F(WorldDifferenceTest, ComparesOnlyTheChosenEntities) {
  set(0, "kicks", 4);
  set(1, "kicks", 3);
  const auto difference =
      compare_entities(expected_, got_, [&](BodyId id) { return id != expected_.id(0); });
  ASSERT_TRUE(difference);
  EXPECT_EQ(to_text(*difference), walker(1) + " kicks: expected 0, got 3");
}

// Two worlds have no difference exactly if they have one hash.
TEST(WorldDifference, FindsWhatTheHashFinds) {
  laws::RandomMatch match{tests::menagerie(),
                          make_map(tests::menagerie(), {.seats = 6}, kRate),
                          {.seed = 5, .tick_rate = kRate, .seats = 6}};
  std::vector<std::byte> bytes;
  std::set<std::string> fields;
  for (int tick = 0; tick < 300; ++tick) {
    const World before = match.world();
    match.draw();
    match.step();
    const auto difference = compare_worlds(before, match.world());
    ASSERT_TRUE(difference);
    for (const FieldDifference& field : difference->first_fields) {
      fields.insert(field.field);
    }
    encode_keyframe(match.world(), bytes);
    const auto keyframe = decode_keyframe(bytes, match.world());
    ASSERT_TRUE(keyframe);
    ASSERT_FALSE(compare_worlds(keyframe->world, match.world())) << "tick " << tick;
    if (match.world().size() == 0) continue;
    World other = match.world();
    other.change_body(static_cast<std::size_t>(tick) % other.size(),
                      [](sim::Body& body) { body.min.y += 1; });
    ASSERT_NE(state_hash(other), state_hash(match.world()));
    ASSERT_TRUE(compare_worlds(match.world(), other));
    other = match.world();
    RowInfo& info = other.infos()[0];
    info.kind = static_cast<std::uint8_t>((info.kind + 1U) % other.game().kinds.size());
    ASSERT_EQ(compare_worlds(match.world(), other)->first_fields[0].field, "kind");
  }
  for (const char* field : {"id", "x", "vy"}) {
    EXPECT_TRUE(fields.contains(field)) << field;
  }
}

}  // namespace
}  // namespace tickbox::engine::world_difference_test
