#pragma once
// Finds the movers near a box throughout a tick. It is filled at the tick's start.
//
// Each mover is in a single cell: that of its corner at the tick's start, at the finest level whose
// cells are at least twice as wide as its way plus its size. So whatever it covers in the tick is
// within half a cell of that corner. A query that looks half a cell further than its own box misses
// no mover. Fast movers are at a coarse level and slow ones at a fine one, so the fast ones do not
// widen the cells of the slow ones. The cells of a row are consecutive in memory, and a hash
// scatters the rows. A mover that becomes faster than its level allows is listed as a stray.
//
// Up to kInStripsMax movers, all of them are in strips instead, across the longer side of the
// rectangle that they are in. Each mover is in the strip of the low edge of all that it covers in
// the tick, as it is known at the start. The strips are consecutive in memory, so a search reads
// from the first strip that it needs to the last. It tests eight movers at a time, and is done
// before it would have found its cells. Movers that are close together in a wide world share a
// strip, and then each tests all of them: too many for more movers.

#include "sim/body.h"
#include "sim/rects.h"
#include "sim/step/cell.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace tickbox::sim {

/// How far a mover gets from its corner, whichever way it turns without getting faster.
[[nodiscard]] inline std::int64_t reach_of(const Body& body, Vec2 velocity) {
  const std::int32_t way = std::max(std::abs(velocity.x), std::abs(velocity.y));
  return std::int64_t{way} + std::max(body.size.x, body.size.y);
}

class MoverGrid {
 public:
  /// Reserves memory for `movers` movers.
  void reserve(std::size_t movers);

  /// Removes all movers, for at most `movers` others: cells or strips follow from their number.
  /// Cost: linear, no allocation once warm.
  void start(std::size_t movers);

  /// Adds a mover. `reach` is how far it may get to each side of its corner without becoming a
  /// stray.
  void add(std::uint32_t mover, Vec2 corner, std::int64_t reach) {
    Place& place = added_[added_count_++];
    place = {.mover = mover, .x = corner.x, .y = corner.y};
    if (has_cells_) {
      find_cell(place, reach);
    } else {
      reach_max_ = std::max(reach_max_, reach);
    }
  }

  /// Ends the adding of movers: sorts them into cells or strips. `hulls` has, by mover, what each
  /// covers in the tick. Requires: each hull within its mover's reach.
  void sort(std::span<const Rect> hulls);

  /// Calls visit(a, b), once for every pair whose hulls touch. Requires: no strays yet.
  template <class Visit>
  void visit_pairs(Visit&& visit) const;

  /// Calls visit(index) once for every mover whose hull touches `area`.
  template <class Visit>
  void visit_near(const Rect& area, Visit&& visit) const;

  /// Changes what `mover` covers until the tick ends. Requires: it was added.
  void update(std::uint32_t mover, const Rect& hull);

 private:
  /// A mover and its cell: column and row at a level, and the hash bucket of the cell. Without
  /// cells: its strip, and its corner at the tick's start.
  struct Place {
    std::uint32_t mover = 0;
    std::uint32_t bucket = 0;
    std::int32_t x = 0;  ///< of its cell, or in sub-units
    std::int32_t y = 0;
    std::int32_t level = 0;
  };

  struct Stray {
    std::uint32_t mover = 0;
    Rect hull;
  };

  /// Returns whether no query misses a mover that covers `hull` and stays in its place.
  [[nodiscard]] bool may_stay(const Place& place, const Rect& hull) const {
    if (has_cells_) return contains(region_of(place), box_of(hull));
    const std::int64_t corner = axis_ == 0 ? place.x : place.y;
    return low_of(hull, axis_) >= corner - reach_max_ &&
           high_of(hull, axis_) <= corner + reach_max_;
  }

  /// What a mover of a cell may cover.
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
  [[gnu::always_inline]] inline void visit_row(const Row& row, const RectColumns::Probe& probe,
                                               Visit&& visit) const;

  template <class Visit>
  void visit_pairs_in_strips(Visit&& visit) const;

  template <class Visit>
  void visit_pairs_in_cells(Visit&& visit) const;

  /// Visits the movers in the cells around `rect`, without strays.
  template <class Visit>
  void visit_cells_near(const Rect& rect, const RectColumns::Probe& probe, Visit&& visit) const;

  /// Visits the slots from `from` to the end of `end_bucket`, which is in the same row.
  template <class Visit>
  void visit_on(std::size_t from, std::size_t start_bucket, std::size_t end_bucket,
                const RectColumns::Probe& probe, Visit&& visit) const;

