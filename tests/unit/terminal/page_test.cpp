// Whole screens against files. `TICKBOX_WRITE_GOLDEN=1 unit_terminal` writes them again: look at
// them with cat before a commit.

#include "client/terminal/page.h"

#include "games/arena/arena.h"
#include "games/platformer/platformer.h"
#include "tests/support/menagerie.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tickbox::terminal {
namespace {

constexpr Look kPerson{.glyph = '@', .colour = Colour::Yellow};
constexpr Look kBox{.glyph = '#', .colour = Colour::Red};
constexpr Look kStone{.glyph = 'o', .colour = Colour::Cyan};

constexpr Vec2 units(double x, double y) {
  return {.x = static_cast<std::int32_t>(x * kUnit), .y = static_cast<std::int32_t>(y * kUnit)};
}

/// A yard with walls, a ledge, boxes, two stones in flight and four persons: the player, two
/// others, and one out of sight.
class Yard {
 public:
  Yard() {
    wall(units(-20, -12), units(40, 1));
    wall(units(-20, 11), units(40, 1));
    wall(units(-20, -11), units(1, 22));
    wall(units(30, -11), units(1, 22));
    wall(units(4, -6), units(6, 3));
    walls_.push_back({.min = units(-12, 4), .size = units(8, 0.5), .one_way = OneWay::Up});
    bodies_ = {{.min = units(-2, -4), .size = units(1, 1), .look = kBox},
               {.min = units(-1, -4), .size = units(1, 1), .look = kBox},
               {.min = units(6, 5), .size = units(4, 4), .look = kBox},
               {.min = units(0, 0), .size = units(1, 1), .look = kPerson, .is_own = true},
               {.min = units(-8, 3), .size = units(1, 1), .look = kPerson},
               {.min = units(14, -9.5), .size = units(1, 1), .look = kPerson},
               {.min = units(3.25, 0.25), .size = units(0.25, 0.25), .look = kStone},
               {.min = units(7.5, 6.5), .size = units(0.25, 0.25), .look = kStone},
               {.min = units(200, 0), .size = units(1, 1), .look = kPerson}};
  }

  [[nodiscard]] Page page() const {
    return {.figures = {"hash ok at tick 8173", "rtt 1.5 ms", "loss 0.0% down 0.0% up",
                        "predictions 100.00% exact", "0 corrections"},
            .has_alarm = false,
            .scene = Scene{.centre = units(0.5, 0.5),
                           .sight = units(24, 16),
                           .walls = walls_,
                           .bodies = bodies_},
            .message = {},
            .hints = U"q quit  a d walk  ← → throw"};
  }

  std::vector<DrawnBody> bodies_;

 private:
  void wall(Vec2 min, Vec2 size) { walls_.push_back({.min = min, .size = size}); }

