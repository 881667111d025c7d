#include "core/bounded.h"

#include <gtest/gtest.h>

namespace tickbox {
namespace {

TEST(BoundedVector, KeepsTheOrderWhenOneIsErased) {
  BoundedVector<int, 4> numbers;
  for (const int number : {1, 2, 3, 4}) {
    numbers.push_back(number);
  }
  EXPECT_TRUE(numbers.full());
  numbers.erase_at(1);
  ASSERT_EQ(numbers.size(), 3U);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[1], 3);
  EXPECT_EQ(numbers[2], 4);
}

TEST(BoundedVectorDeath, AssertsItsCapacity) {
  BoundedVector<int, 1> numbers;
  numbers.push_back(1);
  EXPECT_DEATH(numbers.push_back(2), "assertion failed: !full\\(\\)");
  EXPECT_DEATH(static_cast<void>(numbers[1]), "assertion failed: index < size_");
}

}  // namespace
}  // namespace tickbox