  /// Returns the strip of a coordinate; the outer strips have all beyond them.
  [[nodiscard]] std::size_t strip_of(std::int64_t at) const {
    const std::int64_t last = (std::int64_t{1} << bits_) - 1;
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>((at - begin_) >> strip_bits_, 0, last));
  }

  /// Finds the cell of a mover whose corner `place` has, and counts the mover in its bucket.
  void find_cell(Place& place, std::int64_t reach) {
    place.level = level_for(2 * reach);
    place.x >>= place.level;
    place.y >>= place.level;
    place.bucket = static_cast<std::uint32_t>(bucket_of(place.level, place.x, place.y, bits_));
    levels_ |= std::uint64_t{1} << place.level;
    ++first_[place.bucket + 1];
  }

  void find_strips(std::span<const Rect> hulls);
  void set(std::uint32_t slot, const Place& place, std::span<const Rect> hulls);

  /// The most movers in strips. `tickbox-bench-physics` is faster with strips up to twice as many;
  /// its movers are spread.
  static constexpr std::size_t kInStripsMax = 1024;
  static constexpr std::uint32_t kStrayed = 0xffff'ffff;

  std::vector<Place> added_;  ///< the first added_count_
  std::size_t added_count_ = 0;
  std::vector<std::uint32_t> slots_;  ///< by mover
  std::vector<Place> places_;         ///< by slot
  RectColumns hulls_;                 ///< by slot
  std::vector<std::uint32_t> first_;  ///< slot of each bucket, and the end
  std::vector<Stray> strays_;
  std::uint64_t levels_ = 0;  ///< a bit for each that holds anything
  int bits_ = 1;              ///< of the number of a bucket
  bool has_cells_ = true;
  // Without cells:
  std::int64_t reach_max_ = 0;
  Axis axis_ = 0;           ///< on which the strips follow each other
  std::int64_t begin_ = 0;  ///< where the first strip begins
  int strip_bits_ = 0;      ///< a strip is 2^strip_bits_ sub-units wide
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

template <class Visit>
void MoverGrid::visit_pairs(Visit&& visit) const {
  if (has_cells_) {
    visit_pairs_in_cells(visit);
  } else {
    visit_pairs_in_strips(visit);
  }
}

// Of two movers that touch, the low edge of the one in the later slot is not beyond the high edge
// of the other.
template <class Visit>
void MoverGrid::visit_pairs_in_strips(Visit&& visit) const {
  for (std::size_t slot = 0; slot < places_.size(); ++slot) {
    const Rect hull = hulls_[slot];
    hulls_.visit_touching(
        slot + 1, first_[strip_of(high_of(hull, axis_)) + 1], RectColumns::Probe{hull},
        [&](std::size_t other) { visit(places_[slot].mover, places_[other].mover); });
  }
}

// Each pair is found once. Of two movers at different levels, the finer one finds the coarser one.
// Of two at one level, the one whose cell comes first, row by row, finds the other. Of two in one
// cell, the one in the earlier slot does.
template <class Visit>
void MoverGrid::visit_pairs_in_cells(Visit&& visit) const {
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
      const CellRange coarse = cells_around(hull, level);
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
    const CellRange range = cells_around(rect, level);
    for (std::int64_t y = range.y0; y <= range.y1; ++y) {
      visit_row({level, y, range.x0, range.x1}, probe,
                [&](const Place& place) { visit(place.mover); });
    }
  }
}

template <class Visit>
void MoverGrid::visit_near(const Rect& area, Visit&& visit) const {
  const RectColumns::Probe probe{area};
  const auto visit_slots = [&](std::size_t from, std::size_t to) {
    hulls_.visit_touching(from, to, probe, [&](std::size_t slot) { visit(places_[slot].mover); });
  };
  if (!has_cells_) {
    // At the start a mover's low edge was at most reach_max_ before its corner. The corner is at
    // most reach_max_ from all that the mover covers now.
    visit_slots(first_[strip_of(low_of(area, axis_) - 2 * reach_max_)],
                first_[strip_of(high_of(area, axis_) + reach_max_) + 1]);
  } else if (is_wide(area)) {
    visit_slots(0, places_.size());
  } else {
    visit_cells_near(area, probe, visit);
  }
  for (const Stray& stray : strays_) {
    if (touch(stray.hull, area)) visit(stray.mover);
  }
}

}  // namespace tickbox::sim
