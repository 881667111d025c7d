#pragma once
// Keys for play by a person, and the looks of kinds, as plain data. No rule reads them.
//
//   static constexpr std::array keys = {Key{"w", Pad{.move = 7}}, Key{"d", Pad{.move = 1}},
//                                       Key{"w+d", Pad{.move = 8}}};
//
// Where keys send commands too, they are a std::tuple:
//
//   static constexpr std::tuple keys{Key{"d", Pad{.run = 1}}, Key{"r", Restart{}}};
//
//   static constexpr Look look(const Hero&) { return {.glyph = '@', .colour = Colour::Yellow}; }

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

/// The outline of an entity in a picture; its box is that of the physics in any case.
enum class Shape : std::uint8_t { Box, Disc, Diamond };

/// How a page or a program shows an entity.
struct Look {
  char glyph = '?';  ///< a visible ASCII character
  Colour colour = Colour::White;
  Shape shape = Shape::Box;
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

}  // namespace detail

}  // namespace tickbox
