#include "server/replication/interest.h"

#include "core/fixed.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tickbox::server {

void Interest::rebuild(const Room& room) {
  const std::span<const game::EntityState> entities = room.entities();
  by_x_.clear();
  by_x_.reserve(room.replication_log().slots().capacity());
  for (std::uint32_t i = 0; i < entities.size(); ++i) {
    by_x_.push_back({.place = entities[i].min, .index = i});
  }
  std::ranges::sort(by_x_, {},
                    [](const Column& column) { return std::tuple{column.place.x, column.index}; });
}

void Interest::query(Vec2 centre, std::vector<std::uint32_t>& found) const {
  found.resize(by_x_.size());
  std::size_t count = 0;
  const std::int64_t width = std::int64_t{sight_.half_width} * kUnit;
  const std::int64_t height = std::int64_t{sight_.half_height} * kUnit;
  const auto first = std::ranges::lower_bound(by_x_, centre.x - width, {},
                                              [](const Column& column) { return column.place.x; });
  for (auto it = first; it != by_x_.end() && it->place.x <= centre.x + width; ++it) {
    found[count] = it->index;
    count += std::abs(std::int64_t{it->place.y} - centre.y) <= height ? 1U : 0U;
  }
  found.resize(count);
}

}  // namespace tickbox::server
