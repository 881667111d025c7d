#include "server/interest.h"

#include "core/fixed.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tickbox::server {
namespace {

constexpr std::int64_t kHalfWidth = std::int64_t{kViewHalfWidthUnits} * kUnit;
constexpr std::int64_t kHalfHeight = std::int64_t{kViewHalfHeightUnits} * kUnit;
constexpr std::int64_t kHysteresis = std::int64_t{kViewHysteresisUnits} * kUnit;

}  // namespace

std::int64_t distance(Vec2 a, Vec2 b) {
  return std::max(std::abs(std::int64_t{a.x} - b.x), std::abs(std::int64_t{a.y} - b.y));
}

bool stays_in_sight(Vec2 centre, Vec2 place) {
  return std::abs(std::int64_t{place.x} - centre.x) <= kHalfWidth + kHysteresis &&
         std::abs(std::int64_t{place.y} - centre.y) <= kHalfHeight + kHysteresis;
}

void Interest::look(const Room& room) {
  entities_ = room.entities();
  by_x_.clear();
  for (std::uint32_t i = 0; i < entities_.size(); ++i) {
    by_x_.push_back({.x = entities_[i].min.x, .index = i});
  }
  std::ranges::sort(by_x_, {},
                    [](const Column& column) { return std::tuple{column.x, column.index}; });
}

std::span<const std::uint32_t> Interest::seen_from(Vec2 centre) {
  seen_.clear();
  const auto first =
      std::ranges::lower_bound(by_x_, std::int64_t{centre.x} - kHalfWidth, {}, &Column::x);
  for (auto it = first; it != by_x_.end() && it->x <= std::int64_t{centre.x} + kHalfWidth; ++it) {
    if (std::abs(std::int64_t{entities_[it->index].min.y} - centre.y) <= kHalfHeight) {
      seen_.push_back(it->index);
    }
  }
  std::ranges::sort(seen_);
  return seen_;
}

}  // namespace tickbox::server
