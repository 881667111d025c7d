#include "client/client.h"
#include "games/arena/arena.h"
#include "games/platformer/platformer.h"
#include "tests/support/field_game.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace tickbox::client {
namespace {

constexpr std::uint32_t kRate = 60;

const std::array kGames{&games::arena(), &tests::field::game()};

/// Returns the ACCEPT of a server of this program's build.
net::Accept accept_of(const GameTable& game, std::uint32_t seats, std::string_view name = {}) {
  const engine::SharedMap map = engine::make_map(game, {.seats = seats, .name = name}, kRate);
  const engine::Identity identity = engine::identity_of(game, map, kRate);
  return {.tick_rate = kRate,
          .game = identity.game,
          .game_version = identity.version,
          .game_hash = identity.game_hash,
          .map_seats = identity.map_seats,
          .map_hash = identity.map_hash};
}

TEST(AssetCache, AllClientsShareAMap) {
  AssetCache cache{kGames};
  const auto assets = cache.find(accept_of(games::arena(), 8));
  ASSERT_TRUE(assets);
  EXPECT_EQ(assets->game, &games::arena());
  EXPECT_EQ(assets->tick_rate, kRate);
  EXPECT_EQ(assets->map->seats, 8U);
  EXPECT_EQ(cache.find(accept_of(games::arena(), 8)).value(), *assets);
  const auto others = cache.find(accept_of(games::arena(), 9));
  ASSERT_TRUE(others);
  EXPECT_NE(others->map, assets->map);
  const auto field = cache.find(accept_of(tests::field::game(), 8));
  ASSERT_TRUE(field);
  EXPECT_EQ(field->game, &tests::field::game());
  EXPECT_NE(field->map, assets->map);
}

TEST(AssetCache, HasTheMapThatTheServerPlays) {
  const std::array games{&games::platformer()};
  AssetCache cache{games};
  std::vector<engine::SharedMap> maps;
  for (const std::string_view name : games::platformer().maps) {
    const auto assets = cache.find(accept_of(games::platformer(), 8, name));
    ASSERT_TRUE(assets) << assets.error().words;
    EXPECT_EQ(assets->map->name, name);
    maps.push_back(assets->map);
  }
  EXPECT_EQ(cache.find(accept_of(games::platformer(), 8, "meadow"))->map, maps[0])
      << "both are kept";
}

// Before the fix, a hostile server filled the memory of its clients with one map after the other.
TEST(AssetCache, KeepsNoMapThatNobodyUses) {
  AssetCache cache{kGames};
  std::weak_ptr<const engine::Map> map;
  {
    const auto assets = cache.find(accept_of(games::arena(), 8));
    ASSERT_TRUE(assets);
    map = assets->map;
  }
  EXPECT_TRUE(map.expired());
  EXPECT_TRUE(cache.find(accept_of(games::arena(), 8)));
}

TEST(AssetCache, HasNothingElseThanTheServerNames) {
  AssetCache cache{kGames};
  const auto refusal = [&](const std::function<void(net::Accept&)>& change) {
    net::Accept accept = accept_of(games::arena(), 8);
    change(accept);
    const auto found = cache.find(accept);
    const auto again = cache.find(accept);
    if (found || again) return std::optional<engine::BuildDifference>{};
    EXPECT_EQ(again.error().words, found.error().words) << "the same again";
    return std::optional{found.error().what};
  };
  using enum engine::BuildDifference;
  for (const bool is_known : {false, true}) {
    SCOPED_TRACE(is_known ? "after a server with the same rules" : "at first");
    EXPECT_EQ(refusal([](net::Accept& accept) { accept.game = "chess"; }), Version);
    EXPECT_EQ(refusal([](net::Accept& accept) { ++accept.game_version; }), Version);
    EXPECT_EQ(refusal([](net::Accept& accept) { ++accept.game_hash; }), Rules);
    EXPECT_EQ(refusal([](net::Accept& accept) { ++accept.map_hash; }), Map);
    EXPECT_EQ(refusal([](net::Accept& accept) { ++accept.map_seats; }), Map);
    EXPECT_EQ(refusal([](net::Accept& accept) { accept.tick_rate = 0; }), Map);
    EXPECT_TRUE(cache.find(accept_of(games::arena(), 8)));
  }
}

}  // namespace
}  // namespace tickbox::client
