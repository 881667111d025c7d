#include "tickbox/game.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace tickbox {
namespace {

TEST(Directions, FollowTheCircle) {
  constexpr std::int32_t kLength = 218'453;
  for (std::int32_t direction = 0; direction < kDirections; ++direction) {
    const double angle = direction * 2 * std::numbers::pi / kDirections;
    const Vec2 vector = aimed(direction, kLength);
    EXPECT_NEAR(vector.x, kLength * std::cos(angle), 3) << direction;
    EXPECT_NEAR(vector.y, kLength * std::sin(angle), 3) << direction;
  }
}

TEST(Directions, MirrorExactly) {
  for (std::int32_t direction = 0; direction < kDirections; ++direction) {
    const Vec2 vector = aimed(direction, 99'999);
    const Vec2 opposite = aimed(direction + kDirections / 2, 99'999);
    EXPECT_EQ(opposite, (Vec2{-vector.x, -vector.y}));
    const Vec2 flipped = aimed(kDirections - direction, 99'999);
    EXPECT_EQ(flipped, (Vec2{vector.x, -vector.y}));
  }
}

}  // namespace
}  // namespace tickbox