  std::vector<sim::Body> walls_;
};

std::string read(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Compares with tests/unit/terminal/golden/<name>, or writes it.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = tests::source_file("tests/unit/terminal/golden/" + name);
  if (std::getenv("TICKBOX_WRITE_GOLDEN") != nullptr) {
    std::ofstream{path, std::ios::binary} << text;
    return;
  }
  EXPECT_EQ(read(path), text) << name;
}

/// The same page in colours, as the bytes for a terminal, and without, as text.
void expect_golden(Size size) {
  const std::string name = std::to_string(size.columns) + "x" + std::to_string(size.rows);
  const Yard yard;
  const Page page = yard.page();
  expect_golden(name + ".ansi",
                difference(Screen{}, draw(page, size, Colours::All), Colours::All) + "\n");
  expect_golden(name + ".txt", text_of(draw(page, size, Colours::None)));
}

TEST(Page, IsDrawnAsBeforeOnASmallTerminal) {
  expect_golden({.columns = 40, .rows = 10});
}

TEST(Page, IsDrawnAsBeforeOnAUsualTerminal) {
  expect_golden({.columns = 80, .rows = 24});
}

TEST(Page, IsDrawnAsBeforeOnALargeTerminal) {
  expect_golden({.columns = 200, .rows = 60});
}

TEST(Page, ATerminalThatIsTooSmallGetsASentence) {
  const Yard yard;
  const std::string sentence = "This terminal has 39x10 characters; 40x10 are needed.";
  const std::string text = text_of(draw(yard.page(), {.columns = 39, .rows = 10}, Colours::All));
  EXPECT_EQ(text.substr(0, 39) + text.substr(40, 14), sentence);
  EXPECT_EQ(text_of(draw(yard.page(), {.columns = 3, .rows = 2}, Colours::All)), "Thi\ns t\n");
  EXPECT_EQ(text_of(draw(yard.page(), {}, Colours::All)), "");
}

/// The row of text, from 0.
std::string row_of(const Screen& screen, std::size_t row) {
  std::string text = text_of(screen);
  for (; row > 0; --row) {
    text = text.substr(text.find('\n') + 1);
  }
  return text.substr(0, text.find('\n'));
}

TEST(Page, FiguresThatDoNotFitAreLeftOut) {
  const Yard yard;
  Page page = yard.page();
  const Screen narrow = draw(page, {.columns = 40, .rows = 10}, Colours::All);
  EXPECT_EQ(row_of(narrow, 0), " hash ok at tick 8173  rtt 1.5 ms       ");
  page.figures = {std::string(100, 'x')};
  EXPECT_EQ(row_of(draw(page, {.columns = 40, .rows = 10}, Colours::All), 0),
            " " + std::string(39, 'x'))
      << "the first is cut";
}

// Before the fix, the row was cut: the keys at its end were nowhere.
TEST(Page, HintsThatDoNotFitTakeMoreRows) {
  const Yard yard;
  Page page = yard.page();
  page.hints = U"q quit  a d walk  ← → throw  space jump  1 2 3 4 5 choose a tool  r restart";
  const Screen screen = draw(page, {.columns = 40, .rows = 10}, Colours::None);
  EXPECT_EQ(row_of(screen, 8), " q quit  a d walk  ← → throw  space jump");
  EXPECT_EQ(row_of(screen, 9), " 1 2 3 4 5 choose a tool  r restart     ");
  EXPECT_EQ(row_of(screen, 7).find("quit"), std::string::npos) << "the field ends above them";

  page.hints = std::u32string(39, U'x') + U" y";
  EXPECT_EQ(row_of(draw(page, {.columns = 40, .rows = 10}, Colours::None), 9).substr(0, 3), " y ");
  page.hints = U"keys";
  for (int i = 0; i < 100; ++i) {
    page.hints += U" of one group";
  }
  const Screen full = draw(page, {.columns = 40, .rows = 10}, Colours::None);
  EXPECT_EQ(row_of(full, 7), " keys of one group of one group of one  ");
  EXPECT_EQ(row_of(full, 6).find("group"), std::string::npos) << "a third of the rows at most";
}

TEST(Page, AnAlarmHasAnotherColour) {
  const Yard yard;
  Page page = yard.page();
  const Screen calm = draw(page, {.columns = 80, .rows = 24}, Colours::All);
  page.has_alarm = true;
  const Screen alarmed = draw(page, {.columns = 80, .rows = 24}, Colours::All);
  EXPECT_NE(calm.at(1, 0).style, alarmed.at(1, 0).style);
}

TEST(Page, AMessageIsInTheMiddle) {
  const Page page{.message = "connecting to 127.0.0.1:7777", .hints = U"q quit"};
  const Screen screen = draw(page, {.columns = 40, .rows = 10}, Colours::None);
  EXPECT_EQ(row_of(screen, 5), "      connecting to 127.0.0.1:7777      ");
}

/// A cell of a screen.
struct Place {
  std::size_t column = 0;
  std::size_t row = 0;

