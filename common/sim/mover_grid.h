#pragma once
// Finds the movers near a box, all through one tick, though it is filled only once at the tick's
// start.
//
// Each mover stands in a single cell, that of its corner at the tick's start, at the level whose
// cells are at least twice as wide as the way it goes plus its size. So all that it covers in the
// tick is within half a cell of that corner, and a query that looks half a cell further than its
// own box misses nobody. Bullets are at a coarse level and players at a fine one; neither costs the
// other anything. A mover that is made faster than its level allows is listed as a stray.

#include "sim/cell.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

class MoverGrid {
 public:
  /// Sorts in the movers of a tick.  Cost: linear, no allocation once warm.
  void build(std::span<const Body> movers);

  /// What a mover covers in the whole tick, as it moves at the tick's start.
  [[nodiscard]] const Box& hull_at_start(std::uint32_t mover) const {
    return unsorted_[mover].hull;
  }

  /// Calls visit(a, b), once for every pair whose paths' hulls touch, as they move at the tick's
  /// start.
  template <class Visit>
  void visit_pairs(Visit&& visit) const;

  /// Calls visit(index) once for every mover that may come near `area` before the tick ends, and
  /// for some others.
  template <class Visit>
  void visit_near(const Box& area, Visit&& visit) const;

  /// Tells that `mover` covers `hull` until it turns again.
  void keep_up(std::uint32_t mover, const Box& hull);

 private:
  struct Slot {
    CellKey key = 0;
    Box hull;            ///< of the path at the tick's start
    std::int32_t x = 0;  ///< of its cell
    std::int32_t y = 0;
    std::uint32_t mover = 0;
    int level = 0;
  };

  /// A mover of `level` that comes within reach of `area` has its cell in this range.
  static CellRange range_around(const Box& area, int level) {
    return cells_of(grown(area, std::int64_t{1} << (level - 1)), level);
  }

  [[nodiscard]] bool has_level(int level) const { return (levels_ >> level & 1) != 0; }

  [[nodiscard]] bool is_wide(const Box& area) const;

  template <class Visit>
  void visit_cells(const CellRange& range, int level, Visit&& visit) const;

  std::vector<Slot> unsorted_;         ///< by mover
  std::vector<Slot> slots_;            ///< by bucket
  std::vector<std::uint32_t> first_;   ///< slot of each bucket, and the end
  std::vector<Box> allowed_;           ///< of each mover: where its level promises that it stays
  std::vector<std::uint8_t> strayed_;  ///< whether it broke that promise
  std::vector<std::uint32_t> strays_;
  std::uint64_t levels_ = 0;  ///< a bit for each that holds anything
  int bits_ = 1;
};

template <class Visit>
void MoverGrid::visit_cells(const CellRange& range, int level, Visit&& visit) const {
  for (std::int64_t y = range.y0; y <= range.y1; ++y) {
    for (std::int64_t x = range.x0; x <= range.x1; ++x) {
      const CellKey key = cell_key(level, x, y);
      const std::size_t bucket = bucket_of(key, bits_);
      for (std::uint32_t i = first_[bucket]; i < first_[bucket + 1]; ++i) {
        if (slots_[i].key == key) visit(slots_[i]);
      }
    }
  }
}

// Of two at different levels the finer one finds the coarser; of two at one level the one whose
// cell comes first, row by row, finds the other; and in one cell, the one with the lower index.
template <class Visit>
void MoverGrid::visit_pairs(Visit&& visit) const {
  for (const Slot& slot : slots_) {
    const auto visit_touching = [&](const Slot& other) {
      if (touch(slot.hull, other.hull)) visit(slot.mover, other.mover);
    };
    const auto visit_later = [&](const Slot& other) {
      if (other.key != slot.key || other.mover > slot.mover) visit_touching(other);
    };
    CellRange range = range_around(slot.hull, slot.level);
    visit_cells({slot.x, slot.y, range.x1, slot.y}, slot.level, visit_later);
    range.y0 = slot.y + 1;
    visit_cells(range, slot.level, visit_touching);
    for (int level = slot.level + kLevelStep; level <= kCoarsestLevel; level += kLevelStep) {
      if (has_level(level)) visit_cells(range_around(slot.hull, level), level, visit_touching);
    }
  }
}

template <class Visit>
void MoverGrid::visit_near(const Box& area, Visit&& visit) const {
  if (is_wide(area)) {
    for (std::uint32_t mover = 0; mover < slots_.size(); ++mover) {
      visit(mover);
    }
    return;
  }
  const auto visit_unstrayed = [&](const Slot& slot) {
    if (strayed_[slot.mover] == 0) visit(slot.mover);
  };
  for (int level = kFinestLevel; level <= kCoarsestLevel; level += kLevelStep) {
    if (has_level(level)) visit_cells(range_around(area, level), level, visit_unstrayed);
  }
  for (const std::uint32_t mover : strays_) {
    visit(mover);
  }
}

}  // namespace tickbox::sim
