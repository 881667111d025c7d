#include "server/interest.h"

#include "core/fixed.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tickbox::server {
std::int64_t distance(Vec2 a, Vec2 b) {
  return std::max(std::abs(std::int64_t{a.x} - b.x), std::abs(std::int64_t{a.y} - b.y));
}

bool Interest::sees(Vec2 centre, Vec2 place, std::int32_t beyond_units) const {
  const auto within = [&](std::int32_t a, std::int32_t b, std::int32_t units) {
    return std::abs(std::int64_t{a} - b) <= std::int64_t{units + beyond_units} * kUnit;
  };
  return within(place.x, centre.x, sight_.half_width) &&
         within(place.y, centre.y, sight_.half_height);
}

void Interest::look(const Room& room) {
  entities_ = room.entities();
  by_x_.clear();
  by_x_.reserve(room.history().lives().capacity());
  seen_.reserve(by_x_.capacity());
  for (std::uint32_t i = 0; i < entities_.size(); ++i) {
    by_x_.push_back({.x = entities_[i].min.x, .index = i});
  }
  std::ranges::sort(by_x_, {},
                    [](const Column& column) { return std::tuple{column.x, column.index}; });
}

std::span<const std::uint32_t> Interest::seen_from(Vec2 centre) {
  seen_.clear();
  const std::int64_t reach = std::int64_t{sight_.half_width} * kUnit;
  const auto first = std::ranges::lower_bound(by_x_, centre.x - reach, {}, &Column::x);
  for (auto it = first; it != by_x_.end() && it->x <= centre.x + reach; ++it) {
    if (sees(centre, entities_[it->index].min, 0)) seen_.push_back(it->index);
  }
  std::ranges::sort(seen_);
  return seen_;
}

}  // namespace tickbox::server
