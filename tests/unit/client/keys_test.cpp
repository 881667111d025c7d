// Which keys are down, and inputs and commands from them, by the bindings of three games.

#include "client/keys.h"

#include "engine/declared.h"
#include "games/arena/arena.h"
#include "games/platformer/platformer.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace tickbox::client::keys_test {
namespace {

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

  void press(std::string_view name) { keys_.press(key(name)); }

  void release(std::string_view name) { keys_.release(key(name)); }

  Values input() {
    const ConstBytes input = bindings_.input(keys_);
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
};

TEST(KeyBindings, NoKeyIsTheInputByDefault) {
  Person person{games::arena()};
  EXPECT_EQ(person.input(), Values{});
}

TEST(KeyBindings, AHeldKeyGivesItsValueUntilItIsUp) {
  Person person{tests::menagerie()};
  EXPECT_EQ(person.after({"left"}), (Values{{"walk", -1}}));
  EXPECT_EQ(person.input(), (Values{{"walk", -1}}));
  person.release("left");
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
  EXPECT_EQ(person.input(), (Values{{"walk", 1}})) << "though the other key is still down";
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
  EXPECT_EQ(person.after({"space"}), Values{}) << "a repeat of the keyboard";
  person.release("space");
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
  static_cast<void>(person.after({"r"}));
  EXPECT_EQ(person.commands(), "") << "a repeat is no press";
  person.release("r");
  person.release("d");
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
  keys.press(key("w"));
  EXPECT_EQ(bindings.input(keys).size(), game.input.bytes);
}

TEST(HeldKeys, AKeyIsDownUntilItsRelease) {
  HeldKeys keys;
  keys.press(key("w"));
  keys.clear_presses();
  EXPECT_TRUE(keys.is_down(key("w")));
  EXPECT_FALSE(keys.is_down(key("s")));
  keys.release(key("w"));
  EXPECT_FALSE(keys.is_down(key("w")));
}

// Ticks may be further apart than a key is down.
TEST(HeldKeys, ATapWithinATickCounts) {
  HeldKeys keys;
  keys.press(key("w"));
  keys.release(key("w"));
  EXPECT_TRUE(keys.is_down(key("w")));
  keys.clear_presses();
  EXPECT_FALSE(keys.is_down(key("w")));
}

TEST(HeldKeys, LaterPressesHaveAHigherOrder) {
  HeldKeys keys;
  keys.press(key("w"));
  keys.press(key("s"));
  EXPECT_LT(keys.order(key("w")), keys.order(key("s")));
  keys.press(key("w"));
  EXPECT_LT(keys.order(key("w")), keys.order(key("s"))) << "a repeat";
}

TEST(HeldKeys, TheLossOfTheKeyboardReleasesAll) {
  HeldKeys keys;
  keys.press(key("w"));
  keys.press(key("d"));
  keys.clear_presses();
  keys.release_all();
  EXPECT_FALSE(keys.is_down(key("w")));
  EXPECT_FALSE(keys.is_down(key("d")));
}

TEST(KeyNames, AreThoseThatAGameCanNameAndFourMarks) {
  for (const std::string_view name : {"a", "z", "0", "9", ".", ",", "[", "]", "space", "enter",
                                      "tab", "up", "down", "left", "right"}) {
    EXPECT_TRUE(key_named(name)) << name;
  }
  for (const std::string_view name : {"", " ", "aa", "escape", "+", "\xc3\xa9"}) {
    EXPECT_FALSE(key_named(name)) << name;
  }
  EXPECT_EQ(key_named("W"), key_named("w"));
  EXPECT_EQ(key("right").number, kKeys - 1);
}

}  // namespace
}  // namespace tickbox::client::keys_test
