#include "tickbox/fields.h"

#include "games/arena/arena.h"
#include "tests/support/menagerie.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tickbox {
namespace {

TEST(Int, SaturatesAtBothEnds) {
  Int<0, 31> timer = 5;
  timer -= 9;
  EXPECT_EQ(timer, 0);
  timer += 1'000;
  EXPECT_EQ(timer, 31);
  --(timer = 0);
  EXPECT_EQ(timer, 0);
  const Int<-5, 5> low = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(low, -5);
  const Int<-5, 5> high = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(high, 5);
}

TEST(Int, BeginsAtTheValueNearestToZero) {
  EXPECT_EQ((Int<-9, 9>{}), 0);
  EXPECT_EQ((Int<3, 9>{}), 3);
  EXPECT_EQ((Int<-9, -3>{}), -3);
}

TEST(Int, TakesNoMoreMemoryThanItsRangeNeeds) {
  EXPECT_EQ(sizeof(Int<-128, 127>), 1U);
  EXPECT_EQ(sizeof(Int<0, 255>), 1U);
  EXPECT_EQ(sizeof(Int<-1, 255>), 2U);
  EXPECT_EQ(sizeof(Int<0, 65'535>), 4U);
}

TEST(IntDeathTest, NamesTheRangeThatACheckedNumberLeaves) {
  EXPECT_DEATH(static_cast<void>(Int<0, 31>{Checked{40}}), "40 is in the range of Int<0, 31>");
}

TEST(Int, IsComparedWithCheckedNumbers) {
  const Int<0, 31> timer = 6;
  EXPECT_TRUE(timer == Checked{6});
  EXPECT_TRUE(timer < Checked{7});
}

TEST(Int, TakesTheNumbersOfAnotherRange) {
  constexpr Int<0, 9> kSeven = 7;
  constexpr Int<2, 4> kMost = kSeven;
  static_assert(kMost == 4);
  constexpr Int<-5, 31> kSame = kSeven;
  static_assert(kSame == 7);
}

enum class Team : std::uint8_t { None, Red, Blue };

enum Mood : std::int8_t { Calm = -2, Wild = 7 };

// Before, no enum was a number, and no message said how to make it one.
TEST(Int, HoldsTheValuesOfEnums) {
  constexpr Int<0, 2> kTeam = Team::Blue;
  static_assert(kTeam == 2 && kTeam == Team::Blue && Team::Red != kTeam);
  static_assert(static_cast<Team>(kTeam) == Team::Blue);
  constexpr Int<-1, 9> kMood = Calm;
  static_assert(kMood == -1 && kMood != Calm, "it saturates");
  static_assert(Int<-5, 9>{Wild} == Wild && Int<-5, 9>{Calm} == Calm);
  Int<0, 2> team;
  team = Team::Red;
  EXPECT_EQ(team, Team::Red);
  EXPECT_EQ(team == Team::Red ? 1 : +team, 1);
}

TEST(Int, IsAnIndexOfATable) {
  constexpr std::array<int, 4> kTable = {2, 3, 5, 7};
  EXPECT_EQ(kTable[(Int<0, 3>{2}).index()], 5);
}

template <class Value>
constexpr bool kIsIndex = requires(Value value) { value.index(); };

static_assert(kIsIndex<Int<0, 3>> && !kIsIndex<Int<-1, 3>>, "a negative number is no index");

TEST(Array, AnIndexBeyondTheLastMeansTheLast) {
  Array<Int<0, 7>, 3> values;
  values[9] = 5;
  EXPECT_EQ(values[2], 5);
  EXPECT_EQ(values[std::numeric_limits<std::uint64_t>::max()], 5);
}

TEST(Array, ANegativeIndexMeansTheFirst) {
  Array<Int<0, 7>, 3> values;
  values[0] = 3;
  EXPECT_EQ(values[-1], 3);
  EXPECT_EQ(values[std::numeric_limits<std::int64_t>::min()], 3);
}

TEST(Array, AnIntIsAnIndex) {
  Array<Int<0, 7>, 3> values;
  using Place = Int<-5, 9>;
  values[Place{1}] = 6;
  EXPECT_EQ(std::as_const(values)[Place{1}], 6);
  EXPECT_EQ(values[Place{-5}], 0);
}

TEST(GameTable, DescribesEveryField) {
  const TypeInfo& input = games::arena().input;
  std::string text;
  for (const FieldInfo& field : input.fields()) {
    text += std::string{field.name} + ":" + std::to_string(field.bits) + " ";
  }
  EXPECT_EQ(text, "move:4 shoot:1 ray:1 aim:10 ");
  EXPECT_EQ(input.bits, 16U);
  EXPECT_TRUE(input.has_presses);
  EXPECT_FALSE(games::arena().seat.has_presses);
}

TEST(GameTable, FindsTheCallbacksOfEachKind) {
  const GameTable& arena = games::arena();
  ASSERT_EQ(arena.kinds.size(), 3U);
  const KindTable& hero = arena.kinds[0];
  const KindTable& crate = arena.kinds[1];
  const KindTable& bullet = arena.kinds[2];
  EXPECT_TRUE(hero.act != nullptr && hero.ray != nullptr && hero.struck != nullptr);
  EXPECT_TRUE(crate.act != nullptr && bullet.after != nullptr && bullet.wall != nullptr);
  EXPECT_TRUE(bullet.act == nullptr && hero.after == nullptr && crate.wall == nullptr);
  EXPECT_TRUE(bullet.contact[0] != nullptr && bullet.contact[1] != nullptr);
  EXPECT_TRUE(bullet.contact[2] == nullptr && hero.contact[2] == nullptr);
  EXPECT_TRUE(hero.apply[0] != nullptr && crate.apply[0] == nullptr);
}

// The aim to the right is the one by default, so a shot to the right sets one value.
TEST(GameTable, HasTheKeysByFieldAndValue) {
  const GameTable& arena = games::arena();
  std::string text;
  for (const KeyTable& key : arena.keys) {
    if (key.keys != "w+d" && key.keys != "right" && key.keys != "up") continue;
    text += std::string{key.keys} + ":" + std::string{arena.input.fields()[key.field].name} + "=" +
            std::to_string(key.value) + " ";
  }
  EXPECT_EQ(text, "w+d:move=8 right:shoot=1 up:shoot=1 up:aim=768 ");
  EXPECT_EQ(arena.keys.size(), 22U);
}

TEST(GameTable, GamesDifferInTheirHash) {
  EXPECT_NE(games::arena().hash, tests::menagerie().hash);
  // The same declarations give the same hash on every machine: both ends compare it.
  EXPECT_EQ(games::arena().hash, 0x5bfe'cc91'dbe9'babaU);
}

}  // namespace
}  // namespace tickbox
