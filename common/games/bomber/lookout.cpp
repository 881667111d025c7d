#include "games/bomber/lookout.h"

#include <cstdlib>

namespace tickbox::games {
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
