#include "sim/mover_grid.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace tickbox::sim {
namespace {

/// Twice the way a mover goes plus its size: half of it is what it covers around its corner.
int level_of(const Body& mover) {
  const std::int64_t way = std::max(std::abs(mover.velocity.x), std::abs(mover.velocity.y));
  const std::int64_t size = std::max(mover.size.x, mover.size.y);
  return level_for(2 * (way + size));
}

Box hull_of_tick(const Body& mover) {
  Box hull = box_of(mover.min, mover.size);
  for (Axis axis = 0; axis < kAxes; ++axis) {
    const std::int64_t way = mover.velocity[axis];
    hull.min[axis] += std::min(std::int64_t{0}, way);
    hull.max[axis] += std::max(std::int64_t{0}, way);
  }
  return hull;
}

}  // namespace

void MoverGrid::build(std::span<const Body> movers) {
  bits_ = static_cast<int>(std::bit_width(2 * movers.size() + 1));
  first_.assign((std::size_t{1} << bits_) + 1, 0);
  unsorted_.resize(movers.size());
  slots_.resize(movers.size());
  allowed_.resize(movers.size());
  strayed_.assign(movers.size(), 0);
  strays_.clear();
  strays_.reserve(movers.size());
  levels_ = 0;

  for (std::uint32_t i = 0; i < movers.size(); ++i) {
    const Body& mover = movers[i];
    const int level = level_of(mover);
    const Box corner = {{mover.min.x, mover.min.y}, {mover.min.x, mover.min.y}};
    const std::int32_t x = mover.min.x >> std::min(level, 31);
    const std::int32_t y = mover.min.y >> std::min(level, 31);
    const CellKey key = cell_key(level, x, y);
    unsorted_[i] = {key, hull_of_tick(mover), x, y, i, level};
    allowed_[i] = grown(corner, std::int64_t{1} << (level - 1));
    levels_ |= std::uint64_t{1} << level;
    ++first_[bucket_of(key, bits_) + 1];
  }
  for (std::size_t bucket = 1; bucket < first_.size(); ++bucket) {
    first_[bucket] += first_[bucket - 1];
  }
  // Filling from the end turns each bucket's end into its start, so that no second array of
  // positions is needed.
  for (std::size_t i = movers.size(); i-- > 0;) {
    slots_[--first_[bucket_of(unsorted_[i].key, bits_) + 1]] = unsorted_[i];
  }
  std::rotate(first_.begin(), first_.begin() + 1, first_.end());
  first_.back() = static_cast<std::uint32_t>(movers.size());
}

void MoverGrid::keep_up(std::uint32_t mover, const Box& hull) {
  if (strayed_[mover] != 0 || contains(allowed_[mover], hull)) return;
  strayed_[mover] = 1;
  strays_.push_back(mover);
}

bool MoverGrid::is_wide(const Box& area) const {
  std::int64_t cells = 0;
  for (int level = kFinestLevel; level <= kCoarsestLevel; level += kLevelStep) {
    if (has_level(level)) cells += range_around(area, level).count();
  }
  return cells > static_cast<std::int64_t>(slots_.size());
}

}  // namespace tickbox::sim
