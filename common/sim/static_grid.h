#pragma once
// The broadphase of statics: a hierarchical grid, built once for a map. The cost of a query depends
// on the size of its box, not on the size of the map.
//
// Each level has cells four times as wide as those of the finer one. At each level, a rectangle is
// listed in every cell from which a box can reach it. Such a box is no larger than a cell and has
// its middle in that cell. So a query takes the finest level whose cells are as large as its box,
// and reads one cell. A rectangle that would fill too many fine cells is listed at coarser levels
// only. A query looks for such large rectangles there.

#include "sim/step/cell.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

class StaticGrid {
 public:
  /// Builds the grid of some of `statics`: those whose indices are in `which`.
  StaticGrid(std::span<const Body> statics, std::span<const std::uint32_t> which);

  [[nodiscard]] bool empty() const { return levels_.empty(); }

  /// The extent of a path above which a query in parts (visit_path()) is cheaper than one query.
  [[nodiscard]] std::int64_t long_extent() const {
    constexpr int kCellsInBits = 2;
    return empty() ? INT64_MAX : std::int64_t{1} << (levels_.front().level + kCellsInBits);
  }

  /// A static and its box.
  struct Entry {
    Rect rect;
    std::uint32_t index = 0;
  };

  /// Calls visit(index) for every static whose closed box touches `area`, for some of them more
  /// than once.
  template <class Visit>
  void visit(const Rect& area, Visit&& visit) const {
    visit_entries(area, extent_of(area), [&](const Entry& entry) { visit(entry.index); });
  }

  /// Calls visit(entry) for the same statics. Requires: `extent` is extent_of(area).
  template <class Visit>
  void visit_entries(const Rect& area, std::int64_t extent, Visit&& visit) const {
    if (!empty()) visit_at(level_of(extent), area, extent, visit);
  }

  /// Calls visit(index) for every static that a box in motion may touch from `from` to the tick's
  /// end, for some of them more than once. Among many statics it splits the path into ever smaller
  /// parts. It stops after a part that ends at s if `is_over(s)` is true: nothing after s matters.
  /// Requires: `hull` covers that path.
  template <class Visit, class IsOver>
  void visit_path(const Motion& motion, FineTime from, const Rect& hull, Visit&& visit_one,
                  IsOver&& is_over) const;

 private:
  /// The entries of one level, sorted by bucket.
  struct Table {
    RectColumns rects;
    std::vector<std::uint32_t> indices;
    std::vector<std::uint32_t> first;  ///< the first entry of each bucket, and the end
    int bits = 1;
  };

  struct Level {
    int level = 0;
    Table all;    ///< the statics whose finest level is this or a finer one
    Table large;  ///< the statics whose finest level is this one; empty at the finest level
  };

  /// A static and its finest level, at which it is listed first.
  struct Listed {
    Rect rect;
    std::uint32_t index = 0;
    int level = 0;
  };

  static Table table_of(std::span<const Listed> listed, int level);

  /// The finest level with cells as large as `extent`, or the coarsest there is.
  [[nodiscard]] std::size_t level_of(std::int64_t extent) const;

  /// The entries of a cell: the first, and the one after the last.
  struct Range {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  [[nodiscard]] static Range cell(const Table& table, int level, std::int64_t x, std::int64_t y);

  /// Returns whether `hull` meets enough entries that queries of its parts are cheaper.
  [[nodiscard]] bool is_crowded(std::size_t level, const Rect& hull) const;

  template <class Visit>
  void visit_at(std::size_t level, const Rect& area, std::int64_t extent, Visit&& visit) const;

  template <class Visit>
  static void visit_table(const Table& table, int level, const Rect& area, std::int64_t extent,
                          Visit&& visit);
  template <class Visit>
  static void visit_parts(const Table& table, int level, const Rect& area, Visit&& visit);

  /// A part of a path.
  struct Leg {
    FineTime from = 0;
    FineTime to = 0;
    Rect hull;
  };

  /// Visits the statics near a leg. Returns true if `is_over` has ended the walk.
  template <class Visit, class IsOver>
  bool walk(const Motion& motion, const Leg& leg, Visit&& visit_one, IsOver&& is_over) const;

