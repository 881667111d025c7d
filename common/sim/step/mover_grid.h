#pragma once
// Finds the movers near a box, all through one tick, though it is filled only once at the tick's
// start.
//
// Each mover stands in a single cell, that of its corner at the tick's start, at the level whose
// cells are at least twice as wide as the way it goes plus its size. So all that it covers in the
// tick is within half a cell of that corner, and a query that looks half a cell further than its
// own box misses nobody. Bullets are at a coarse level and players at a fine one; neither costs the
// other anything. The cells of a row lie one after the other in memory, rows are scattered by a
// hash. A mover that is made faster than its level allows is listed as a stray.

#include "sim/rects.h"
#include "sim/step/cell.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

class MoverGrid {
 public:
  /// Makes room for so many movers in advance.
  void reserve(std::size_t movers);

  /// Forgets the tick before.  Cost: linear, no allocation once warm.
  void start(std::size_t movers);

  /// Notes a mover and its place. `reach` is what it may cover to each side of its corner without
  /// becoming a stray.
  void add(std::uint32_t mover, Vec2 corner, std::int64_t reach) {
    const int level = level_for(2 * reach);
    const auto x = static_cast<std::int32_t>(std::int64_t{corner.x} >> level);
    const auto y = static_cast<std::int32_t>(std::int64_t{corner.y} >> level);
    const auto bucket = static_cast<std::uint32_t>(bucket_of(level, x, y, bits_));
    added_[added_count_++] = {mover, bucket, x, y, level};
    levels_ |= std::uint64_t{1} << level;
    ++first_[bucket + 1];
  }

  /// Sorts those added into their cells. `hulls` are what they cover until the tick ends, by mover.
  /// Requires: each hull within its mover's reach.
  void sort(std::span<const Rect> hulls);

  /// Calls visit(a, b), once for every pair whose hulls touch.  Requires: no strays yet.
  template <class Visit>
  void visit_pairs(Visit&& visit) const;

  /// Calls visit(index) once for every mover whose hull touches `area`.
  template <class Visit>
  void visit_near(const Rect& area, Visit&& visit) const;

  /// Tells that from now on `mover` covers `hull`.  Requires: it was added.
  void keep_up(std::uint32_t mover, const Rect& hull);

 private:
  /// Where a mover stands.
  struct Place {
    std::uint32_t mover = 0;
    std::uint32_t bucket = 0;
    std::int32_t x = 0;  ///< of its cell
    std::int32_t y = 0;
    std::int32_t level = 0;
  };

  struct Stray {
    std::uint32_t mover = 0;
    Rect hull;
  };

  /// A mover of `level` that comes within reach of `area` has its cell in this range.
  static CellRange range_around(const Rect& area, int level) {
    const std::int64_t half = std::int64_t{1} << (level - 1);
    return {(area.x0 - half) >> level, (area.y0 - half) >> level, (area.x1 + half) >> level,
            (area.y1 + half) >> level};
  }

  /// What a mover of a cell may cover without being missed by any query.
  static Box region_of(const Place& place) {
    const std::int64_t half = std::int64_t{1} << (place.level - 1);
    const std::int64_t x = std::int64_t{place.x} * 2 * half;
    const std::int64_t y = std::int64_t{place.y} * 2 * half;
    return {{x - half, y - half}, {x + 3 * half - 1, y + 3 * half - 1}};
  }

  [[nodiscard]] bool has_level(int level) const { return (levels_ >> level & 1) != 0; }

  [[nodiscard]] bool is_wide(const Rect& area) const;

  /// Neighbouring cells of one level.
  struct Row {
    int level = 0;
    std::int64_t y = 0;
    std::int64_t x0 = 0;
    std::int64_t x1 = 0;
  };

  template <class Visit>
  void visit_row(const Row& row, const RectColumns::Probe& probe, Visit&& visit) const;

  /// The movers in cells around `rect`, strays apart.
  template <class Visit>
  void visit_cells_near(const Rect& rect, const RectColumns::Probe& probe, Visit&& visit) const;

  /// The slots from `from` to the end of a bucket of the same row further on.
  template <class Visit>
  void visit_on(std::size_t from, std::size_t start_bucket, std::size_t end_bucket,
                const RectColumns::Probe& probe, Visit&& visit) const;

