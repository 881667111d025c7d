// Bytes of terminals as keys, and how long keys are down.

#include "client/terminal/keyboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::terminal::keyboard_test {
namespace {

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

class HeldKeysTest : public ::testing::Test {
 protected:
  void press(std::string_view name, milliseconds at) { keys_.handle(down(name), kStart + at); }

  [[nodiscard]] bool is_down(std::string_view name, milliseconds at) const {
    return keys_.is_down(key(name), kStart + at);
  }

  /// Returns when the key counts as pressed, in milliseconds, if its bytes come at these times.
  std::vector<int> presses(const std::vector<int>& bytes) {
    std::vector<int> found;
    for (int at = bytes.front(); at <= bytes.back() + 500; at += 10) {
      if (std::ranges::find(bytes, at) != bytes.end()) press("w", milliseconds{at});
      keys_.settle(kStart + milliseconds{at});
      if (keys_.is_pressed(key("w"))) found.push_back(at);
      keys_.clear_presses();
    }
    return found;
  }

  HeldKeys keys_;
};

TEST_F(HeldKeysTest, AKeyIsDownForAWhileAfterItsLastBytes) {
  press("w", milliseconds{0});
  keys_.clear_presses();
  EXPECT_TRUE(is_down("w", milliseconds{179}));
  EXPECT_FALSE(is_down("w", milliseconds{180}));
  EXPECT_FALSE(is_down("s", milliseconds{0}));
}

TEST_F(HeldKeysTest, RepeatsKeepAKeyDownAndAreNoPresses) {
  press("w", milliseconds{0});
  EXPECT_TRUE(keys_.is_pressed(key("w")));
  keys_.clear_presses();
  for (milliseconds at{100}; at <= milliseconds{1'000}; at += milliseconds{100}) {
    press("w", at);
    EXPECT_FALSE(keys_.is_pressed(key("w"))) << at.count();
    EXPECT_TRUE(is_down("w", at + milliseconds{99})) << at.count();
  }
  EXPECT_FALSE(is_down("w", milliseconds{1'180}));
}

TEST_F(HeldKeysTest, AHeldKeyIsPressedOnce) {
  int presses = 0;
  for (int at = 0; at < 3'000; at += 10) {
    // The first repeat after 500 ms, then one each 30 ms.
    if (at == 0 || (at >= 500 && at < 2'000 && (at - 500) % 30 == 0)) press("w", milliseconds{at});
    keys_.settle(kStart + milliseconds{at});
    presses += keys_.is_pressed(key("w")) ? 1 : 0;
    keys_.clear_presses();
    if (at >= 500 && at < 2'000) {
      EXPECT_TRUE(is_down("w", milliseconds{at})) << at;
    }
  }
  EXPECT_EQ(presses, 1);
}

TEST_F(HeldKeysTest, EachTapIsAPress) {
  EXPECT_EQ(presses({0, 250, 500, 900, 2'500}), (std::vector<int>{0, 360, 610, 1'010, 2'500}))
      << "a little late, as it may be the first repeat";
}

TEST_F(HeldKeysTest, OnceThePauseBeforeRepeatsIsKnownTapsArePressesAtOnce) {
  EXPECT_EQ(presses({0, 500, 530, 560}), std::vector<int>{0});
  EXPECT_EQ(presses({5'000, 5'250, 5'600, 5'900}), (std::vector<int>{5'000, 5'250, 5'600, 5'900}));
  EXPECT_EQ(presses({9'000, 9'490, 9'520, 9'550}), std::vector<int>{9'000}) << "held again";
  EXPECT_EQ(presses({12'000, 12'500}), (std::vector<int>{12'000, 12'610}))
      << "a tap after just that pause";
}

// Three quick taps look like a held key.
TEST_F(HeldKeysTest, AWrongPauseIsCorrectedByTheNextHeldKey) {
  EXPECT_EQ(presses({0, 300, 390}), std::vector<int>{0});
  EXPECT_EQ(presses({5'000, 5'500, 5'530, 5'560}), (std::vector<int>{5'000, 5'500}));
  EXPECT_EQ(presses({9'000, 9'500, 9'530, 9'560}), std::vector<int>{9'000});
}

TEST_F(HeldKeysTest, OnlyTheKeyThatWasPressedLastRepeats) {
  press("w", milliseconds{0});
  press("d", milliseconds{100});
  keys_.clear_presses();
  press("w", milliseconds{400});
  EXPECT_TRUE(keys_.is_pressed(key("w")));
}

TEST_F(HeldKeysTest, WithReleasesNoPressIsInDoubt) {
  keys_.handle({.type = Type::ReportsReleases}, kStart);
  press("w", milliseconds{0});
  keys_.handle(up("w"), kStart);
  keys_.clear_presses();
  press("w", milliseconds{400});
  EXPECT_TRUE(keys_.is_pressed(key("w")));
}

// Ticks may be further apart than a key is down.
TEST_F(HeldKeysTest, APressLastsUntilItIsForgotten) {
  press("w", milliseconds{0});
  EXPECT_TRUE(is_down("w", milliseconds{500}));
  keys_.clear_presses();
  EXPECT_FALSE(is_down("w", milliseconds{500}));
}

TEST_F(HeldKeysTest, LaterPressesHaveAHigherOrder) {
  press("w", milliseconds{0});
  press("s", milliseconds{1});
  EXPECT_LT(keys_.order(key("w")), keys_.order(key("s")));
  press("w", milliseconds{2});
  EXPECT_LT(keys_.order(key("w")), keys_.order(key("s"))) << "a repeat";
}

TEST_F(HeldKeysTest, WithReleasesAKeyIsDownUntilItsRelease) {
  keys_.handle({.type = Type::ReportsReleases}, kStart);
  press("w", milliseconds{0});
  keys_.clear_presses();
  EXPECT_TRUE(is_down("w", milliseconds{60'000}));
  keys_.handle(up("w"), kStart + milliseconds{60'000});
  EXPECT_FALSE(is_down("w", milliseconds{60'000}));
}

TEST_F(HeldKeysTest, ATapWithinATickCounts) {
  keys_.handle({.type = Type::ReportsReleases}, kStart);
  press("w", milliseconds{0});
  keys_.handle(up("w"), kStart);
  EXPECT_TRUE(is_down("w", milliseconds{10}));
  keys_.clear_presses();
  EXPECT_FALSE(is_down("w", milliseconds{10}));
}

TEST_F(HeldKeysTest, TheLossOfFocusReleasesAllKeys) {
  keys_.handle({.type = Type::ReportsReleases}, kStart);
  press("w", milliseconds{0});
  press("d", milliseconds{0});
  keys_.clear_presses();
  keys_.handle({.type = Type::FocusLost}, kStart);
  EXPECT_FALSE(is_down("w", milliseconds{1}));
  EXPECT_FALSE(is_down("d", milliseconds{1}));
}

}  // namespace
}  // namespace tickbox::terminal::keyboard_test
