#pragma once
// Where entities are: a hashed grid of cells that is kept up to date while callbacks move, remove
// and spawn entities.
//
// An entity is filed in every cell that its box overlaps. Entities that overlap more than kCellsMax
// cells are in one list instead. A query finds an entity once: in the first cell that both boxes
// overlap.

#include "core/fixed.h"
#include "sim/box.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::engine {

class Space {
 public:
  /// The number of an entity: the caller's, from 0 up.
  using Key = std::uint32_t;

  /// Removes all entities, and makes space for keys below `keys`.
  void clear(std::size_t keys);

  /// Files an entity. Requires: the key is not filed; a size of at least 1 on both axes.
  void add(Key key, const sim::Box& box);

  /// Does nothing for a key that is not filed.
  void remove(Key key);

  /// Returns the box of an entity. Requires: the key is filed.
  [[nodiscard]] const sim::Box& box(Key key) const { return entries_[key].box; }

  /// Calls visit(key) for each entity whose interior overlaps `box`, in no order.
  /// Requires: `visit` changes nothing here.
  template <class Visit>
  void visit(const sim::Box& box, Visit&& visit) const {
    for (const Key key : large_) {
      if (sim::overlap(entries_[key].box, box)) visit(key);
    }
    const Cells cells = cells_of(box);
    if (cells.count() > static_cast<std::int64_t>(entries_.size())) {
      for (Key key = 0; key < entries_.size(); ++key) {
        const Entry& entry = entries_[key];
        if (entry.is_filed && !entry.is_large && sim::overlap(entry.box, box)) visit(key);
      }
      return;
    }
    for (std::int32_t y = cells.first.y; y <= cells.last.y; ++y) {
      for (std::int32_t x = cells.first.x; x <= cells.last.x; ++x) {
        for (std::uint32_t at = lists_[list_of({x, y})]; at != kEnd; at = nodes_[at].next) {
          const Node& node = nodes_[at];
          if (node.cell != Vec2{x, y}) continue;
          const sim::Box& other = entries_[node.key].box;
          if (!sim::overlap(other, box)) continue;
          const Vec2 first = cells_of(other).first;
          const bool is_first_common =
              x == std::max(first.x, cells.first.x) && y == std::max(first.y, cells.first.y);
          if (is_first_common) visit(node.key);
        }
      }
    }
  }

 private:
  static constexpr std::uint32_t kEnd = 0xffff'ffff;
  static constexpr std::int32_t kCell = 4 * kUnit;
  static constexpr std::uint32_t kLists = 4'096;
  /// The most cells of an entity that is filed by cells.
  static constexpr std::int64_t kCellsMax = 64;

  struct Cells {
    Vec2 first;
    Vec2 last;

    [[nodiscard]] std::int64_t count() const {
      return (std::int64_t{last.x} - first.x + 1) * (std::int64_t{last.y} - first.y + 1);
    }
  };

  struct Entry {
    sim::Box box;
    bool is_filed = false;
    bool is_large = false;
  };

  struct Node {
    Vec2 cell;
    Key key = 0;
    std::uint32_t next = kEnd;
  };

  [[nodiscard]] static Cells cells_of(const sim::Box& box);
  [[nodiscard]] static std::uint32_t list_of(Vec2 cell);

  std::vector<Entry> entries_;  ///< by key
  std::vector<Key> large_;      ///< in no order
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;   ///< nodes that are not used
  std::vector<std::uint32_t> lists_;  ///< by hash of the cell: the first node
};

}  // namespace tickbox::engine
