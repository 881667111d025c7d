#pragma once
// The styles in which bots play a game: three that every game has, those that a game offers, and a
// mix of all.

#include "tickbox/game_table.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::bots {

enum class StyleKind : std::uint8_t {
  Wander,  ///< changes a value of the input every 0.5 to 1.5 seconds, and presses once a second on
           ///< average
  Still,   ///< the input by default
  Stress,  ///< draws every value of the input in every tick
  OfGame,  ///< the game's bot()
  Mix,     ///< an equal share of the clients for each style, by the client's number
};

struct Style {
  StyleKind kind = StyleKind::Still;
  std::string_view name;  ///< as people write it

  friend bool operator==(const Style&, const Style&) = default;
};

/// Returns every style of a game but mix: wander, the game's own, still, stress.
[[nodiscard]] std::vector<Style> styles_of(const GameTable& game);

/// Reads a style's name. Fails: with one line that lists the styles of the game.
[[nodiscard]] std::expected<Style, std::string> parse_style(const GameTable& game,
                                                            std::string_view text);

/// Returns the style that client `number` plays: `style`, or for Mix one of the others in turn.
[[nodiscard]] Style style_of(const GameTable& game, Style style, std::uint64_t number);

}  // namespace tickbox::bots
