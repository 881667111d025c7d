#include "client/presentation/easing.h"

#include <algorithm>
#include <cmath>

namespace tickbox::client {

void Easing::add(Vec2 was, Vec2 is, Instant now) {
  constexpr double kMost = double{kEasedUnitsMax} * kUnit;
  const double share = left(now);
  x_ = x_ * share + was.x - is.x;
  y_ = y_ * share + was.y - is.y;
  since_ = now;
  if (std::max(std::abs(x_), std::abs(y_)) > kMost) cut();
}

Vec2 Easing::offset(Instant now) const {
  const double share = left(now);
  return {.x = static_cast<std::int32_t>(std::lround(x_ * share)),
          .y = static_cast<std::int32_t>(std::lround(y_ * share))};
}

double Easing::left(Instant now) const {
  const std::chrono::duration<double> passed = std::max(Duration::zero(), now - since_);
  return std::exp2(-(passed / std::chrono::duration<double>{kEasingHalf}));
}

}  // namespace tickbox::client
