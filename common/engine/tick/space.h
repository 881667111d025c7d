#pragma once
// Where entities are: a hashed grid of cells that is kept up to date while callbacks move, remove
// and spawn entities.
//
// An entity is filed in every cell that its box overlaps, among those of its kind. Entities that
// overlap more than kCellsMax cells are in one list instead. A query looks at the kinds that it
// wants, so a crowd of others in one place costs it nothing. It finds an entity once: in the first
// cell that both boxes overlap.

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

  /// The filed entities of one kind.
  struct Kind {
    std::uint32_t count = 0;
    /// What any of them has, or had since clear().
    std::uint16_t layers = 0;
    std::uint16_t collides_with = 0;

    /// Whether something with these layers may meet one of them.
    [[nodiscard]] bool may_meet(std::uint16_t its_layers, std::uint16_t it_collides_with) const {
      return (its_layers & collides_with) != 0 && (layers & it_collides_with) != 0;
    }
  };

  /// Removes all entities, and makes space for keys below `keys` and kinds below `kinds`.
  void clear(std::size_t keys, std::size_t kinds);

  /// Files an entity. Requires: the key is not filed; a size of at least 1 on both axes.
  void add(Key key, const sim::Box& box, std::uint8_t kind);

  /// Adds the layers of an entity to those of its kind.
  void add_layers(std::uint8_t kind, std::uint16_t layers, std::uint16_t collides_with) {
    kinds_[kind].layers |= layers;
    kinds_[kind].collides_with |= collides_with;
  }

  /// Does nothing for a key that is not filed.
  void remove(Key key);

  /// Returns the box of an entity. Requires: the key is filed.
  [[nodiscard]] const sim::Box& box(Key key) const { return entries_[key].box; }

  /// Calls visit(key) for each entity whose interior overlaps `box` and for whose kind
  /// wants(number, kind) is true, in no order. Requires: `visit` changes nothing here.
  template <class Wants, class Visit>
  void visit(const sim::Box& box, Wants&& wants, Visit&& visit) const {
    for (const Key key : large_) {
      const Entry& entry = entries_[key];
      if (sim::overlap(entry.box, box) && wants(entry.kind, kinds_[entry.kind])) visit(key);
    }
    const Cells cells = cells_of(box);
    if (cells.count() > static_cast<std::int64_t>(entries_.size())) {
      for (Key key = 0; key < entries_.size(); ++key) {
        const Entry& entry = entries_[key];
        if (entry.is_filed && !entry.is_large && sim::overlap(entry.box, box) &&
            wants(entry.kind, kinds_[entry.kind])) {
          visit(key);
        }
      }
      return;
    }
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      const auto number = static_cast<std::uint8_t>(kind);
      if (kinds_[kind].count != 0 && wants(number, kinds_[kind])) visit_kind(number, box, visit);
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
    std::uint8_t kind = 0;
    bool is_filed = false;
    bool is_large = false;
  };

  struct Node {
    Vec2 cell;
    Key key = 0;
    std::uint32_t next = kEnd;
    std::uint8_t kind = 0;
  };

  /// Visits the entities of one kind that overlap `box`, without the large ones.
  template <class Visit>
  void visit_kind(std::uint8_t kind, const sim::Box& box, Visit& visit) const {
    const Cells cells = cells_of(box);
    for (std::int32_t y = cells.first.y; y <= cells.last.y; ++y) {
      for (std::int32_t x = cells.first.x; x <= cells.last.x; ++x) {
        for (std::uint32_t at = lists_[list_of({x, y}, kind)]; at != kEnd; at = nodes_[at].next) {
          const Node& node = nodes_[at];
          if (node.cell != Vec2{x, y} || node.kind != kind) continue;
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

  [[nodiscard]] static Cells cells_of(const sim::Box& box);
  [[nodiscard]] static std::uint32_t list_of(Vec2 cell, std::uint8_t kind);

  std::vector<Entry> entries_;  ///< by key
  std::vector<Kind> kinds_;
  std::vector<Key> large_;  ///< in no order
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;   ///< nodes that are not used
  std::vector<std::uint32_t> lists_;  ///< by hash of the cell and the kind: the first node
};

}  // namespace tickbox::engine
