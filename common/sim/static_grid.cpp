#include "sim/static_grid.h"

#include <algorithm>
#include <bit>

namespace tickbox::sim {
namespace {

/// A rectangle that touches more cells goes to a coarser level.
constexpr std::int64_t kCellsPerStaticMax = 32;

/// Cells as wide as the median static is on average, so that most statics touch few and most cells
/// hold few.
int typical_level(std::span<const Body> statics) {
  if (statics.empty()) return kFinestLevel;
  std::vector<std::int64_t> widths;
  widths.reserve(statics.size());
  for (const Body& body : statics) {
    widths.push_back((std::int64_t{body.size.x} + body.size.y) / 2);
  }
  const auto median = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::nth_element(widths.begin(), median, widths.end());
  return level_for(*median);
}

}  // namespace

StaticGrid::StaticGrid(std::span<const Body> statics) : base_level_(typical_level(statics)) {
  std::vector<Entry> unsorted;
  for (std::uint32_t index = 0; index < statics.size(); ++index) {
    const Box box = box_of(statics[index].min, statics[index].size);
    const int level = level_of(box);
    if (std::find(levels_.begin(), levels_.end(), level) == levels_.end()) levels_.push_back(level);
    const CellRange range = cells_of(box, level);
    for (std::int64_t y = range.y0; y <= range.y1; ++y) {
      for (std::int64_t x = range.x0; x <= range.x1; ++x) {
        unsorted.push_back({cell_key(level, x, y), box, index});
      }
    }
  }
  std::sort(levels_.begin(), levels_.end());

  bits_ = static_cast<int>(std::bit_width(2 * unsorted.size() + 1));
  first_.assign((std::size_t{1} << bits_) + 1, 0);
  for (const Entry& entry : unsorted) {
    ++first_[bucket_of(entry.key, bits_) + 1];
  }
  for (std::size_t bucket = 1; bucket < first_.size(); ++bucket) {
    first_[bucket] += first_[bucket - 1];
  }
  entries_.resize(unsorted.size());
  std::vector<std::uint32_t> next = first_;
  for (const Entry& entry : unsorted) {
    entries_[next[bucket_of(entry.key, bits_)]++] = entry;
  }
}

int StaticGrid::level_of(const Box& box) const {
  int level = base_level_;
  while (cells_of(box, level).count() > kCellsPerStaticMax) {
    level += kLevelStep;
  }
  return level;
}

std::int64_t StaticGrid::cells_in(const Box& area) const {
  std::int64_t cells = 0;
  for (const int level : levels_) {
    cells += cells_of(area, level).count();
  }
  return cells;
}

}  // namespace tickbox::sim
