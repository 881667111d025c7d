#include "server/interest.h"

#include "core/fixed.h"
#include "net/messages.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tickbox::server {
namespace {

constexpr std::int32_t kHalfWidth = kViewHalfWidthUnits * kUnit;
constexpr std::int32_t kHalfHeight = kViewHalfHeightUnits * kUnit;

std::int64_t distance(Vec2 a, Vec2 b) {
  return std::max(std::abs(std::int64_t{a.x} - b.x), std::abs(std::int64_t{a.y} - b.y));
}

}  // namespace

void Interest::look(const Room& room) {
  entities_ = room.entities();
  by_x_.clear();
  for (std::uint32_t i = 0; i < entities_.size(); ++i) {
    by_x_.push_back({.x = entities_[i].min.x, .index = i});
  }
  std::ranges::sort(by_x_, {},
                    [](const Column& column) { return std::tuple{column.x, column.index}; });
}

std::span<const std::uint32_t> Interest::view_of(std::uint32_t own) {
  const Vec2 centre = entities_[own].min;
  view_.clear();
  const auto first =
      std::ranges::lower_bound(by_x_, std::int64_t{centre.x} - kHalfWidth, {}, &Column::x);
  for (auto it = first; it != by_x_.end() && it->x <= std::int64_t{centre.x} + kHalfWidth; ++it) {
    if (std::abs(std::int64_t{entities_[it->index].min.y} - centre.y) <= kHalfHeight) {
      view_.push_back(it->index);
    }
  }
  if (view_.size() > net::kViewEntitiesMax) {
    const auto nearness = [&](std::uint32_t index) {
      return std::tuple{index != own, distance(entities_[index].min, centre), index};
    };
    std::ranges::nth_element(view_, view_.begin() + net::kViewEntitiesMax, {}, nearness);
    view_.resize(net::kViewEntitiesMax);
  }
  std::ranges::sort(view_);
  return view_;
}

}  // namespace tickbox::server
