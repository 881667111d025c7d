#include "server/match/interest.h"

#include <algorithm>
#include <tuple>

namespace tickbox::server {

Eye eye_of(const engine::World& world, Player player) {
  return {.centre = world.seats()[player.seat].focus_place,
          .sight = views::sight_of(world, player)};
}

void Interest::Columns::clear() {
  by_x.clear();
  half_width_max = 0;
}

void Interest::Columns::add(const engine::World& world, std::size_t row, SlotId slot) {
  const sim::Body& body = world.body(row);
  const Vec2 half{body.size.x / 2, body.size.y / 2};
  const Vec2 middle{body.min.x + half.x, body.min.y + half.y};
  half_width_max = std::max<std::int64_t>(half_width_max, half.x);
  by_x.push_back({.extent = {.middle = middle, .half = half}, .slot = slot});
}

void Interest::Columns::sort() {
  std::ranges::sort(by_x, {},
                    [](const Found& each) { return std::tuple{each.extent.middle.x, each.slot}; });
}

std::span<const Interest::Found> Interest::Columns::near(Vec2 centre, std::int64_t reach) const {
  const auto x_of = [](const Found& each) { return std::int64_t{each.extent.middle.x}; };
  return {std::ranges::lower_bound(by_x, centre.x - reach, {}, x_of),
          std::ranges::upper_bound(by_x, centre.x + reach, {}, x_of)};
}

void Interest::rebuild(const engine::World& world, std::span<const SlotId> slots) {
  resting_.clear();
  std::size_t row = 0;
  const auto add_resting = [&](std::size_t end) {
    for (; row < end; ++row) {
      resting_.add(world, row, slots[row]);
    }
  };
  for (const std::uint32_t active : world.active_rows()) {
    add_resting(active);
    row = active + 1;
  }
  add_resting(world.size());
  resting_.sort();
  rebuild_active(world, slots);
}

void Interest::rebuild_active(const engine::World& world, std::span<const SlotId> slots) {
  active_.clear();
  for (const std::uint32_t row : world.active_rows()) {
    active_.add(world, row, slots[row]);
  }
  active_.sort();
}

Interest::Near Interest::near(Vec2 centre, std::int64_t width) const {
  const std::int64_t reach = width + std::max(resting_.half_width_max, active_.half_width_max);
  return {.resting = resting_.near(centre, reach), .active = active_.near(centre, reach)};
}

void Interest::query(const Eye& eye, std::size_t enough, std::vector<Found>& found) const {
  constexpr std::int32_t kWhole = 8;
  const auto find_within = [&](std::int32_t eighths) {
    const Eye part{.centre = eye.centre,
                   .sight = {eye.sight.x / kWhole * eighths, eye.sight.y / kWhole * eighths}};
    const Near columns = near(eye.centre, part.sight.x);
    found.resize(columns.size() + 1);
    std::size_t count = 0;
    for (const std::span<const Found> list : {columns.resting, columns.active}) {
      for (const Found& each : list) {
        found[count] = each;
        count += is_in_sight(part, each.extent, 0) ? 1U : 0U;
      }
    }
    found.resize(count);
  };
  if (near(eye.centre, eye.sight.x).size() <= 2 * enough) return find_within(kWhole);
  // Tries a quarter of the area first, and more of it while that can be enough.
  for (std::int32_t eighths = kWhole / 2; eighths < kWhole; ++eighths) {
    find_within(eighths);
    if (found.size() >= enough) return;
    const auto part = static_cast<std::size_t>(eighths) * static_cast<std::size_t>(eighths);
    if (found.size() * kWhole * kWhole < enough * part) break;
  }
  find_within(kWhole);
}

}  // namespace tickbox::server
