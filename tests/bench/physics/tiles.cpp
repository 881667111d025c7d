#include "tests/bench/physics/tiles.h"

#include <algorithm>
#include <tuple>

namespace tickbox::bench {
namespace {

std::vector<TileRect> rows_of(std::span<const Tile> tiles) {
  std::vector<Tile> sorted{tiles.begin(), tiles.end()};
  std::ranges::sort(sorted, {}, [](const Tile& tile) { return std::tuple{tile.y, tile.x}; });
  std::vector<TileRect> rows;
  for (const Tile& tile : sorted) {
    if (!rows.empty() && rows.back().y == tile.y && rows.back().x + rows.back().width == tile.x) {
      ++rows.back().width;
    } else {
      rows.push_back({.x = tile.x, .y = tile.y});
    }
  }
  return rows;
}

}  // namespace

std::vector<TileRect> merge_tiles(std::span<const Tile> tiles) {
  std::vector<TileRect> rows = rows_of(tiles);
  std::ranges::sort(rows, {},
                    [](const TileRect& row) { return std::tuple{row.x, row.width, row.y}; });
  std::vector<TileRect> merged;
  for (const TileRect& row : rows) {
    if (!merged.empty()) {
      TileRect& above = merged.back();
      if (above.x == row.x && above.width == row.width && above.y + above.height == row.y) {
        above.height += row.height;
        continue;
      }
    }
    merged.push_back(row);
  }
  std::ranges::sort(merged, {}, [](const TileRect& rect) { return std::tuple{rect.y, rect.x}; });
  return merged;
}

}  // namespace tickbox::bench
