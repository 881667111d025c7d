#pragma once
// Finds the statics near a box. Built once for a map; a query costs by the size of its box, not by
// that of the map.
//
// There are several levels, each with cells four times as wide as those of the one before. At each
// level a rectangle is listed in every cell from which it can be reached by a box that is no larger
// than a cell and has its middle in that cell. So a query takes the finest level whose cells are as
// large as its box, and looks at one single cell. A rectangle too large for that at the fine levels
// is listed at a coarser one only, and looked for there.

#include "sim/step/cell.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

class StaticGrid {
 public:
  /// Of `statics` those that are listed in `which`, by index.
  StaticGrid(std::span<const Body> statics, std::span<const std::uint32_t> which);

  [[nodiscard]] bool empty() const { return levels_.empty(); }

  /// A path that covers more than this is better walked than looked at as a whole.
  [[nodiscard]] std::int64_t long_extent() const {
    constexpr int kCellsInBits = 2;
    return empty() ? INT64_MAX : std::int64_t{1} << (levels_.front().level + kCellsInBits);
  }

  /// A static, and its box. A corner that does not fit into 32 bits is cut off: it lies far outside
  /// of the world, where nobody gets.
  struct Entry {
    Rect rect;
    std::uint32_t index = 0;
  };

  /// Calls visit(index) for every static whose closed box touches `area`, some of them more than
  /// once.
  template <class Visit>
  void visit(const Rect& area, Visit&& visit) const {
    visit_entries(area, extent_of(area), [&](const Entry& entry) { visit(entry.index); });
  }

  /// The same with their boxes.  Requires: `extent` is that of the area.
  template <class Visit>
  void visit_entries(const Rect& area, std::int64_t extent, Visit&& visit) const {
    if (!empty()) visit_at(level_of(extent), area, extent, visit);
  }

  /// Calls visit(index) for what a box in motion may touch from `from` to the tick's end, some of
  /// them more than once. Where much lies near, it walks along the path in ever smaller parts, and
  /// stops where `is_over(s)` says that nothing after s is of interest. Requires: `hull` covers
  /// that path.
  template <class Visit, class IsOver>
  void visit_path(const Motion& motion, FineTime from, const Rect& hull, Visit&& visit_one,
                  IsOver&& is_over) const;

 private:
  /// Entries by bucket.
  struct Table {
    RectColumns rects;
    std::vector<std::uint32_t> indices;
    std::vector<std::uint32_t> first;  ///< entry of each bucket, and the end
    int bits = 1;
  };

  struct Level {
    int level = 0;
    Table all;    ///< what is listed at this level or a finer one
    Table large;  ///< what is listed at no finer one
  };

  /// A static and the finest level at which it is listed.
  struct Listed {
    Rect rect;
    std::uint32_t index = 0;
    int level = 0;
  };

  static Table table_of(std::span<const Listed> listed, int level);

  /// The finest level with cells as large as `extent`, or the coarsest there is.
  [[nodiscard]] std::size_t level_of(std::int64_t extent) const;

  /// Of the entries of a cell: the first, and the one after the last.
  struct Range {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  [[nodiscard]] static Range cell(const Table& table, int level, std::int64_t x, std::int64_t y);

  /// Whether it pays to look at parts of `hull` instead.
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

  /// True when it is over.
  template <class Visit, class IsOver>
  bool walk(const Motion& motion, const Leg& leg, Visit&& visit_one, IsOver&& is_over) const;

  std::vector<Level> levels_;            ///< the finest first
  std::vector<std::size_t> with_large_;  ///< those with any large statics
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

// A box larger than a cell is looked up in parts.
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
