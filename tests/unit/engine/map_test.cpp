// The hash of a map tells apart whatever a step reads of it. Before the fix, the hash left out most
// fields of a wall: a server and a client whose walls differed could play together, and every view
// of a body that met such a wall differed.

#include "engine/map.h"

#include "games/arena/arena.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

namespace tickbox::engine::map_test {
namespace {

using Build = std::function<void(MapBuilder&)>;

/// What the map of the test game has. The game builds it by a function that captures nothing.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
Build built_now;

std::uint64_t hash_of(Build build, std::uint32_t seats = 4, std::uint32_t tick_rate = 60) {
  built_now = std::move(build);
  GameTable game = games::arena();
  game.map = [](MapBuilder& builder, const MapOptions&) { built_now(builder); };
  return make_map(game, {.seats = seats}, tick_rate)->hash;
}

constexpr Vec2 kPlace{3 * kUnit, 4 * kUnit};
constexpr Vec2 kSize{2 * kUnit, kUnit};

void wall(MapBuilder& map) {
  map.solid(kPlace, kSize);
}

TEST(MapHash, IsThatOfTheSameMap) {
  EXPECT_EQ(hash_of(wall), hash_of(wall));
  const auto arena_of = [](std::uint32_t seats) {
    return make_map(games::arena(), {.seats = seats}, 60)->hash;
  };
  EXPECT_EQ(arena_of(64), arena_of(64));
  EXPECT_NE(arena_of(64), arena_of(65));
}

TEST(MapHash, DiffersWithEachPart) {
  const std::uint64_t hash = hash_of(wall);
  EXPECT_NE(hash_of(wall, 5), hash) << "seats";
  const auto expect_other = [&](const char* what, const Build& build) {
    EXPECT_NE(hash_of(build), hash) << what;
  };
  expect_other("no wall", [](MapBuilder&) {});
  expect_other("its place", [](MapBuilder& map) { map.solid({kPlace.x + 1, kPlace.y}, kSize); });
  expect_other("its size", [](MapBuilder& map) { map.solid(kPlace, {kSize.x, kSize.y + 1}); });
  expect_other("its solid side", [](MapBuilder& map) { map.one_way(kPlace, kSize, OneWay::Up); });
  expect_other("another wall", [](MapBuilder& map) {
    wall(map);
    map.solid({}, kSize);
  });
  expect_other("a border", [](MapBuilder& map) {
    wall(map);
    map.border({-kUnit, -kUnit}, {50 * kUnit, 50 * kUnit}, Border::Remove);
  });
  expect_other("a path", [](MapBuilder& map) {
    wall(map);
    map.path(std::array{Vec2{}, Vec2{kUnit, 0}}, 1);
  });
  expect_other("an object", [](MapBuilder& map) {
    wall(map);
    map.object("door", kPlace);
  });
}

TEST(MapHash, DiffersWithEachPartOfAPathAndOfAnObject) {
  const auto path = [](std::int32_t end, std::int32_t speed) {
    return hash_of([=](MapBuilder& map) { map.path(std::array{Vec2{}, Vec2{end, 0}}, speed); });
  };
  EXPECT_EQ(path(kUnit, 60), path(kUnit, 60));
  EXPECT_NE(path(kUnit, 60), path(2 * kUnit, 60));
  EXPECT_NE(path(kUnit, 60), path(kUnit, 61));
  const auto object = [](std::string_view kind, Vec2 place, Vec2 size, std::uint16_t on) {
    return hash_of([=](MapBuilder& map) { map.object(kind, place, size, on); });
  };
  const std::uint64_t hash = object("door", kPlace, kSize, kNoPath);
  EXPECT_NE(object("dor", kPlace, kSize, kNoPath), hash);
  EXPECT_NE(object("door", kSize, kSize, kNoPath), hash);
  EXPECT_NE(object("door", kPlace, kPlace, kNoPath), hash);
  EXPECT_NE(object("door", kPlace, kSize, 0), hash);
}

}  // namespace
}  // namespace tickbox::engine::map_test
