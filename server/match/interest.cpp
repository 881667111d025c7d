#include "server/match/interest.h"

#include <algorithm>
#include <tuple>

namespace tickbox::match {

Eye eye_of(const engine::World& world, Player player) {
  Eye eye{.centre = world.seats()[player.seat].focus_place};
  const GameTable& game = world.game();
  const std::size_t avatar = world.avatar_of(player);
  const bool has_sight =
      game.sight != nullptr && avatar != world.size() && world.infos()[avatar].kind == game.avatar;
  if (has_sight) eye.sight = game.sight(world.state(avatar).data());
  return eye;
}

void Interest::rebuild(const engine::World& world, std::span<const SlotId> slots) {
  by_x_.clear();
  half_width_max_ = 0;
  for (std::size_t row = 0; row < world.size(); ++row) {
    const sim::Body& body = world.body(row);
    const Vec2 half{body.size.x / 2, body.size.y / 2};
    const Vec2 middle{body.min.x + half.x, body.min.y + half.y};
    half_width_max_ = std::max<std::int64_t>(half_width_max_, half.x);
    by_x_.push_back({.extent = {.middle = middle, .half = half}, .slot = slots[row]});
  }
  std::ranges::sort(by_x_, {},
                    [](const Found& each) { return std::tuple{each.extent.middle.x, each.slot}; });
}

std::span<const Interest::Found> Interest::columns_near(Vec2 centre, std::int64_t width) const {
  const auto x_of = [](const Found& each) { return std::int64_t{each.extent.middle.x}; };
  const std::int64_t reach = width + half_width_max_;
  return {std::ranges::lower_bound(by_x_, centre.x - reach, {}, x_of),
          std::ranges::upper_bound(by_x_, centre.x + reach, {}, x_of)};
}

void Interest::query(const Eye& eye, std::size_t enough, std::vector<Found>& found) const {
  constexpr std::int32_t kWhole = 8;
  const auto find_within = [&](std::int32_t eighths) {
    const Eye part{.centre = eye.centre,
                   .sight = {eye.sight.x / kWhole * eighths, eye.sight.y / kWhole * eighths}};
    const std::span<const Found> columns = columns_near(eye.centre, part.sight.x);
    found.resize(columns.size() + 1);
    std::size_t count = 0;
    for (const Found& each : columns) {
      found[count] = each;
      count += is_in_sight(part, each.extent, 0) ? 1U : 0U;
    }
    found.resize(count);
  };
  if (columns_near(eye.centre, eye.sight.x).size() <= 2 * enough) return find_within(kWhole);
  // Tries a quarter of the area first, and more of it while that can be enough.
  for (std::int32_t eighths = kWhole / 2; eighths < kWhole; ++eighths) {
    find_within(eighths);
    if (found.size() >= enough) return;
    const auto part = static_cast<std::size_t>(eighths) * static_cast<std::size_t>(eighths);
    if (found.size() * kWhole * kWhole < enough * part) break;
  }
  find_within(kWhole);
}

}  // namespace tickbox::match