  static constexpr std::uint32_t kStrayed = 0xffff'ffff;

  std::vector<Place> added_;  ///< the first added_count_
  std::size_t added_count_ = 0;
  std::vector<std::uint32_t> slots_;  ///< by mover
  std::vector<Place> places_;         ///< by slot
  RectColumns hulls_;                 ///< by slot
  std::vector<std::uint32_t> first_;  ///< slot of each bucket, and the end
  std::vector<Stray> strays_;
  std::uint64_t levels_ = 0;  ///< a bit for each that holds anything
  int bits_ = 1;
};

template <class Visit>
void MoverGrid::visit_on(std::size_t from, std::size_t start_bucket, std::size_t end_bucket,
                         const RectColumns::Probe& probe, Visit&& visit) const {
  if (end_bucket >= start_bucket) {
    hulls_.visit_touching(from, first_[end_bucket + 1], probe, visit);
    return;
  }
  hulls_.visit_touching(from, places_.size(), probe, visit);
  hulls_.visit_touching(0, first_[end_bucket + 1], probe, visit);
}

template <class Visit>
void MoverGrid::visit_row(const Row& row, const RectColumns::Probe& probe, Visit&& visit) const {
  const std::size_t start = bucket_of(row.level, row.x0, row.y, bits_);
  const std::size_t mask = (std::size_t{1} << bits_) - 1;
  const std::size_t end = (start + static_cast<std::size_t>(row.x1 - row.x0)) & mask;
  visit_on(first_[start], start, end, probe, [&](std::size_t slot) {
    const Place& place = places_[slot];  // others may share the bucket
    if (place.y == row.y && place.level == row.level) visit(place);
  });
}

// Of two at different levels the finer one finds the coarser; of two at one level the one whose
// cell comes first, row by row, finds the other; and in one cell, the one in the earlier slot.
template <class Visit>
void MoverGrid::visit_pairs(Visit&& visit) const {
  const std::size_t mask = (std::size_t{1} << bits_) - 1;
  for (std::size_t slot = 0; slot < places_.size(); ++slot) {
    const Place& place = places_[slot];
    const Rect hull = hulls_[slot];
    const RectColumns::Probe probe{hull};
    const auto visit_other = [&](const Place& other) { visit(place.mover, other.mover); };
    visit_on(slot + 1, place.bucket, (place.bucket + 1) & mask, probe, [&](std::size_t other) {
      const Place& found = places_[other];
      if (found.y == place.y && found.level == place.level) visit_other(found);
    });
    visit_row({place.level, std::int64_t{place.y} + 1, std::int64_t{place.x} - 1,
               std::int64_t{place.x} + 1},
              probe, visit_other);
    if (levels_ >> (place.level + 1) == 0) continue;
    for (int level = place.level + kLevelStep; levels_ >> level != 0; level += kLevelStep) {
      if (!has_level(level)) continue;
      const CellRange coarse = range_around(hull, level);
      for (std::int64_t y = coarse.y0; y <= coarse.y1; ++y) {
        visit_row({level, y, coarse.x0, coarse.x1}, probe, visit_other);
      }
    }
  }
}

template <class Visit>
void MoverGrid::visit_cells_near(const Rect& rect, const RectColumns::Probe& probe,
                                 Visit&& visit) const {
  for (int level = kFinestLevel; levels_ >> level != 0; level += kLevelStep) {
    if (!has_level(level)) continue;
    const CellRange range = range_around(rect, level);
    for (std::int64_t y = range.y0; y <= range.y1; ++y) {
      visit_row({level, y, range.x0, range.x1}, probe,
                [&](const Place& place) { visit(place.mover); });
    }
  }
}

template <class Visit>
void MoverGrid::visit_near(const Rect& area, Visit&& visit) const {
  const RectColumns::Probe probe{area};
  if (is_wide(area)) {
    hulls_.visit_touching(0, places_.size(), probe,
                          [&](std::size_t slot) { visit(places_[slot].mover); });
  } else {
    visit_cells_near(area, probe, visit);
  }
  for (const Stray& stray : strays_) {
    if (touch(stray.hull, area)) visit(stray.mover);
  }
}

}  // namespace tickbox::sim
