#pragma once
// Finds the statics near a box. Built once for a map; a query costs by the size of its box, not by
// that of the map.
//
// A rectangle lies in every cell that it touches, at the finest level where these are few. Usually
// all are at one level; only a floor as wide as the world goes to a coarser one.

#include "sim/cell.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace tickbox::sim {

class StaticGrid {
 public:
  explicit StaticGrid(std::span<const Body> statics);

  /// Calls visit(index) for every static whose closed box touches `area`, some of them more than
  /// once.
  template <class Visit>
  void visit(const Box& area, Visit&& visit) const;

  /// Calls visit(index) for what a box in motion may touch from `from` to the tick's end, some of
  /// them more than once. Walks along the path, and stops where `is_over(s)` says that nothing
  /// after s is of interest. Requires: `hull` covers that path.
  template <class Visit, class IsOver>
  void visit_path(const Motion& motion, FineTime from, const Box& hull, Visit&& visit_one,
                  IsOver&& is_over) const;

 private:
  struct Entry {
    CellKey key = 0;
    Box box;
    std::uint32_t index = 0;
  };

  [[nodiscard]] int level_of(const Box& box) const;
  [[nodiscard]] std::int64_t cells_in(const Box& area) const;

  template <class Visit>
  void visit_cells(const Box& area, Visit&& visit) const;
  template <class Visit>
  void visit_cell(CellKey key, const Box& area, Visit&& visit) const;

  std::vector<Entry> entries_;        ///< by bucket
  std::vector<std::uint32_t> first_;  ///< entry of each bucket, and the end
  std::vector<int> levels_;           ///< that hold anything, ascending
  int bits_ = 1;
  int base_level_ = kFinestLevel;
};

template <class Visit>
void StaticGrid::visit_cell(CellKey key, const Box& area, Visit&& visit) const {
  const std::size_t bucket = bucket_of(key, bits_);
  for (std::uint32_t i = first_[bucket]; i < first_[bucket + 1]; ++i) {
    const Entry& entry = entries_[i];
    if (entry.key == key && touch(entry.box, area)) visit(entry.index);
  }
}

template <class Visit>
void StaticGrid::visit_cells(const Box& area, Visit&& visit) const {
  for (const int level : levels_) {
    const CellRange range = cells_of(area, level);
    for (std::int64_t y = range.y0; y <= range.y1; ++y) {
      for (std::int64_t x = range.x0; x <= range.x1; ++x) {
        visit_cell(cell_key(level, x, y), area, visit);
      }
    }
  }
}

template <class Visit>
void StaticGrid::visit(const Box& area, Visit&& visit) const {
  if (cells_in(area) <= static_cast<std::int64_t>(entries_.size())) {
    visit_cells(area, visit);
    return;
  }
  for (const Entry& entry : entries_) {
    if (touch(entry.box, area)) visit(entry.index);
  }
}

template <class Visit, class IsOver>
void StaticGrid::visit_path(const Motion& motion, FineTime from, const Box& hull, Visit&& visit_one,
                            IsOver&& is_over) const {
  constexpr std::int64_t kCellsAtOnce = 16;
  const std::int64_t cells = cells_in(hull);
  if (cells <= kCellsAtOnce) {
    visit_cells(hull, visit_one);
    return;
  }
  const std::int64_t way = std::max(std::abs(motion.velocity[0]), std::abs(motion.velocity[1]));
  const std::int64_t parts = (way >> base_level_) + 1;
  if (parts > static_cast<std::int64_t>(entries_.size())) {
    visit(hull, visit_one);
    return;
  }
  for (std::int64_t part = 0; part < parts; ++part) {
    const FineTime start = from + (kFineSteps - from) * part / parts;
    const FineTime end = from + (kFineSteps - from) * (part + 1) / parts;
    visit(hull_of(motion, start, end), visit_one);
    if (is_over(end)) return;
  }
}

}  // namespace tickbox::sim
