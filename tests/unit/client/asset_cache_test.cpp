#include "client/views/asset_cache.h"

#include "games/catalog.h"

#include <gtest/gtest.h>

namespace tickbox::client {
namespace {

TEST(AssetCache, AllClientsShareAMap) {
  AssetCache assets{game::all_games()};
  const game::SharedMap map = assets.map(8);
  ASSERT_NE(map, nullptr);
  EXPECT_EQ(assets.map(8), map);
  EXPECT_NE(assets.map(9), map);
}

// A hostile server once filled the memory of its clients with one map after the other.
TEST(AssetCache, KeepsNoMapThatNobodyUses) {
  AssetCache assets{game::all_games()};
  const std::weak_ptr<const game::Map> map = assets.map(8);
  EXPECT_TRUE(map.expired());
  EXPECT_NE(assets.map(8), nullptr);
}

TEST(AssetCache, HasRulesOfKnownGamesOnly) {
  AssetCache assets{game::all_games()};
  const auto rules = assets.rules("arena", 60);
  ASSERT_NE(rules, nullptr);
  EXPECT_EQ(assets.rules("arena", 60), rules);
  EXPECT_EQ(assets.rules("no such game", 60), nullptr);
}

}  // namespace
}  // namespace tickbox::client
