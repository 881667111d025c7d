#include "games/bomber/field.h"

#include <algorithm>
#include <cstdlib>

namespace tickbox::games {
namespace {

/// The cells from the place of one seat to the next. The number is even, so no place is a pillar.
constexpr std::int32_t kSpacing = 8;
/// A room holds 16,384 entities: with this number of bricks there is space for bombs and flames.
constexpr std::int32_t kBricksMost = 8'000;
constexpr Vec2 kCell{kUnit, kUnit};

/// Whether a place is in this cell or in one beside it: its player must have room for a bomb.
bool is_near_place(Cell cell) {
  const std::int32_t x = cell.x % kSpacing;
  const std::int32_t y = cell.y % kSpacing;
  return std::min(x, kSpacing - x) + std::min(y, kSpacing - y) <= 1;
}

/// Bricks are in about two thirds of the cells without pillars, in no order that is easily seen.
bool has_brick(Cell cell) {
  const std::int32_t mixed = cell.x * 31 + cell.y * 17 + cell.x * cell.y * 7;
  return mixed % 11 % 3 != 0;
}

}  // namespace

void build_field(MapBuilder& map, std::uint32_t seats) {
  std::int32_t columns = 2;
  while (columns * columns < static_cast<std::int32_t>(seats)) {
    ++columns;
  }
  const std::int32_t cells = (columns - 1) * kSpacing + 1;
  map.object("field", {}, {cells * kUnit, cells * kUnit});
  map.border({}, {cells * kUnit, cells * kUnit}, Border::Solid);
  for (std::int32_t seat = 0; seat < static_cast<std::int32_t>(seats); ++seat) {
    const Cell cell{.x = seat % columns * kSpacing, .y = seat / columns * kSpacing};
    map.object("spawn", middle_of(cell, kCell), kCell);
  }
  std::int32_t bricks = 0;
  for (Cell cell; cell.y < cells; ++cell.y) {
    for (cell.x = 0; cell.x < cells; ++cell.x) {
      if (is_pillar(cell)) {
        map.solid(middle_of(cell, kCell), kCell);
      } else if (has_brick(cell) && !is_near_place(cell) && bricks < kBricksMost) {
        map.object("brick", middle_of(cell, kCell), kCell);
        ++bricks;
      }
    }
  }
}

Lookout::Lookout(Cell middle, std::int32_t cells) : middle_(middle) {
  for (std::int32_t y = -kFar; y <= kFar; ++y) {
    for (std::int32_t x = -kFar; x <= kFar; ++x) {
      const Cell cell = step_from(middle, {.x = x, .y = y});
      const bool is_outside = cell.x < 0 || cell.y < 0 || cell.x >= cells || cell.y >= cells;
      if (is_outside || is_pillar(cell)) close(cell);
    }
  }
}

std::optional<std::int32_t> Lookout::way_to_safety() const {
  return way({.avoided = kClosed | kBurns, .without = kThreatened | kBurns});
}

std::optional<std::int32_t> Lookout::way_to_wanted() const {
  return way({.avoided = kClosed | kBurns | kThreatened, .with = kWanted});
}

std::optional<std::size_t> Lookout::index_of(Cell cell) const {
  const std::int32_t x = cell.x - middle_.x;
  const std::int32_t y = cell.y - middle_.y;
  if (std::abs(x) > kFar || std::abs(y) > kFar) return std::nullopt;
  return static_cast<std::size_t>((y + kFar) * kSide + x + kFar);
}

std::uint8_t Lookout::at(Cell cell) const {
  const auto index = index_of(cell);
  return index ? marks_[*index] : kClosed;
}

void Lookout::set(Cell cell, std::uint8_t mark) {
  if (const auto index = index_of(cell)) marks_[*index] |= mark;
}

void Lookout::mark_blast(Cell from, std::int32_t reach, std::uint8_t mark) {
  set(from, mark);
  for (std::size_t i = 1; i < kWays.size(); ++i) {
    for (std::int32_t steps = 1; steps <= reach; ++steps) {
      const Cell cell = step_from(from, kWays[i], steps);
      if ((at(cell) & kClosed) != 0) break;
      set(cell, mark);
    }
  }
}

/// Breadth first from the middle.
std::optional<std::int32_t> Lookout::way(const Search& search) const {
  std::array<Cell, std::size_t{kSide} * kSide> queue{};
  std::array<std::int8_t, std::size_t{kSide} * kSide> first_steps{};
  std::array<bool, std::size_t{kSide} * kSide> is_seen{};
  std::size_t end = 0;
  queue[end++] = middle_;
  is_seen[*index_of(middle_)] = true;
  for (std::size_t next = 0; next < end; ++next) {
    const Cell cell = queue[next];
    const std::uint8_t marks = at(cell);
    const std::int8_t first_step = first_steps[*index_of(cell)];
    if ((marks & search.without) == 0 && (marks & search.with) == search.with) return first_step;
    for (std::size_t i = 1; i < kWays.size(); ++i) {
      const Cell neighbour = step_from(cell, kWays[i]);
      const auto index = index_of(neighbour);
      if (!index || is_seen[*index] || (marks_[*index] & search.avoided) != 0) continue;
      is_seen[*index] = true;
      first_steps[*index] = first_step != 0 ? first_step : static_cast<std::int8_t>(i);
      queue[end++] = neighbour;
    }
  }
  return std::nullopt;
}

}  // namespace tickbox::games
