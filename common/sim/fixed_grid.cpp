#include "sim/fixed_grid.h"

#include "core/assert.h"

#include <algorithm>
#include <bit>

namespace tickbox::sim {

void FixedGrid::add(std::uint32_t slot, const Rect& rect) {
  if (2 * (count_ + 1) > heads_.size()) grow();
  if (slot >= entries_.size()) entries_.resize(std::size_t{slot} + 1);
  const int level = level_for(2 * extent_of(rect));
  entries_[slot] = {.rect = rect, .level = level};
  link(slot);
  ++count_;
  ++at_level_.at(static_cast<std::size_t>(level));
  levels_ |= std::uint64_t{1} << level;
}

void FixedGrid::remove(std::uint32_t slot) {
  const Entry& entry = entries_.at(slot);
  std::uint32_t* link = &head_of(entry);
  while (*link != slot) {
    TICKBOX_ASSERT(*link != kEnd);
    link = &entries_[*link].next;
  }
  *link = entry.next;
  --count_;
  if (--at_level_.at(static_cast<std::size_t>(entry.level)) == 0) {
    levels_ &= ~(std::uint64_t{1} << entry.level);
  }
}

void FixedGrid::clear() {
  std::ranges::fill(heads_, kEnd);
  at_level_.fill(0);
  levels_ = 0;
  count_ = 0;
}

void FixedGrid::link(std::uint32_t slot) {
  std::uint32_t& head = head_of(entries_[slot]);
  entries_[slot].next = head;
  head = slot;
}

/// Doubles the number of lists, so that few cells share one by chance.
void FixedGrid::grow() {
  constexpr int kBitsMin = 4;
  std::uint32_t all = kEnd;  // the bodies of all lists as one: a copy of them would need memory
  for (std::uint32_t slot : heads_) {
    while (slot != kEnd) {
      const std::uint32_t next = entries_[slot].next;
      entries_[slot].next = all;
      all = slot;
      slot = next;
    }
  }
  bits_ = std::max(kBitsMin, bits_ + 1);
  heads_.assign(std::size_t{1} << bits_, kEnd);
  while (all != kEnd) {
    const std::uint32_t next = entries_[all].next;
    link(all);
    all = next;
  }
}

std::int64_t FixedGrid::count_cells(const Rect& area) const {
  std::int64_t cells = 0;
  for (std::uint64_t left = levels_; left != 0; left &= left - 1) {
    cells += cells_near(area, std::countr_zero(left)).count();
  }
  return cells;
}

void FixedGrid::visit_list(std::uint32_t slot, const Rect& area, Visit visit) const {
  for (; slot != kEnd; slot = entries_[slot].next) {
    if (touch(entries_[slot].rect, area)) visit(slot);
  }
}

void FixedGrid::visit_level(int level, const Rect& area, Visit visit) const {
  const CellRange range = cells_near(area, level);
  for (std::int64_t y = range.y0; y <= range.y1; ++y) {
    for (std::int64_t x = range.x0; x <= range.x1; ++x) {
      visit_list(heads_[bucket_of(level, x, y, bits_)], area, visit);
    }
  }
}

void FixedGrid::visit(const Rect& area, Visit visit) const {
  if (empty()) return;
  if (count_cells(area) > std::ssize(heads_)) {
    for (const std::uint32_t head : heads_) {
      visit_list(head, area, visit);
    }
    return;
  }
  for (std::uint64_t left = levels_; left != 0; left &= left - 1) {
    visit_level(std::countr_zero(left), area, visit);
  }
}

bool FixedGrid::walk(const Motion& motion, const Leg& leg, Visit visit_one, IsOver is_over) const {
  constexpr FineTime kParts = 4;
  constexpr std::int64_t kFewCells = 32;
  const auto part_of = [&](FineTime part) {
    const FineTime from = leg.from + (leg.to - leg.from) * part / kParts;
    const FineTime to = leg.from + (leg.to - leg.from) * (part + 1) / kParts;
    return Leg{from, to, rect_of(hull_of(motion, from, to))};
  };
  const std::int64_t cells = count_cells(leg.hull);
  const bool parts_are_cheaper = cells > kFewCells && leg.to - leg.from >= kParts &&
                                 (kParts - 1) * count_cells(part_of(0).hull) <= cells;
  if (!parts_are_cheaper) {
    visit(leg.hull, visit_one);
    return is_over(leg.to);
  }
  for (FineTime part = 0; part < kParts; ++part) {
    if (walk(motion, part_of(part), visit_one, is_over)) return true;
  }
  return false;
}

// A path is not cut if its parts would have more cells than there are lists. visit() then reads at
// most as many cells as there are lists, or each list once.
void FixedGrid::visit_path(const Motion& motion, FineTime from, const Rect& hull, Visit visit_one,
                           IsOver is_over) const {
  if (empty()) return;
  constexpr std::int64_t kCellsPerStep = 8;  // of a path cut into parts
  const std::int64_t steps = extent_of(hull) >> std::countr_zero(levels_);
  if (steps * kCellsPerStep > std::ssize(heads_)) {
    visit(hull, visit_one);
  } else {
    walk(motion, {from, kFineSteps, hull}, visit_one, is_over);
  }
}

}  // namespace tickbox::sim
