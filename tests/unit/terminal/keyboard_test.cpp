// Bytes of terminals as keys.

#include "client/terminal/keyboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::terminal::keyboard_test {
namespace {

using client::key_named;
using client::kKeys;
using std::chrono::milliseconds;
using Type = KeyEvent::Type;

constexpr Instant kStart{std::chrono::hours{1}};

KeyCode key(std::string_view name) {
  const auto found = key_named(name);
  EXPECT_TRUE(found) << name;
  return found.value_or(KeyCode{});
}

KeyEvent down(std::string_view name) {
  return {.type = Type::Down, .key = key(name)};
}

KeyEvent up(std::string_view name) {
  return {.type = Type::Up, .key = key(name)};
}

std::vector<KeyEvent> decoded(std::string_view bytes) {
  KeyDecoder decoder;
  return decoder.decode(bytes, kStart);
}

using Events = std::vector<KeyEvent>;

TEST(KeyNames, AreThoseThatAGameCanNameAndFourMarks) {
  for (const std::string_view name : {"a", "z", "0", "9", ".", ",", "[", "]", "space", "enter",
                                      "tab", "up", "down", "left", "right"}) {
    EXPECT_TRUE(key_named(name)) << name;
  }
  for (const std::string_view name : {"", " ", "aa", "escape", "+", "\xc3\xa9"}) {
    EXPECT_FALSE(key_named(name)) << name;
  }
  EXPECT_EQ(key("right").number, kKeys - 1);
}

TEST(KeyDecoder, ReadsLettersDigitsAndNamedKeys) {
  EXPECT_EQ(decoded("wA7 \r\t"),
            (Events{down("w"), down("a"), down("7"), down("space"), down("enter"), down("tab")}));
}

TEST(KeyDecoder, ReadsArrowsInBothModes) {
  EXPECT_EQ(decoded("\x1b[A\x1b[B\x1b[C\x1b[D"),
            (Events{down("up"), down("down"), down("right"), down("left")}));
  EXPECT_EQ(decoded("\x1bOA\x1bOB\x1bOC\x1bOD"),
            (Events{down("up"), down("down"), down("right"), down("left")}));
  EXPECT_EQ(decoded("\x1b[1;2A"), Events{down("up")}) << "with shift";
}

TEST(KeyDecoder, ReadsASequenceThatArrivesInPieces) {
  KeyDecoder decoder;
  EXPECT_EQ(decoder.decode("w\x1b", kStart), Events{down("w")});
  EXPECT_EQ(decoder.decode("[", kStart + milliseconds{10}), Events{});
  EXPECT_EQ(decoder.decode("Cd", kStart + milliseconds{20}), (Events{down("right"), down("d")}));
}

TEST(KeyDecoder, ALoneEscapeTakesNoKeyWithItAfterAWhile) {
  KeyDecoder decoder;
  EXPECT_EQ(decoder.decode("\x1b", kStart), Events{});
  EXPECT_EQ(decoder.decode("w", kStart + kEscapeFor), Events{down("w")});
}

TEST(KeyDecoder, AKeyWithAltOrCtrlIsNoKeyOfAGame) {
  EXPECT_EQ(decoded("\x1bwd"), Events{down("d")});
  EXPECT_EQ(decoded("\x17\x04"), Events{}) << "Ctrl-W and Ctrl-D";
  EXPECT_EQ(decoded("\x1b[119;5u\x1b[119;3u\x1b[1;5C"), Events{});
}

TEST(KeyDecoder, ReadsInterruptAndSuspendOfEitherProtocol) {
  EXPECT_EQ(decoded("\x03\x1a"), (Events{{.type = Type::Interrupt}, {.type = Type::Suspend}}));
  EXPECT_EQ(decoded("\x1b[99;5u\x1b[122;5u"),
            (Events{{.type = Type::Interrupt}, {.type = Type::Suspend}}));
}

TEST(KeyDecoder, ReadsTheProtocolOfKitty) {
  EXPECT_EQ(decoded("\x1b[119u"), Events{down("w")});
  EXPECT_EQ(decoded("\x1b[119;1:1u\x1b[119;1:2u\x1b[119;1:3u"),
            (Events{down("w"), down("w"), up("w")}));
  EXPECT_EQ(decoded("\x1b[119:87;2:1u"), Events{down("w")}) << "with shift, and its capital";
  EXPECT_EQ(decoded("\x1b[119;65u"), Events{down("w")}) << "with caps lock";
  EXPECT_EQ(decoded("\x1b[1;1:3A\x1b[32;1:3u\x1b[13;1:3u"),
            (Events{up("up"), up("space"), up("enter")}));
  EXPECT_EQ(decoded("\x1b[119;5:3u"), Events{up("w")}) << "released with Ctrl";
}

TEST(KeyDecoder, ReadsWhetherReleasesAreReported) {
  EXPECT_EQ(decoded("\x1b[?11u"), Events{{.type = Type::ReportsReleases}});
  EXPECT_EQ(decoded("\x1b[?1u\x1b[?0u\x1b[?2u"), Events{});
}

TEST(KeyDecoder, ReadsTheLossOfFocus) {
  EXPECT_EQ(decoded("\x1b[I\x1b[O"), Events{{.type = Type::FocusLost}});
}

TEST(KeyDecoder, IgnoresWhatIsNoKey) {
  EXPECT_EQ(decoded("\xc3\xa9\x7f\x01;-\x1b[5~\x1b[<0;3;4M\x1b[?62;4c\x1b[200~w"),
            Events{down("w")});
}

// It comes from a paste, or from a program that is no terminal.
TEST(KeyDecoder, ASequenceWithoutAnEndIsDropped) {
  KeyDecoder decoder;
  const Events events = decoder.decode("\x1b[" + std::string(100, '1') + "u", kStart);
  EXPECT_EQ(events.size(), 71U) << "30 of the digits are dropped with it";
  EXPECT_EQ(decoder.decode("w", kStart), Events{down("w")});
}

TEST(KeyDecoder, ANumberOutOfRangeIsNoKey) {
  EXPECT_EQ(decoded("\x1b[99999999999999999999u\x1b[;u\x1b[u"), Events{});
}

}  // namespace
}  // namespace tickbox::terminal::keyboard_test
