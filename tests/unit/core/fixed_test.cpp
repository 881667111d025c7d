// Distances in sub-units.

#include "core/fixed.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tickbox {
namespace {

TEST(AxisDistance, IsTheLargerOfTwoDistances) {
  EXPECT_EQ(axis_distance({1, 2}, {4, -6}), 8);
  EXPECT_EQ(axis_distance({-9, 2}, {4, 2}), 13);
  EXPECT_EQ(axis_distance({-kWorldLimit, 0}, {kWorldLimit, 0}), 2 * std::int64_t{kWorldLimit});
}

}  // namespace
}  // namespace tickbox
