#include "engine/log/words.h"

#include "tests/support/declared_values.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::engine {
namespace {

struct Chest {
  Int<-5, 9> coins = 2;
  bool is_open = false;
  Press kick;
  Player owner;
  Ref key;
  Array<Int<0, 99>, 3> shelves;
  TICKBOX_FIELDS(Chest, coins, is_open, kick, owner, key, shelves)
};

constexpr TypeInfo kChest = detail::type_info<Chest>();

/// Returns a chest with these values, and the others by default.
std::vector<std::byte> chest(const std::vector<tests::NamedValue>& values) {
  return tests::value_with(kChest, values);
}

TEST(Words, OfAValueThatIsTheDefaultAreNone) {
  EXPECT_EQ(value_in_words(kChest, chest({})), "");
}

TEST(Words, NameTheFieldsThatDifferInTheirOrder) {
  EXPECT_EQ(value_in_words(kChest, chest({{"is_open", 1}, {"coins", -5}})), "coins -5, is_open 1");
  EXPECT_EQ(value_in_words(kChest, chest({{"kick", 1}})), "kick 1");
}

TEST(Words, OfSeatsAndEntitiesAreNumbersOrNobodyAndNone) {
  const auto owned = chest({{"owner", 3}, {"key", 77}});
  EXPECT_EQ(value_in_words(kChest, owned), "owner 3, key 77");
  EXPECT_EQ(changes_in_words(kChest, owned, chest({})), "owner nobody, key none");
}

TEST(Words, OfAChangeAreTheValuesAfterIt) {
  EXPECT_EQ(changes_in_words(kChest, chest({{"coins", 4}, {"is_open", 1}}), chest({{"coins", 5}})),
            "coins 5, is_open 0");
  EXPECT_EQ(changes_in_words(kChest, chest({{"coins", 4}}), chest({{"coins", 4}})), "");
}

TEST(Words, OfAnArrayHaveTheIndex) {
  auto filled = chest({});
  const FieldInfo& shelves = tests::field_of(kChest, "shelves");
  set_value(shelves, 1, 7, filled);
  set_value(shelves, 2, 99, filled);
  EXPECT_EQ(value_in_words(kChest, filled), "shelves[1] 7, shelves[2] 99");
  EXPECT_EQ(name_of(shelves, 2), "shelves[2]");
  EXPECT_EQ(name_of(tests::field_of(kChest, "coins"), 0), "coins");
  EXPECT_EQ(text_of(shelves, 2, filled), "99");
}

}  // namespace
}  // namespace tickbox::engine
