#pragma once
// The broadphase of fixed bodies: a grid that changes with every body added or removed.
//
// Each body is in one cell: that of its corner with the least coordinates, at the finest level
// whose cells are at least twice as wide as the body. So a query looks half a cell further to the
// left and up than its own box. A hash finds the list of a cell; the grid does not grow with the
// world.

#include "core/function_ref.h"
#include "sim/step/cell.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::sim {

class FixedGrid {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// The extent of a path above which a query in parts (visit_path()) is cheaper than one query.
  [[nodiscard]] std::int64_t long_extent() const {
    constexpr int kCellsInBits = 2;
    return levels_ == 0 ? INT64_MAX : std::int64_t{1} << (std::countr_zero(levels_) + kCellsInBits);
  }

  /// Adds a body under its slot. Requires: the slot is not in the grid.
  /// Cost: constant on average; the lists double where there are too few.
  void add(std::uint32_t slot, const Rect& rect);

  /// Removes a body. Requires: it is in the grid. Cost: as the number of bodies in its list.
  void remove(std::uint32_t slot);

  /// Removes all bodies and keeps the memory. Cost: as the most bodies so far.
  void clear();

  using Visit = FunctionRef<void(std::uint32_t)>;
  using IsOver = FunctionRef<bool(FineTime)>;

  /// Calls visit(slot) for every body whose closed box touches `area`, for some of them more than
  /// once.
  void visit(const Rect& area, Visit visit) const;

  /// Calls visit(slot) for every body that a box in motion may touch from `from` to the tick's end,
  /// for some of them more than once. It stops after a part of the path that ends at s if
  /// `is_over(s)` is true: nothing after s matters. Requires: `hull` covers that path.
  void visit_path(const Motion& motion, FineTime from, const Rect& hull, Visit visit_one,
                  IsOver is_over) const;

 private:
  static constexpr std::uint32_t kEnd = 0xffff'ffff;

  /// A body in the list of its bucket.
  struct Entry {
    Rect rect;
    std::uint32_t next = kEnd;
    std::int32_t level = 0;
  };

  /// The cells that can hold the corner of a body that touches `area`.
  [[nodiscard]] static CellRange cells_near(const Rect& area, int level) {
    const std::int64_t half = std::int64_t{1} << (level - 1);
    return {(area.x0 - half) >> level, (area.y0 - half) >> level, std::int64_t{area.x1} >> level,
            std::int64_t{area.y1} >> level};
  }

  /// How many cells a query for `area` reads.
  [[nodiscard]] std::int64_t count_cells(const Rect& area) const;

  /// The list of an entry.
  [[nodiscard]] std::uint32_t& head_of(const Entry& entry) {
    return heads_[bucket_of(entry.level, std::int64_t{entry.rect.x0} >> entry.level,
                            std::int64_t{entry.rect.y0} >> entry.level, bits_)];
  }

  void link(std::uint32_t slot);
  void grow();

  void visit_level(int level, const Rect& area, Visit visit) const;
  void visit_list(std::uint32_t slot, const Rect& area, Visit visit) const;

  /// A part of a path.
  struct Leg {
    FineTime from = 0;
    FineTime to = 0;
    Rect hull;
  };

  /// Visits the bodies near a leg. Returns true if `is_over` has ended the walk.
  bool walk(const Motion& motion, const Leg& leg, Visit visit_one, IsOver is_over) const;

  static constexpr int kLevels = 33;  ///< the coarsest is for twice the largest size

  std::vector<Entry> entries_;                        ///< by slot
  std::vector<std::uint32_t> heads_;                  ///< the first slot of each bucket
  std::array<std::uint32_t, kLevels> at_level_ = {};  ///< the number of bodies at each level
  std::uint64_t levels_ = 0;                          ///< a bit for each that has any
  std::size_t count_ = 0;
  int bits_ = 0;
};

}  // namespace tickbox::sim
