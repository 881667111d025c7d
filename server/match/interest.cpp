#include "server/match/interest.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace tickbox::server {
namespace {

/// A cell is 8 units wide: a view of the size by default meets some 40 cells.
constexpr int kCellBits = 19;
static_assert(1 << kCellBits == 8 * kUnit);

/// The most cells for each entity. If one of them is far from the others, the cells are wider.
constexpr std::size_t kCellsPerEntity = 16;

}  // namespace

Eye eye_of(const engine::World& world, Player player) {
  return {.centre = world.seats()[player.seat].focus_place,
          .sight = views::sight_of(world, player)};
}

void Interest::Grid::clear() {
  added_.clear();
  half_max_ = {};
}

void Interest::Grid::add(const engine::World& world, std::size_t row, SlotId slot) {
  const sim::Body& body = world.body(row);
  const Vec2 half{body.size.x / 2, body.size.y / 2};
  const Vec2 middle{body.min.x + half.x, body.min.y + half.y};
  half_max_ = {std::max(half_max_.x, half.x), std::max(half_max_.y, half.y)};
  added_.push_back({.extent = {.middle = middle, .half = half}, .slot = slot});
}

void Interest::Grid::sort() {
  sorted_.resize(added_.size());
  if (added_.empty()) return;
  Vec2 max = added_.front().extent.middle;
  min_ = max;
  for (const Found& each : added_) {
    const Vec2 middle = each.extent.middle;
    min_ = {std::min(min_.x, middle.x), std::min(min_.y, middle.y)};
    max = {std::max(max.x, middle.x), std::max(max.y, middle.y)};
  }
  const auto cells_between = [this](std::int64_t low, std::int64_t high) {
    return static_cast<std::size_t>((high - low) >> cell_bits_) + 1;
  };
  for (cell_bits_ = kCellBits;; ++cell_bits_) {
    columns_ = cells_between(min_.x, max.x);
    lines_ = cells_between(min_.y, max.y);
    if (columns_ * lines_ <= kCellsPerEntity * added_.size()) break;
  }
  // Counts, then ends. Filling from the end turns the end of each cell into its start.
  first_.reserve(kCellsPerEntity * added_.capacity() + 1);  // wherever they are
  first_.assign(columns_ * lines_ + 1, 0);
  for (const Found& each : added_) {
    ++first_[cell_of(each.extent.middle)];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  for (std::size_t i = added_.size(); i-- > 0;) {
    sorted_[--first_[cell_of(added_[i].extent.middle)]] = added_[i];
  }
}

std::span<const Interest::Found> Interest::Grid::columns_near(std::int64_t x,
                                                              std::int64_t reach) const {
  if (sorted_.empty()) return {};
  return cells(column_of(x - reach) * lines_, column_of(x + reach) * lines_ + lines_ - 1);
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

/// Returns whether more than twice `enough` entities can be within the view's width.
bool Interest::is_crowded(const Eye& eye, std::size_t enough) const {
  const std::int64_t reach =
      eye.sight.x + std::max(resting_.half_width_max(), active_.half_width_max());
  const std::array near{resting_.columns_near(eye.centre.x, reach),
                        active_.columns_near(eye.centre.x, reach)};
  if (near[0].size() + near[1].size() <= 2 * enough) return false;
  std::size_t count = 0;
  for (const std::span<const Found> list : near) {
    for (const Found& each : list) {
      count += std::abs(std::int64_t{each.extent.middle.x} - eye.centre.x) <= reach ? 1U : 0U;
    }
  }
  return count > 2 * enough;
}

void Interest::query(const Eye& eye, std::size_t enough, std::vector<Found>& found) const {
  constexpr std::int32_t kWhole = 8;
  const auto find_within = [&](std::int32_t eighths) {
    const Eye part{.centre = eye.centre,
                   .sight = {eye.sight.x / kWhole * eighths, eye.sight.y / kWhole * eighths}};
    std::size_t count = 0;
    const auto add = [&](std::span<const Found> range) {
      if (found.size() < count + range.size()) found.resize(count + range.size());
      for (const Found& each : range) {
        found[count] = each;
        count += is_in_sight(part, each.extent, 0) ? 1U : 0U;
      }
    };
    resting_.visit_around(part, add);
    active_.visit_around(part, add);
    found.resize(count);
  };
  if (!is_crowded(eye, enough)) return find_within(kWhole);
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