  friend bool operator==(Place, Place) = default;
};

/// Returns the cell of the only '@' that is marked.
Place own_place(const Screen& screen) {
  std::vector<Place> found;
  for (std::size_t row = 1; row + 1 < screen.size().rows; ++row) {
    for (std::size_t column = 0; column < screen.size().columns; ++column) {
      if (screen.at(column, row).style.is_marked) found.push_back({column, row});
    }
  }
  EXPECT_EQ(found.size(), 1U);
  if (found.empty()) return {};
  EXPECT_EQ(screen.at(found[0].column, found[0].row).glyph, U'@');
  return found[0];
}

TEST(Field, TheOwnBodyIsMarkedInTheMiddle) {
  const Yard yard;
  for (const Colours colours : {Colours::All, Colours::None}) {
    const Place place = own_place(draw(yard.page(), {.columns = 80, .rows = 24}, colours));
    EXPECT_NEAR(static_cast<double>(place.column), 40, 1);
    EXPECT_NEAR(static_cast<double>(place.row), 12, 1);
  }
}

// The picture of 80 by 44 pixels shows the whole view of 48 by 32 units. The height decides: 44 /
// 32 = 1.375 pixels are a unit.
TEST(Field, ABodyMovesByWholePixels) {
  Yard yard;
  const auto place_at = [&yard](double x, double y) {
    yard.bodies_[3].min = units(x, y);
    return own_place(draw(yard.page(), {.columns = 80, .rows = 24}, Colours::All));
  };
  const Place middle = place_at(0, 0);
  EXPECT_EQ(place_at(0.3, 0), middle);
  EXPECT_EQ(place_at(1, 0), (Place{middle.column + 1, middle.row}));
  EXPECT_EQ(place_at(8, 0), (Place{middle.column + 11, middle.row}));
  EXPECT_EQ(place_at(0, 8).row, middle.row + 6) << "11 pixels, two to a row";
}

// Before the fix, a wall flickered by one pixel as the camera moved.
TEST(Field, WallsAndRestingBodiesKeepTheirDistancesWhileTheCameraMoves) {
  const Yard yard;
  Page page = yard.page();
  std::vector<std::ptrdiff_t> distances;
  for (int step = 0; step < 64; ++step) {
    page.scene->centre.x = step * kUnit / 16;
    const Screen screen = draw(page, {.columns = 80, .rows = 24}, Colours::None);
    std::vector<std::size_t> boxes;
    for (std::size_t row = 1; row < 23; ++row) {
      for (std::size_t column = 0; column + 1 < 80; ++column) {
        if (screen.at(column, row).glyph == U'#') boxes.push_back(column);
      }
    }
    ASSERT_GE(boxes.size(), 2U);
    distances.push_back(static_cast<std::ptrdiff_t>(boxes[1]) -
                        static_cast<std::ptrdiff_t>(boxes[0]));
  }
  EXPECT_EQ(std::vector<std::ptrdiff_t>(64, distances[0]), distances);
}

TEST(Field, ASmallBodyIsSeenOnALargeOne) {
  const Yard yard;
  const Screen screen = draw(yard.page(), {.columns = 80, .rows = 24}, Colours::None);
  std::string field;
  for (std::size_t row = 1; row < 23; ++row) {
    field += row_of(screen, row);
  }
  EXPECT_EQ(std::ranges::count(field, 'o'), 2) << field;
}

TEST(Field, PlacesAtTheEdgeOfTheWorldAreDrawn) {
  constexpr std::int32_t kEdge = 1 << 30;
  const std::vector<DrawnBody> bodies = {
      {.min = {kEdge, -kEdge}, .size = units(1, 1), .look = kPerson, .is_own = true}};
  const Page page{
      .figures = {},
      .scene =
          Scene{.centre = {kEdge, -kEdge}, .sight = {kEdge, kEdge}, .walls = {}, .bodies = bodies}};
  own_place(draw(page, {.columns = 80, .rows = 24}, Colours::All));
}

TEST(KeyHints, GroupKeysByTheFirstFieldThatTheySet) {
  EXPECT_EQ(key_hints(games::arena()), U"d s a w move  → ↓ ← ↑ shoot  l k j i ray");
  EXPECT_EQ(key_hints(tests::menagerie()), U"← → walk  ↑ jump  b bomb  space shoot");
  EXPECT_EQ(key_hints(games::platformer()), U"a ← d → run  w space jump  r restart");
}

TEST(KeyHints, AGameWithoutKeysHasNone) {
  GameTable game = games::arena();
  game.keys = {};
  EXPECT_EQ(key_hints(game), U"");
}

}  // namespace
}  // namespace tickbox::terminal
