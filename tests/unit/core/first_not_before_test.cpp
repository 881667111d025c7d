// The binary search without branches.

#include "core/processor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

namespace tickbox {
namespace {

TEST(FirstNotBefore, FindsWhatLowerBoundFinds) {
  for (int size = 0; size < 40; ++size) {
    std::vector<int> values;
    for (int i = 0; i < size; ++i) {
      values.push_back(3 * i + i / 5);
    }
    for (int sought = -1; sought < 3 * size + 10; ++sought) {
      const auto expected = std::ranges::lower_bound(values, sought) - values.begin();
      EXPECT_EQ(first_not_before(std::span<const int>{values}, sought),
                static_cast<std::size_t>(expected))
          << size << " values, " << sought;
    }
  }
}

}  // namespace
}  // namespace tickbox
