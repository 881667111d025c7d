#include "sim/static_grid.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tickbox::sim {
namespace {

/// The most cells for one rectangle. A rectangle that needs more goes to a coarser level. A wall
/// around a room of a thousand units needs about this many.
constexpr std::int64_t kCellsPerStaticMax = 1024;

/// The most cells per static on average at the finest level: thin walls would fill many small
/// cells.
constexpr std::int64_t kCellsPerStatic = 256;

/// The entries of one cell up to which a query does not split its path.
constexpr std::size_t kFewEntries = 32;

/// The level at which the search for the finest begins is at most this: cells of 4 units, even for
/// large statics. Movers are seldom larger, and most cells of a hall's floor are then empty.
constexpr int kWidestFinestLevel = 18;

/// The first level of cells at least twice as wide as the shorter side of the median static. A
/// mover of that size and its way then fit into one cell.
int typical_level(std::span<const Rect> rects) {
  std::vector<std::int64_t> widths;
  widths.reserve(rects.size());
  for (const Rect& rect : rects) {
    widths.push_back(std::min(std::int64_t{rect.x1} - rect.x0, std::int64_t{rect.y1} - rect.y0));
  }
  const auto median = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::nth_element(widths.begin(), median, widths.end());
  return std::min(level_for(2 * *median), kWidestFinestLevel);
}

/// The finest level with at most kCellsPerStatic cells per static on average.
int finest_level(std::span<const Rect> rects) {
  int level = typical_level(rects);
  const auto cells = [&] {
    std::int64_t sum = 0;
    for (const Rect& rect : rects) {
      sum += std::min(cells_around(rect, level).count(), kCellsPerStaticMax);
    }
    return sum;
  };
  while (cells() > kCellsPerStatic * std::ssize(rects)) {
    level += kLevelStep;
  }
  return level;
}

}  // namespace

StaticGrid::StaticGrid(std::span<const Body> statics, std::span<const std::uint32_t> which) {
  if (which.empty()) return;
  std::vector<Rect> rects;
  rects.reserve(which.size());
  for (const std::uint32_t index : which) {
    rects.push_back(rect_of(box_of(statics[index].min, statics[index].size)));
  }
  const int finest = finest_level(rects);
  std::vector<Listed> listed;
  listed.reserve(which.size());
  Rect all = rects.front();
  for (std::size_t i = 0; i < which.size(); ++i) {
    all = united(all, rects[i]);
    int level = finest;
    while (cells_around(rects[i], level).count() > kCellsPerStaticMax) {
      level += kLevelStep;
    }
    listed.push_back({rects[i], which[i], level});
  }
  std::ranges::sort(listed, {}, [](const Listed& one) { return std::pair{one.level, one.index}; });

  const std::int64_t extent =
      std::max(std::int64_t{all.x1} - all.x0, std::int64_t{all.y1} - all.y0);
  for (int level = listed.front().level;; level += kLevelStep) {
    const auto here = std::ranges::lower_bound(listed, level, {}, &Listed::level);
    const auto beyond = std::ranges::upper_bound(listed, level, {}, &Listed::level);
    levels_.push_back({level, table_of({listed.begin(), beyond}, level),
                       levels_.empty() ? Table{} : table_of({here, beyond}, level)});
    if (!levels_.back().large.indices.empty()) with_large_.push_back(levels_.size() - 1);
    if (beyond == listed.end() && std::int64_t{1} << level >= extent) break;
  }
}

StaticGrid::Table StaticGrid::table_of(std::span<const Listed> listed, int level) {
  Table table;

  struct Sorted {
    std::int64_t x = 0;
    std::int64_t y = 0;
    Entry entry;
  };

  std::vector<Sorted> unsorted;
  for (const Listed& one : listed) {
    const CellRange range = cells_around(one.rect, level);
    for (std::int64_t y = range.y0; y <= range.y1; ++y) {
      for (std::int64_t x = range.x0; x <= range.x1; ++x) {
        unsorted.push_back({x, y, {one.rect, one.index}});
      }
    }
  }
  table.bits = static_cast<int>(std::bit_width(unsorted.size() + 1));
  table.first.assign((std::size_t{1} << table.bits) + 1, 0);
  for (const auto& [x, y, entry] : unsorted) {
    ++table.first[bucket_of(level, x, y, table.bits) + 1];
  }
  for (std::size_t bucket = 1; bucket < table.first.size(); ++bucket) {
    table.first[bucket] += table.first[bucket - 1];
  }
  table.rects.resize(unsorted.size());
  table.indices.resize(unsorted.size());
  std::vector<std::uint32_t> next = table.first;
  for (const auto& [x, y, entry] : unsorted) {
    const std::uint32_t place = next[bucket_of(level, x, y, table.bits)]++;
    table.rects.set(place, entry.rect);
    table.indices[place] = entry.index;
  }
  return table;
}

bool StaticGrid::is_crowded(std::size_t level, const Rect& hull) const {
  const int bits = levels_[level].level;
  if (extent_of(hull) > std::int64_t{1} << bits) return true;
  const Range range = cell(levels_[level].all, bits, (std::int64_t{hull.x0} + hull.x1) / 2 >> bits,
                           (std::int64_t{hull.y0} + hull.y1) / 2 >> bits);
  return range.to - range.from > kFewEntries;
}

}  // namespace tickbox::sim
