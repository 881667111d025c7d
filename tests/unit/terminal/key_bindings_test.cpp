// Inputs and commands from keys, by the bindings of three games.

#include "client/terminal/key_bindings.h"

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

namespace tickbox::terminal {
namespace {

using std::chrono::milliseconds;

constexpr Instant kStart{std::chrono::hours{1}};
/// Longer than a key counts as down after its last bytes.
constexpr milliseconds kLater{1'000};

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
  EXPECT_EQ(key_hints(game), U"");
}

TEST(KeyHints, GroupKeysByTheFirstFieldThatTheySet) {
  EXPECT_EQ(key_hints(games::arena()), U"d s a w move  → ↓ ← ↑ shoot  l k j i ray");
  EXPECT_EQ(key_hints(tests::menagerie()), U"← → walk  ↑ jump  b bomb  space shoot");
  EXPECT_EQ(key_hints(games::platformer()), U"a ← d → run  w space jump  r restart");
}

}  // namespace
}  // namespace tickbox::terminal
