#include "games/platformer/courses.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tickbox::games {
namespace {

// clang-format off
constexpr std::array<std::string_view, 12> kMeadow = {
    "#                                                                              #",
    "#                                                                              #",
    "#                                                                              #",
    "#                                                                              #",
    "#                             ooo                                              #",
    "#         o o o                                         o  o  o                #",
    "#                            -----                                             #",
    "#                 oo                  o        oo                      oo      #",
    "#                 ##                                                           #",
    "#rf       g     jj##   jjj^^    c    jj###  fjj    g  w sssssssjj      g      G#",
    "##############################################    ######          ##############",
    "##############################################    ######          ##############",
};

constexpr std::array<std::string_view, 30> kTower = {
    "######################",
    "#                    #",
    "#                    #",
    "#                    #",
    "#               oo   #",
    "#                    #",
    "#                    #",
    "#            jjj^   G#",
    "#       ----------####",
    "#rrf    jj           #",
    "#---------           #",
    "#         lj       ll#",
    "#        #########   #",
    "#                  s #",
    "#                  s #",
    "#     o            s #",
    "#     o            s #",
    "#     o            s #",
    "#                  s #",
    "#   c              s #",
    "#   c              s #",
    "#               w  s #",
    "#        --------- s #",
    "#rrrr   jj         s #",
    "# --------         s #",
    "#         jj   lll   #",
    "#        ---------   #",
    "#rf  o  jj  g  o  lll#",
    "######################",
    "######################",
};
// clang-format on

constexpr Vec2 kLedgeSize{kUnit, kUnit / 4};

constexpr Vec2 cell(std::int32_t column, std::int32_t row) {
  return {column * kUnit, row * kUnit};
}

/// Adds an object that stands in the middle of the cell's floor.
void stand(MapBuilder& map, std::string_view kind, Vec2 at, Vec2 size) {
  map.object(kind, {at.x + (kUnit - size.x) / 2, at.y + kUnit - size.y}, size);
}

void build_cell(MapBuilder& map, char letter, Vec2 at) {
  constexpr Vec2 kCell{kUnit, kUnit};
  switch (letter) {
    case '-':
      return map.one_way(at, kLedgeSize, OneWay::Up);
    case '^':
      return stand(map, "spikes", at, kSpikesSize);
    case 'f':
      return stand(map, "checkpoint", at, kHeroSize);
    case 'G':
      return stand(map, "goal", at, kHeroSize);
    case 'o':
      return stand(map, "coin", at, kCoinSize);
    case 'g':
      return map.object("goomba", at, kCell);
    case 'c':
      return map.object("crate", at, kCell);
    case 'l':
      return map.object("left", at, kCell);
    case 'r':
      return map.object("right", at, kCell);
    case 'j':
      return map.object("jump", at, kCell);
    case 's':
      return map.object("stand", at, kCell);
    case 'w':
      return map.object("wait", at, kCell);
    default:
      return;
  }
}

/// From below, so that the start of a course is its first checkpoint.
void build_rows(MapBuilder& map, std::span<const std::string_view> rows) {
  std::vector<std::uint8_t> solid;
  for (const std::string_view row : rows) {
    for (const char letter : row) {
      solid.push_back(letter == '#' ? 1 : 0);
    }
  }
  const auto columns = static_cast<std::int32_t>(rows.front().size());
  map.tiles({}, columns, solid);
  for (std::size_t row = rows.size(); row-- > 0;) {
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      build_cell(map, rows[row][column],
                 cell(static_cast<std::int32_t>(column), static_cast<std::int32_t>(row)));
    }
  }
  const auto height = static_cast<std::int32_t>(rows.size());
  map.border(cell(-8, -8), cell(columns + 16, height + 16), Border::Remove);
}

void build_lift(MapBuilder& map, Vec2 from, Vec2 to, std::int32_t speed) {
  map.object("lift", from, kLiftSize, map.path(std::array{from, to}, speed));
}

void build_meadow(MapBuilder& map) {
  build_rows(map, kMeadow);
  // Over the wide pit.
  build_lift(map, cell(56, 10), cell(63, 10), 2);
}

void build_tower(MapBuilder& map) {
  build_rows(map, kTower);
  // From below the third ledge to above the fourth.
  build_lift(map, {18 * kUnit, 23 * kUnit + kUnit / 2}, {18 * kUnit, 11 * kUnit + kUnit / 2}, 3);
  // Two crates ride on this one.
  build_lift(map, cell(3, 21), cell(3, 15), 3);
}

/// In the order of kCourses.
constexpr std::array kBuilders = {build_meadow, build_tower};
static_assert(kBuilders.size() == kCourses.size());

}  // namespace

void build_course(MapBuilder& map, std::string_view name) {
  for (std::size_t i = 0; i < kCourses.size(); ++i) {
    if (kCourses[i] == name) kBuilders[i](map);
  }
}

}  // namespace tickbox::games
