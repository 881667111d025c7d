// Merged tiles cover what the tiles covered, each place once.

#include "tests/bench/physics/tiles.h"

#include "tests/bench/physics/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace tickbox::bench {
namespace {

TEST(Tiles, NeighboursInARowBecomeOne) {
  const std::vector<Tile> tiles{{4, 0}, {2, 0}, {3, 0}, {6, 0}};
  EXPECT_EQ(merge_tiles(tiles), (std::vector<TileRect>{{2, 0, 3, 1}, {6, 0, 1, 1}}));
}

TEST(Tiles, EqualRowsAboveEachOtherBecomeOne) {
  const std::vector<Tile> tiles{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {0, 4}};
  EXPECT_EQ(merge_tiles(tiles), (std::vector<TileRect>{{0, 0, 2, 2}, {0, 2, 1, 1}, {0, 4, 1, 1}}));
}

TEST(Tiles, ThePlatformersGroundIsCoveredOnceAndNothingElseIs) {
  const auto by_place = [](const Tile& tile) { return std::tuple{tile.y, tile.x}; };
  Scene scene = make_scene(SceneKind::Platformer, 300);
  const std::vector<TileRect> merged = merge_tiles(scene.tiles);
  std::vector<Tile> covered;
  for (const TileRect& rect : merged) {
    for (int y = rect.y; y < rect.y + rect.height; ++y) {
      for (int x = rect.x; x < rect.x + rect.width; ++x) {
        covered.push_back({x, y});
      }
    }
  }
  std::ranges::sort(covered, {}, by_place);
  std::ranges::sort(scene.tiles, {}, by_place);
  EXPECT_EQ(covered, scene.tiles);
  EXPECT_LT(merged.size() * 3, scene.tiles.size());
}

}  // namespace
}  // namespace tickbox::bench
