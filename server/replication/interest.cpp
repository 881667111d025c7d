#include "server/replication/interest.h"

#include "core/fixed.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tickbox::server {

void Interest::rebuild(const Room& room) {
  const std::span<const game::EntityState> entities = room.entities();
  by_x_.clear();
  const BodySlots& slots = room.replication_log().slots();
  by_x_.reserve(slots.capacity());
  for (std::size_t i = 0; i < entities.size(); ++i) {
    by_x_.push_back({.place = entities[i].min, .slot = slots.present()[i]});
  }
  std::ranges::sort(by_x_, {},
                    [](const Found& each) { return std::tuple{each.place.x, each.slot}; });
}

std::span<const Interest::Found> Interest::columns_near(Vec2 centre, std::int64_t width) const {
  const auto x_of = [](const Found& each) { return std::int64_t{each.place.x}; };
  return {std::ranges::lower_bound(by_x_, centre.x - width, {}, x_of),
          std::ranges::upper_bound(by_x_, centre.x + width, {}, x_of)};
}

void Interest::query(Vec2 centre, std::size_t enough, std::vector<Found>& found) const {
  constexpr std::size_t kWhole = 8;
  const std::int64_t width = std::int64_t{sight_.half_width} * kUnit;
  const std::int64_t height = std::int64_t{sight_.half_height} * kUnit;
  const auto find_within = [&](std::size_t eighths) {
    const auto part_of = [&](std::int64_t extent) {
      return extent * static_cast<std::int64_t>(eighths) / static_cast<std::int64_t>(kWhole);
    };
    const std::int64_t near = part_of(height);
    const std::span<const Found> columns = columns_near(centre, part_of(width));
    found.resize(columns.size() + 1);
    std::size_t count = 0;
    for (const Found& each : columns) {
      found[count] = each;
      count += std::abs(std::int64_t{each.place.y} - centre.y) <= near ? 1U : 0U;
    }
    found.resize(count);
  };
  if (columns_near(centre, width).size() <= 2 * enough) return find_within(kWhole);
  // Tries a quarter of the area first, and more of it while that can be enough.
  for (std::size_t eighths = kWhole / 2; eighths < kWhole; ++eighths) {
    find_within(eighths);
    if (found.size() >= enough) return;
    if (found.size() * kWhole * kWhole < enough * eighths * eighths) break;
  }
  find_within(kWhole);
}

}  // namespace tickbox::server
