// The bytes that change a terminal from one screen to the next.

#include "client/terminal/screen.h"

#include <gtest/gtest.h>

#include <string>

namespace tickbox::terminal {
namespace {

constexpr Size kSmall{.columns = 5, .rows = 3};
constexpr CellStyle kRed{.ink = {.red = 255}, .paper = {}};
constexpr CellStyle kOnBlue{.ink = {.red = 255}, .paper = {.blue = 255}};
constexpr CellStyle kMarked{.ink = {}, .paper = {}, .is_marked = true};

Screen with(std::size_t column, std::size_t row, std::u32string_view text, const CellStyle& style) {
  Screen screen{kSmall};
  screen.write(column, row, text, style);
  return screen;
}

TEST(Screen, EqualScreensNeedNoBytes) {
  const Screen screen = with(1, 1, U"ab", kRed);
  EXPECT_EQ(difference(screen, screen, Colours::All), "");
  EXPECT_EQ(difference(screen, screen, Colours::None), "");
}

TEST(Screen, OnlyChangedCellsAreWritten) {
  const Screen before = with(0, 0, U"abcde", kRed);
  const Screen next = with(0, 0, U"abXde", kRed);
  EXPECT_EQ(difference(before, next, Colours::All),
            "\x1b[1;3H\x1b[38;2;255;0;0m\x1b[48;2;0;0;0mX\x1b[0m");
  EXPECT_EQ(difference(before, next, Colours::None), "\x1b[1;3HX\x1b[0m");
}

TEST(Screen, CellsSideBySideShareOneMoveAndOneStyle) {
  const Screen next = with(1, 2, U"xyz", kRed);
  EXPECT_EQ(difference(Screen{kSmall}, next, Colours::None), "\x1b[3;2Hxyz\x1b[0m");
}

TEST(Screen, AColourIsWrittenWhereItChanges) {
  Screen next{kSmall};
  next.write(0, 0, U"x", kRed);
  next.write(1, 0, U"y", kOnBlue);
  EXPECT_EQ(difference(Screen{kSmall}, next, Colours::All),
            "\x1b[1;1H\x1b[38;2;255;0;0m\x1b[48;2;0;0;0mx\x1b[48;2;0;0;255my\x1b[0m");
}

TEST(Screen, WithoutColoursAMarkIsReverseAndNothingIsAColour) {
  Screen next{kSmall};
  next.write(0, 0, U"a", kMarked);
  next.write(1, 0, U"b", kOnBlue);
  EXPECT_EQ(difference(Screen{kSmall}, next, Colours::None), "\x1b[1;1H\x1b[7ma\x1b[0mb\x1b[0m");
}

TEST(Screen, AColourThatIsNotShownIsNoChange) {
  EXPECT_EQ(difference(with(0, 0, U"a", kRed), with(0, 0, U"a", kOnBlue), Colours::None), "");
}

TEST(Screen, AnotherSizeIsDrawnFromTheStart) {
  const Screen next = with(0, 0, U"ab", kRed);
  const std::string bytes = difference(Screen{}, next, Colours::None);
  EXPECT_TRUE(bytes.starts_with("\x1b[0m\x1b[H\x1b[2J")) << bytes;
  EXPECT_NE(bytes.find("\x1b[1;1Hab   \x1b[2;1H     "), std::string::npos) << bytes;
}

TEST(Screen, ATextIsCutAtTheRightEdge) {
  EXPECT_EQ(text_of(with(3, 1, U"wide", kRed)), "     \n   wi\n     \n");
}

TEST(Screen, ALargerTerminalUsesItsCorner) {
  const Screen screen{{.columns = 1'000, .rows = 1'000}};
  EXPECT_EQ(screen.size(), kSizeMax);
}

TEST(Screen, BytesThatAreNoPrintableAsciiBecomeQuestionMarks) {
  EXPECT_EQ(widened("a\x1b[2J\n\xc3\xa9~"), U"a?[2J???~");
}

TEST(Screen, CharactersAreWrittenAsUtf8) {
  std::string bytes;
  for (const char32_t character : {U'a', U'\u00e9', U'▀', U'\U0001f600'}) {
    append_utf8(character, bytes);
  }
  EXPECT_EQ(bytes, "a\xc3\xa9\xe2\x96\x80\xf0\x9f\x98\x80");
}

}  // namespace
}  // namespace tickbox::terminal
