// Which keys are down, and inputs and commands from them, by the bindings of three games.

#include "client/keys.h"

#include "engine/declared.h"
#include "games/arena/arena.h"
#include "games/platformer/platformer.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::client::keys_test {
namespace {

using std::chrono::milliseconds;

constexpr Instant kStart{std::chrono::hours{1}};
/// Longer than a key counts as down after its last bytes.
constexpr milliseconds kLater{1'000};

using Type = KeyEvent::Type;

KeyCode key(std::string_view name) {
  const auto found = key_named(name);
  EXPECT_TRUE(found) << name;
  return found.value_or(KeyCode{});
}

/// The values of an input that differ from those by default.
using Values = std::map<std::string, std::int64_t>;

/// A person at the keys of a game.
class Person {
 public:
  explicit Person(const GameTable& game) : game_(game), bindings_(game) {}

  void press(std::string_view name) {
    keys_.handle({.type = KeyEvent::Type::Down, .key = *key_named(name)}, now_);
  }

  void pass(milliseconds time) { now_ += time; }

  Values input() {
    const ConstBytes input = bindings_.input(keys_, now_);
    alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> by_default{};
    game_.input.write_default(by_default.data());
    Values values;
    for (const FieldInfo& field : game_.input.fields()) {
      const std::int64_t value = engine::value_of(field, 0, input);
      if (value != engine::value_of(field, 0, by_default)) values[std::string{field.name}] = value;
    }
    return values;
  }

  /// The names of the commands that were sent with the last input.
  [[nodiscard]] std::string commands() const {
    std::string names;
    for (const CommandKeyTable* command : bindings_.commands()) {
      names += std::string{game_.commands[command->command].type.name} + " ";
    }
    return names;
  }

  /// The input of the tick after these keys are pressed, one after the other.
  Values after(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      press(name);
    }
    return input();
  }

 private:
  const GameTable& game_;
  KeyBindings bindings_;
  HeldKeys keys_;
  Instant now_ = kStart;
};

TEST(KeyBindings, NoKeyIsTheInputByDefault) {
  Person person{games::arena()};
  EXPECT_EQ(person.input(), Values{});
}

TEST(KeyBindings, AHeldKeyGivesItsValueUntilItIsUp) {
  Person person{tests::menagerie()};
  EXPECT_EQ(person.after({"left"}), (Values{{"walk", -1}}));
  person.pass(milliseconds{100});
  EXPECT_EQ(person.input(), (Values{{"walk", -1}}));
  person.pass(milliseconds{100});
  EXPECT_EQ(person.input(), Values{});
}

TEST(KeyBindings, KeysOfDifferentFieldsApplyTogether) {
  Person person{tests::menagerie()};
  EXPECT_EQ(person.after({"left", "up", "b"}), (Values{{"walk", -1}, {"jump", 1}, {"bomb", 1}}));
}

TEST(KeyBindings, TheOppositeKeyCancelsAtOnce) {
  Person person{tests::menagerie()};
  EXPECT_EQ(person.after({"left"}), (Values{{"walk", -1}}));
  EXPECT_EQ(person.after({"right"}), (Values{{"walk", 1}}));
  EXPECT_EQ(person.input(), (Values{{"walk", 1}})) << "though the other key still counts as down";
}

TEST(KeyBindings, KeysThatAreBoundTogetherWinOverEach) {
  EXPECT_EQ(Person{games::arena()}.after({"w"}), (Values{{"move", 7}}));
  EXPECT_EQ(Person{games::arena()}.after({"w", "d"}), (Values{{"move", 8}}));
  EXPECT_EQ(Person{games::arena()}.after({"d", "w"}), (Values{{"move", 8}}));
  EXPECT_EQ(Person{games::arena()}.after({"w", "d", "a"}), (Values{{"move", 6}}))
      << "the later of two opposite keys";
  EXPECT_EQ(Person{games::arena()}.after({"w", "s"}), (Values{{"move", 3}}));
}

TEST(KeyBindings, APressFiresOncePerPress) {
  Person person{tests::menagerie()};
  EXPECT_EQ(person.after({"space"}), (Values{{"shoot", 1}, {"smash", 1}}));
  for (int repeats = 0; repeats < 20; ++repeats) {
    person.pass(milliseconds{50});
    EXPECT_EQ(person.after({"space"}), Values{}) << repeats;
  }
  person.pass(kLater);
  EXPECT_EQ(person.after({"space"}), (Values{{"shoot", 1}, {"smash", 1}}));
}

TEST(KeyBindings, WhatIsHeldBesideAPressStays) {
  Person person{games::arena()};
  EXPECT_EQ(person.after({"up"}), (Values{{"shoot", 1}, {"aim", 768}}));
  EXPECT_EQ(person.input(), (Values{{"aim", 768}}));
}

// The key "right" sets no aim, because that is 0 by default. Before the fix, the aim of the other
// key stayed.
TEST(KeyBindings, ACancelledKeyLeavesNoneOfItsValues) {
  Person person{games::arena()};
  EXPECT_EQ(person.after({"up"}), (Values{{"shoot", 1}, {"aim", 768}}));
  EXPECT_EQ(person.after({"right"}), (Values{{"shoot", 1}}));
}

// The key "r" of the platformer sends a command, and gives no input.
TEST(KeyBindings, AKeySendsItsCommandOncePerPress) {
  Person person{games::platformer()};
  EXPECT_EQ(person.after({"d"}), (Values{{"run", 1}}));
  EXPECT_EQ(person.commands(), "");
  EXPECT_EQ(person.after({"r", "d"}), (Values{{"run", 1}}));
  EXPECT_EQ(person.commands(), "Restart ");
  EXPECT_EQ(person.after({"d"}), (Values{{"run", 1}}));
  EXPECT_EQ(person.commands(), "");
  for (int repeats = 0; repeats < 20; ++repeats) {
    person.pass(milliseconds{50});
    static_cast<void>(person.after({"r"}));
    EXPECT_EQ(person.commands(), "") << "a repeat is no press";
  }
  person.pass(kLater);
  EXPECT_EQ(person.after({"r"}), Values{});
  EXPECT_EQ(person.commands(), "Restart ");
}

TEST(KeyBindings, KnowTheirKeys) {
  const KeyBindings bindings{games::arena()};
  EXPECT_TRUE(bindings.has(*key_named("w")));
  EXPECT_TRUE(bindings.has(*key_named("right")));
  EXPECT_FALSE(bindings.has(*key_named("q")));
  EXPECT_FALSE(bindings.empty());
  EXPECT_TRUE(KeyBindings{games::platformer()}.has(*key_named("r"))) << "which sends a command";
}

TEST(KeyBindings, AGameWithoutKeysHasNone) {
  GameTable game = games::arena();
  game.keys = {};
  KeyBindings bindings{game};
  EXPECT_TRUE(bindings.empty());
  HeldKeys keys;
  keys.handle({.type = KeyEvent::Type::Down, .key = *key_named("w")}, kStart);
  EXPECT_EQ(bindings.input(keys, kStart).size(), game.input.bytes);
}

class HeldKeysTest : public ::testing::Test {
 protected:
  void press(std::string_view name, milliseconds at) {
    keys_.handle({.type = Type::Down, .key = key(name)}, kStart + at);
  }

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
  keys_.handle({.type = Type::Up, .key = key("w")}, kStart);
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
  keys_.handle({.type = Type::Up, .key = key("w")}, kStart + milliseconds{60'000});
  EXPECT_FALSE(is_down("w", milliseconds{60'000}));
}

TEST_F(HeldKeysTest, ATapWithinATickCounts) {
  keys_.handle({.type = Type::ReportsReleases}, kStart);
  press("w", milliseconds{0});
  keys_.handle({.type = Type::Up, .key = key("w")}, kStart);
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
}  // namespace tickbox::client::keys_test
