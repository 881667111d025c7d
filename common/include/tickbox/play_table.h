#pragma once
// A game's bots and keys as plain data, made at compile time.

#include "tickbox/game_table.h"
#include "tickbox/hooks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tickbox::detail {

/// The names of bots that every game has, and of a mixture.
inline constexpr std::array<std::string_view, 4> kStylesOfEveryGame = {"wander", "still", "stress",
                                                                       "mix"};

/// Returns whether each name has letters a to z and dashes alone, and is no other's.
constexpr bool are_style_names(std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return false;
    for (const char letter : names[i]) {
      if (letter != '-' && (letter < 'a' || letter > 'z')) return false;
    }
    for (const std::string_view taken : kStylesOfEveryGame) {
      if (names[i] == taken) return false;
    }
    for (std::size_t before = 0; before < i; ++before) {
      if (names[i] == names[before]) return false;
    }
  }
  return true;
}

template <class Game>
void bot(const BotSight& sight, void* state, std::string_view style, void* input) {
  *static_cast<typename Game::Input*>(input) =
      Game::bot(BotView<Game>{sight}, *static_cast<typename BotStateOf<Game>::Type*>(state), style);
}

template <class Game>
constexpr BotTable bot_table() {
  static_assert(!kHasNamed_bot<Game> || HasBot<Game>,
                "bot has another signature: Input bot(const BotView<Game>&, BotState&, "
                "std::string_view)");
  static_assert(!kHasNamed_bot<Game> || HasBotStyles<Game>,
                "the game has bot(), but no constexpr array of std::string_view `bot_styles`");
  static_assert(kHasNamed_bot<Game> || !kHasNamed_bot_styles<Game>,
                "the game has bot_styles, but no bot()");
  if constexpr (HasBot<Game> && HasBotStyles<Game>) {
    constexpr std::span<const std::string_view> kStyles{Game::bot_styles};
    static_assert(!kStyles.empty() && kStyles.size() <= 16, "a game has 1 to 16 bot_styles");
    static_assert(
        are_style_names(kStyles),
        "bot_styles are names of letters a to z and dashes, each another, and not wander, "
        "still, stress or mix: every game has these");
    return {.styles = kStyles,
            .state = type_info<typename BotStateOf<Game>::Type>(),
            .decide = bot<Game>};
  } else {
    return {};
  }
}

template <class Value, class Visit>
constexpr void visit_numbers(const Value& value, Visit visit) {
  visit(std::uint8_t{0}, number_of(value));
}

template <class Value, std::size_t N, class Visit>
constexpr void visit_numbers(const Array<Value, N>& values, Visit visit) {
  for (std::size_t i = 0; i < N; ++i) {
    visit(static_cast<std::uint8_t>(i), number_of(values.all[i]));
  }
}

/// Calls visit(KeyTable) for each value that a key sets.
template <class Input, class Visit>
constexpr void visit_set_values(const Key<Input>& key, Visit visit) {
  const Input by_default{};
  std::uint8_t field = 0;
  Input::tickbox_visit([&]<class Member>(auto, Member Input::* member, auto) {
    std::array<std::int64_t, kFieldsMax> before{};
    visit_numbers(by_default.*member,
                  [&](std::uint8_t i, std::int64_t number) { before[i] = number; });
    visit_numbers(key.input.*member, [&](std::uint8_t i, std::int64_t number) {
      if (number == before[i]) return;
      visit(KeyTable{.keys = key.keys, .field = field, .i = i, .value = number});
    });
    ++field;
  });
}

template <class Game>
constexpr std::size_t count_set_values() {
  std::size_t count = 0;
  for (const auto& key : Game::keys) {
    visit_set_values(key, [&](const KeyTable&) { ++count; });
  }
  return count;
}

template <class Game>
inline constexpr auto kKeyTables = [] {
  std::array<KeyTable, count_set_values<Game>()> tables{};
  std::size_t count = 0;
  for (const auto& key : Game::keys) {
    visit_set_values(key, [&](const KeyTable& table) { tables[count++] = table; });
  }
  return tables;
}();

template <class Game>
constexpr bool are_keys_named() {
  for (const auto& key : Game::keys) {
    if (!are_key_names(key.keys)) return false;
  }
  return true;
}

template <class Game>
constexpr std::span<const KeyTable> keys_of() {
  static_assert(!kHasNamed_keys<Game> || HasKeys<Game>,
                "keys is no constexpr array of Key{\"name\", Input{...}}");
  if constexpr (HasKeys<Game>) {
    static_assert(are_keys_named<Game>(),
                  "a key is a letter a to z, a digit, space, enter, tab, up, down, left or right; "
                  "several have a + between them");
    return kKeyTables<Game>;
  } else {
    return {};
  }
}

}  // namespace tickbox::detail
