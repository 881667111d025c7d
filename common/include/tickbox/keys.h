#pragma once
// Keys for play by a person, the looks of kinds, and captions, as plain data. No rule reads them.
//
//   static constexpr std::array keys = {Key{"w", Pad{.move = 7}}, Key{"d", Pad{.move = 1}},
//                                       Key{"w+d", Pad{.move = 8}}};
//
// Where keys send commands too, they are a std::tuple:
//
//   static constexpr std::tuple keys{Key{"d", Pad{.run = 1}}, Key{"r", Restart{}}};
//
//   static constexpr Look look(const Hero&) { return {.glyph = '@', .colour = Colour::Yellow}; }
//   static Caption text(const Hit& hit) { return {"{} hit {}", hit.shooter, hit.victim}; }

#include "tickbox/fields.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tickbox {

/// What keys do. With an input: while the keys are down, they set the fields in which `value`
/// differs from the input by default. If several Keys set one field, the Key with the most keys
/// applies, then the one pressed last. With a command: they send it once when they are pressed.
template <class Value>
struct Key {
  /// A letter, a digit, space, enter, tab, up, down, left or right; or several of these that are
  /// down together, as in "w+d".
  std::string_view keys{};
  Value value{};
};

/// A colour by its name; each page and program has a shade for it.
enum class Colour : std::uint8_t { Black, Red, Green, Yellow, Blue, Magenta, Cyan, White };

/// The outline of an entity in a picture; its box is that of the physics in any case. A flame has
/// colours of its own.
enum class Shape : std::uint8_t { Box, Disc, Diamond, Flame };

/// How a page or a program shows an entity.
struct Look {
  char glyph = '?';  ///< a visible ASCII character
  Colour colour = Colour::White;
  Shape shape = Shape::Box;
  /// The colour is that of the owner's team: its mark, its score and its name have it too. Else
  /// each player has a colour of its own there.
  bool is_team = false;
};

namespace detail {

constexpr bool is_key_name(std::string_view name) {
  if (name.size() == 1) {
    return (name[0] >= 'a' && name[0] <= 'z') || (name[0] >= '0' && name[0] <= '9');
  }
  constexpr std::array<std::string_view, 7> kLonger = {"space", "enter", "tab",  "up",
                                                       "down",  "left",  "right"};
  for (const std::string_view known : kLonger) {
    if (name == known) return true;
  }
  return false;
}

/// Returns whether a text is one key's name, or several with + between them.
constexpr bool are_key_names(std::string_view keys) {
  for (;;) {
    const std::size_t end = keys.find('+');
    if (!is_key_name(keys.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    keys.remove_prefix(end + 1);
  }
}

/// Not constexpr: the compiler prints its name where a caption has not.
void a_caption_has_as_many_places_as_values();

/// The words of a caption. The compiler counts the {} in them.
template <std::size_t Values>
struct CaptionWords {
  // NOLINTNEXTLINE(google-explicit-constructor): it is a text
  consteval CaptionWords(const char* text) : words(text) {
    std::size_t places = 0;
    for (std::size_t at = words.find("{}"); at != std::string_view::npos;
         at = words.find("{}", at + 2)) {
      ++places;
    }
    if (places != Values) a_caption_has_as_many_places_as_values();
  }

  std::string_view words;
};

}  // namespace detail

/// A text for people. Each {} is the next value: a number, or a player as P3. The own player is You
/// at the start, you elsewhere: use verbs such as took, won. By default there is no text.
struct Caption {
  static constexpr std::size_t kValuesMax = 6;

  struct Value {
    Value() = default;

    // NOLINTNEXTLINE(google-explicit-constructor): it is a number
    constexpr Value(std::int32_t value) : number(value) {}

    // NOLINTNEXTLINE(google-explicit-constructor): it is a player
    constexpr Value(Player player) : number(player.seat), is_player(true) {}

    std::int32_t number = 0;
    bool is_player = false;
  };

  Caption() = default;

  template <class... Values>
  // NOLINTNEXTLINE(google-explicit-constructor): it is a text
  constexpr Caption(std::type_identity_t<detail::CaptionWords<sizeof...(Values)>> text,
                    const Values&... of)
      : words(text.words), values{Value{of}...} {
    static_assert(sizeof...(Values) <= kValuesMax, "a caption has at most 6 values");
  }

  std::string_view words{};
  std::array<Value, kValuesMax> values{};
};

}  // namespace tickbox
