#pragma once
// A game's bots, keys and names of maps as plain data, made at compile time.

#include "tickbox/game_table.h"
#include "tickbox/hooks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tickbox::detail {

/// The styles of bots that every game has, and the name for a mix of all styles.
inline constexpr std::array<std::string_view, 4> kStylesOfEveryGame = {"wander", "still", "stress",
                                                                       "mix"};

/// Returns whether each name has letters a to z and dashes alone, and is no other's.
constexpr bool are_names(std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return false;
    for (const char letter : names[i]) {
      if (letter != '-' && (letter < 'a' || letter > 'z')) return false;
    }
    for (std::size_t before = 0; before < i; ++before) {
      if (names[i] == names[before]) return false;
    }
  }
  return true;
}

constexpr bool are_style_names(std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    for (const std::string_view taken : kStylesOfEveryGame) {
      if (name == taken) return false;
    }
  }
  return are_names(names);
}

template <class Game>
constexpr std::span<const std::string_view> maps_of() {
  static_assert(!kHasNamed_maps<Game> || HasMaps<Game>,
                "maps is no constexpr array of std::string_view");
  if constexpr (HasMaps<Game>) {
    constexpr std::span<const std::string_view> kMaps{Game::maps};
    static_assert(!kMaps.empty() && kMaps.size() <= kMapsMax, "a game lists 1 to 16 maps");
    static_assert(are_names(kMaps), "maps are names of letters a to z and dashes, each another");
    return kMaps;
  } else {
    return {};
  }
}

template <class Game>
void bot(const BotSight& sight, void* state, std::string_view style, void* input) {
  *static_cast<typename Game::Input*>(input) =
      Game::bot(BotView<Game>{sight}, *static_cast<BotStateOf<Game>*>(state), style);
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
    return {.styles = kStyles, .state = type_info<BotStateOf<Game>>(), .decide = bot<Game>};
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

/// Calls visit(Key) for each key of a game.
template <class Game, class Visit>
constexpr void visit_keys(Visit visit) {
  std::apply([&](const auto&... key) { (visit(key), ...); }, Game::keys);
}

template <class Game, class Value>
inline constexpr bool kIsInput = std::is_same_v<Value, typename Game::Input>;

/// Calls visit(KeyTable) for each value that a key sets.
template <class Input, class Visit>
constexpr void visit_values_of(const Key<Input>& key, Visit visit) {
  const Input by_default{};
  std::uint8_t field = 0;
  Input::tickbox_visit([&]<class Member>(auto, Member Input::* member, auto) {
    std::array<std::int64_t, kFieldsMax> before{};
    visit_numbers(by_default.*member,
                  [&](std::uint8_t i, std::int64_t number) { before[i] = number; });
    visit_numbers(key.value.*member, [&](std::uint8_t i, std::int64_t number) {
      if (number == before[i]) return;
      visit(KeyTable{.keys = key.keys, .field = field, .i = i, .value = number});
    });
    ++field;
  });
}

/// Calls visit(KeyTable) for each value that the keys of a game set.
template <class Game, class Visit>
constexpr void visit_set_values(Visit visit) {
  visit_keys<Game>([&]<class Value>(const Key<Value>& key) {
    if constexpr (kIsInput<Game, Value>) visit_values_of(key, visit);
  });
}

/// Calls visit(CommandKeyTable) for each command that keys send.
template <class Game, class Visit>
constexpr void visit_sent_commands(Visit visit) {
  visit_keys<Game>([&]<class Value>(const Key<Value>& key) {
    if constexpr (!kIsInput<Game, Value>) {
      constexpr std::size_t kCommand = kNumberInCommands<Game, Value>;
      visit(CommandKeyTable{
          .keys = key.keys, .command = static_cast<std::uint8_t>(kCommand), .value = &key.value});
    }
  });
}

template <class Game>
inline constexpr auto kKeyTables = [] {
  constexpr std::size_t kCount = [] {
    std::size_t count = 0;
    visit_set_values<Game>([&](const KeyTable&) { ++count; });
    return count;
  }();
  std::array<KeyTable, kCount> tables{};
  std::size_t count = 0;
  visit_set_values<Game>([&](const KeyTable& table) { tables[count++] = table; });
  return tables;
}();

template <class Game>
inline constexpr auto kCommandKeyTables = [] {
  constexpr std::size_t kCount = [] {
    std::size_t count = 0;
    visit_sent_commands<Game>([&](const CommandKeyTable&) { ++count; });
    return count;
  }();
  std::array<CommandKeyTable, kCount> tables{};
  std::size_t count = 0;
  visit_sent_commands<Game>([&](const CommandKeyTable& table) { tables[count++] = table; });
  return tables;
}();

template <class Game>
constexpr bool are_keys_named() {
  bool are_named = true;
  visit_keys<Game>([&](const auto& key) { are_named = are_named && are_key_names(key.keys); });
  return are_named;
}

template <class Game>
constexpr void add_keys(GameTable& table) {
  static_assert(!kHasNamed_keys<Game> || HasKeys<Game>,
                "keys is no constexpr array of Key{\"name\", Input{...}}, nor a std::tuple of such "
                "keys and of Key{\"name\", Command{...}}");
  if constexpr (HasKeys<Game>) {
    static_assert(are_keys_named<Game>(),
                  "a key is a letter a to z, a digit, space, enter, tab, up, down, left or right; "
                  "several have a + between them");
    table.keys = kKeyTables<Game>;
    table.command_keys = kCommandKeyTables<Game>;
  }
}

}  // namespace tickbox::detail
