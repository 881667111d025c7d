#include "game/view_difference.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tickbox::game {
namespace {

EntityState crate(std::uint32_t number) {
  return {.id = crate_body(number),
          .min = {.x = 100, .y = -200},
          .velocity = {.x = 3, .y = -4},
          .traits = {.kind = EntityKind::Crate, .move = 5, .timer = 6}};
}

TEST(ViewDifference, IsNothingOfTheSame) {
  const std::vector view{crate(1), crate(2)};
  EXPECT_FALSE(compare_views(view, view));
  EXPECT_FALSE(compare_views({}, {}));
}

// Every field that is hashed, by its own name and with both values.
TEST(ViewDifference, NamesEachField) {
  const std::vector expected{crate(1), crate(2), crate(3)};
  std::size_t fields = 0;
  EntityState probe = crate(2);
  for_each_field(probe, [&](std::string_view name, auto& value) {
    ++fields;
    if (name == "id") return;
    std::vector got = expected;
    value = static_cast<std::remove_reference_t<decltype(value)>>(2);
    got[1] = probe;
    probe = crate(2);
    const auto difference = compare_views(expected, got);
    ASSERT_TRUE(difference) << name;
    EXPECT_EQ(difference->entities, 1U);
    EXPECT_EQ(difference->fields, 1U);
    EXPECT_EQ(difference->first, crate_body(2));
    ASSERT_EQ(difference->first_fields.size(), 1U);
    EXPECT_EQ(difference->first_fields[0].field, name);
    EXPECT_EQ(difference->first_fields[0].got, 2);
    EXPECT_NE(difference->first_fields[0].expected, 2);
  });
  EXPECT_EQ(fields, kEntityFields);
}

TEST(ViewDifference, CountsAllAndNamesTheLowest) {
  const std::vector expected{crate(1), crate(2), crate(3), crate(5)};
  std::vector got{crate(1), crate(2), crate(3), crate(4)};
  got[1].velocity.y = 9;
  got[1].min.x = -1;
  got[2].traits.timer = 0;
  const auto difference = compare_views(expected, got);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->entities, 4U) << "2, 3, and of 4 and 5 each side has one";
  EXPECT_EQ(difference->fields, 5U);
  EXPECT_EQ(difference->first, crate_body(2));
  ASSERT_EQ(difference->first_fields.size(), 2U);
  EXPECT_EQ(difference->first_fields[0], (FieldDifference{"x", 100, -1}));
  EXPECT_EQ(difference->first_fields[1], (FieldDifference{"vy", -4, 9}));
}

TEST(ViewDifference, SaysWhoIsAbsent) {
  const std::vector both{crate(1), crate(2)};
  const std::vector one{crate(2)};
  const std::int64_t id = crate_body(1).value;
  const auto lost = compare_views(both, one);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->first_fields[0], (FieldDifference{"id", id, std::nullopt}));
  const auto extra = compare_views(one, both);
  ASSERT_TRUE(extra);
  EXPECT_EQ(extra->first_fields[0], (FieldDifference{"id", std::nullopt, id}));
  EXPECT_EQ(extra->entities, 1U);
  EXPECT_EQ(compare_views({}, both)->entities, 2U);
  EXPECT_EQ(compare_views(both, {})->fields, 2U);
}

}  // namespace
}  // namespace tickbox::game
