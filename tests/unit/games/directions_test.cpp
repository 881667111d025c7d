#include "games/arena/directions.h"

#include "game/input.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace tickbox::game {
namespace {

TEST(Directions, FollowTheCircle) {
  constexpr std::int32_t kLength = 218'453;
  for (std::uint16_t direction = 0; direction < kAimDirections; ++direction) {
    const double angle = direction * 2 * std::numbers::pi / kAimDirections;
    const Vec2 vector = aimed(direction, kLength);
    EXPECT_NEAR(vector.x, kLength * std::cos(angle), 3) << direction;
    EXPECT_NEAR(vector.y, kLength * std::sin(angle), 3) << direction;
  }
}

TEST(Directions, MirrorExactly) {
  for (std::uint16_t direction = 0; direction < kAimDirections; ++direction) {
    const Vec2 vector = aimed(direction, 99'999);
    const Vec2 opposite = aimed(
        static_cast<std::uint16_t>((direction + kAimDirections / 2) % kAimDirections), 99'999);
    EXPECT_EQ(opposite, (Vec2{-vector.x, -vector.y}));
    const auto flipped = static_cast<std::uint16_t>((kAimDirections - direction) % kAimDirections);
    EXPECT_EQ(aimed(flipped, 99'999), (Vec2{vector.x, -vector.y}));
  }
}

}  // namespace
}  // namespace tickbox::game
