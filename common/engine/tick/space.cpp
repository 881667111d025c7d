#include "engine/tick/space.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::engine {

void Space::clear(std::size_t keys, std::size_t kinds) {
  entries_.assign(keys, {});
  kinds_.assign(kinds, {});
  large_.clear();
  nodes_.clear();
  free_.clear();
  lists_.assign(kLists, kEnd);
}

void Space::add(Key key, const sim::Box& box, std::uint8_t kind) {
  if (key >= entries_.size()) entries_.resize(key + 1);
  const Cells cells = cells_of(box);
  TICKBOX_ASSERT(!entries_[key].is_filed);
  entries_[key] = {
      .box = box, .kind = kind, .is_filed = true, .is_large = cells.count() > kCellsMax};
  ++kinds_[kind].count;
  if (entries_[key].is_large) {
    large_.push_back(key);
    return;
  }
  for (std::int32_t y = cells.first.y; y <= cells.last.y; ++y) {
    for (std::int32_t x = cells.first.x; x <= cells.last.x; ++x) {
      if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(nodes_.size()));
        nodes_.emplace_back();
      }
      const std::uint32_t at = free_.back();
      free_.pop_back();
      std::uint32_t& first = lists_[list_of({x, y}, kind)];
      nodes_[at] = {.cell = {x, y}, .key = key, .next = first, .kind = kind};
      first = at;
    }
  }
}

void Space::remove(Key key) {
  if (key >= entries_.size() || !entries_[key].is_filed) return;
  const std::uint8_t kind = entries_[key].kind;
  entries_[key].is_filed = false;
  --kinds_[kind].count;
  if (entries_[key].is_large) {
    std::erase(large_, key);
    return;
  }
  const Cells cells = cells_of(entries_[key].box);
  for (std::int32_t y = cells.first.y; y <= cells.last.y; ++y) {
    for (std::int32_t x = cells.first.x; x <= cells.last.x; ++x) {
      std::uint32_t* link = &lists_[list_of({x, y}, kind)];
      while (nodes_[*link].key != key || nodes_[*link].cell != Vec2{x, y}) {
        link = &nodes_[*link].next;
      }
      free_.push_back(*link);
      *link = nodes_[*link].next;
    }
  }
}

/// The cells that the interior of a box overlaps.
Space::Cells Space::cells_of(const sim::Box& box) {
  const auto cell = [](std::int64_t at) {
    return static_cast<std::int32_t>(at >= 0 ? at / kCell : -((-at + kCell - 1) / kCell));
  };
  return {.first = {cell(box.min[0]), cell(box.min[1])},
          .last = {cell(box.max[0] - 1), cell(box.max[1] - 1)}};
}

std::uint32_t Space::list_of(Vec2 cell, std::uint8_t kind) {
  const auto x = static_cast<std::uint32_t>(cell.x);
  const auto y = static_cast<std::uint32_t>(cell.y);
  return (x * 0x9e37'79b1U ^ y * 0x85eb'ca77U ^ kind * 0xc2b2'ae3dU) >> 20U;
}

static_assert(1U << 12U == 4'096, "a hash of twelve bits selects a list");

}  // namespace tickbox::engine