  std::vector<Level> levels_;            ///< the finest first
  std::vector<std::size_t> with_large_;  ///< the indices of the levels with large statics
};

inline std::size_t StaticGrid::level_of(std::int64_t extent) const {
  std::size_t level = 0;
  while (level + 1 < levels_.size() && std::int64_t{1} << levels_[level].level < extent) {
    ++level;
  }
  return level;
}

inline StaticGrid::Range StaticGrid::cell(const Table& table, int level, std::int64_t x,
                                          std::int64_t y) {
  const std::size_t bucket = bucket_of(level, x, y, table.bits);
  return {table.first[bucket], table.first[bucket + 1]};
}

template <class Visit>
void StaticGrid::visit_table(const Table& table, int level, const Rect& area, std::int64_t extent,
                             Visit&& visit) {
  if (extent > std::int64_t{1} << level) {
    visit_parts(table, level, area, visit);
    return;
  }
  const std::int64_t x = (std::int64_t{area.x0} + area.x1) / 2 >> level;
  const std::int64_t y = (std::int64_t{area.y0} + area.y1) / 2 >> level;
  const Range range = cell(table, level, x, y);
  if (range.from == range.to) return;
  table.rects.visit_touching(range.from, range.to, RectColumns::Probe{area}, [&](std::size_t i) {
    visit(Entry{table.rects[i], table.indices[i]});
  });
}

// A box larger than a cell is looked up cell by cell, or in the whole table if that is smaller.
template <class Visit>
void StaticGrid::visit_parts(const Table& table, int level, const Rect& area, Visit&& visit) {
  const RectColumns::Probe probe{area};
  const auto visit_entry = [&](std::size_t i) { visit(Entry{table.rects[i], table.indices[i]}); };
  const std::int64_t half = std::int64_t{1} << (level - 1);
  const auto parts = [level](std::int64_t from, std::int64_t to) {
    return std::max(std::int64_t{0}, (to - from - 1) >> level);
  };
  const std::int64_t columns = parts(area.x0, area.x1);
  const std::int64_t rows = parts(area.y0, area.y1);
  if ((columns + 1) * (rows + 1) > std::ssize(table.indices)) {
    table.rects.visit_touching(0, table.indices.size(), probe, visit_entry);
    return;
  }
  const std::int64_t x = (area.x0 + half) >> level;
  const std::int64_t y = (area.y0 + half) >> level;
  for (std::int64_t row = 0; row <= rows; ++row) {
    for (std::int64_t column = 0; column <= columns; ++column) {
      const Range range = cell(table, level, x + column, y + row);
      table.rects.visit_touching(range.from, range.to, probe, visit_entry);
    }
  }
}

template <class Visit>
void StaticGrid::visit_at(std::size_t level, const Rect& area, std::int64_t extent,
                          Visit&& visit) const {
  visit_table(levels_[level].all, levels_[level].level, area, extent, visit);
  for (const std::size_t coarser : with_large_) {
    if (coarser > level) {
      visit_table(levels_[coarser].large, levels_[coarser].level, area, extent, visit);
    }
  }
}

template <class Visit, class IsOver>
bool StaticGrid::walk(const Motion& motion, const Leg& leg, Visit&& visit_one,
                      IsOver&& is_over) const {
  constexpr FineTime kParts = 4;
  const auto part_of = [&](FineTime part) {
    const FineTime from = leg.from + (leg.to - leg.from) * part / kParts;
    const FineTime to = leg.from + (leg.to - leg.from) * (part + 1) / kParts;
    return Leg{from, to, rect_of(hull_of(motion, from, to))};
  };
  const std::int64_t extent = extent_of(leg.hull);
  const std::size_t level = level_of(extent);
  const bool parts_are_finer = level > 0 && leg.to - leg.from >= kParts &&
                               is_crowded(level, leg.hull) &&
                               level_of(extent_of(part_of(0).hull)) < level;
  if (!parts_are_finer) {
    visit_at(level, leg.hull, extent, [&](const Entry& entry) { visit_one(entry.index); });
    return is_over(leg.to);
  }
  for (FineTime part = 0; part < kParts; ++part) {
    if (walk(motion, part_of(part), visit_one, is_over)) return true;
  }
  return false;
}

template <class Visit, class IsOver>
void StaticGrid::visit_path(const Motion& motion, FineTime from, const Rect& hull,
                            Visit&& visit_one, IsOver&& is_over) const {
  if (!empty()) walk(motion, {from, kFineSteps, hull}, visit_one, is_over);
}

}  // namespace tickbox::sim
