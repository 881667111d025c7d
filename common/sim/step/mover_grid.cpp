#include "sim/step/mover_grid.h"

#include "core/assert.h"

#include <algorithm>
#include <bit>

namespace tickbox::sim {

namespace {

/// Two buckets or more for each mover, so that few cells share one by chance. A quarter of that if
/// they are strips, which share none. A search of a few movers tests all of them anyway.
int bits_for(std::size_t movers, bool has_cells) {
  if (movers <= RectColumns::kLanes) return 0;
  const auto bits = static_cast<int>(std::bit_width(2 * movers + 1));
  return has_cells ? bits : bits - 2;
}

}  // namespace

void MoverGrid::reserve(std::size_t movers) {
  added_.reserve(movers);
  slots_.reserve(movers);
  places_.reserve(movers);
  hulls_.reserve(movers);
  strays_.reserve(movers);
  first_.reserve((std::size_t{1} << bits_for(movers, true)) + 1);
}

void MoverGrid::start(std::size_t movers) {
  has_cells_ = movers > kInStripsMax;
  bits_ = bits_for(movers, has_cells_);
  first_.assign((std::size_t{1} << bits_) + 1, 0);
  added_.resize(movers);
  added_count_ = 0;
  slots_.resize(movers);
  strays_.clear();
  levels_ = 0;
  reach_max_ = 0;
}

void MoverGrid::sort(std::span<const Rect> hulls) {
  places_.resize(added_count_);
  hulls_.resize(added_count_);
  if (!has_cells_) find_strips(hulls);
  for (std::size_t bucket = 1; bucket < first_.size(); ++bucket) {
    first_[bucket] += first_[bucket - 1];
  }
  // Filling from the end turns the end of each bucket into its start, so no second array is needed.
  for (std::size_t i = added_count_; i-- > 0;) {
    set(--first_[added_[i].bucket + 1], added_[i], hulls);
  }
  std::rotate(first_.begin(), first_.begin() + 1, first_.end());
  first_.back() = static_cast<std::uint32_t>(added_count_);
}

/// Divides the rectangle that the movers are in into strips, and finds that of each.
void MoverGrid::find_strips(std::span<const Rect> hulls) {
  const std::span added = std::span{added_}.first(added_count_);
  if (added.empty()) return;
  Rect all = hulls[added.front().mover];
  for (const Place& place : added) {
    all = united(all, hulls[place.mover]);
  }
  const auto extent = [&all](Axis axis) {
    return static_cast<std::uint64_t>(std::int64_t{high_of(all, axis)} - low_of(all, axis));
  };
  axis_ = extent(0) >= extent(1) ? 0 : 1;
  begin_ = low_of(all, axis_);
  strip_bits_ = std::max(0, static_cast<int>(std::bit_width(extent(axis_))) - bits_);
  for (Place& place : added) {
    place.bucket = static_cast<std::uint32_t>(strip_of(low_of(hulls[place.mover], axis_)));
    ++first_[place.bucket + 1];
  }
}

void MoverGrid::set(std::uint32_t slot, const Place& place, std::span<const Rect> hulls) {
  places_[slot] = place;
  hulls_.set(slot, hulls[place.mover]);
  slots_[place.mover] = slot;
}

void MoverGrid::update(std::uint32_t mover, const Rect& hull) {
  std::uint32_t& slot = slots_[mover];
  if (slot == kStrayed) {
    const auto stray = std::find_if(strays_.begin(), strays_.end(),
                                    [mover](const Stray& one) { return one.mover == mover; });
    TICKBOX_ASSERT(stray != strays_.end());
    stray->hull = hull;
    return;
  }
  if (may_stay(places_[slot], hull)) {
    hulls_.set(slot, hull);
    return;
  }
  hulls_.clear_at(slot);
  slot = kStrayed;
  strays_.push_back({mover, hull});
}

bool MoverGrid::is_wide(const Rect& area) const {
  std::int64_t cells = 0;
  for (int level = kFinestLevel; levels_ >> level != 0; level += kLevelStep) {
    if (has_level(level)) cells += cells_around(area, level).count();
  }
  return cells > static_cast<std::int64_t>(places_.size());
}

}  // namespace tickbox::sim
