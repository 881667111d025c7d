// Defines aimed(): unit vectors in whole numbers.

#include "core/assert.h"
#include "core/fixed.h"
#include "tickbox/game.h"

#include <array>
#include <cstddef>

namespace tickbox {
namespace {

constexpr std::size_t kQuarter = kDirections / 4;
constexpr std::int64_t kOne = std::int64_t{1} << 30;
constexpr std::int64_t kHalfPi = 1'686'629'713;  // π/2 · 2^30

/// Returns the Taylor series of a sine or cosine of x in [0, π/4], in 30 binary digits: `first`,
/// then each term from the one before, with the factor x² / (n (n + 1)). The error is far below the
/// resolution of the table's 16 digits.
constexpr std::int64_t series(std::int64_t first, std::int64_t n, std::int64_t x) {
  const std::int64_t square = x * x / kOne;
  std::int64_t term = first;
  std::int64_t sum = first;
  for (; n <= 12; n += 2) {
    term = -(term * square / kOne) / (n * (n + 1));
    sum += term;
  }
  return sum;
}

/// The sines of the first quarter turn, both ends included, in 1/65,536.
constexpr std::array<std::int32_t, kQuarter + 1> kSines = [] {
  std::array<std::int32_t, kQuarter + 1> table{};
  for (std::size_t i = 0; i <= kQuarter; ++i) {
    const bool lower_half = i <= kQuarter / 2;
    const auto steps = static_cast<std::int64_t>(lower_half ? i : kQuarter - i);
    const std::int64_t angle = kHalfPi * steps / static_cast<std::int64_t>(kQuarter);
    const std::int64_t value = lower_half ? series(angle, 2, angle) : series(kOne, 1, angle);
    table[i] = static_cast<std::int32_t>((value + (1 << 13)) >> 14);
  }
  return table;
}();
static_assert(kSines.front() == 0 && kSines.back() == 65'536 && kSines[kQuarter / 3] == 32'652);

std::int32_t scaled(std::int32_t sine_of_angle, std::int32_t length) {
  return static_cast<std::int32_t>((std::int64_t{sine_of_angle} * length + (1 << 15)) >> 16);
}

}  // namespace

Vec2 aimed(std::int32_t direction, std::int32_t length) {
  TICKBOX_ASSERT(length >= 0 && length <= kSpeedLimit);
  const std::size_t turned = static_cast<std::uint32_t>(direction) % kDirections;
  const std::size_t within = turned % kQuarter;
  const std::int32_t along = scaled(kSines[kQuarter - within], length);
  const std::int32_t across = scaled(kSines[within], length);
  switch (turned / kQuarter) {
    case 0:
      return {along, across};
    case 1:
      return {-across, along};
    case 2:
      return {-along, -across};
    default:
      return {across, -along};
  }
}

}  // namespace tickbox
