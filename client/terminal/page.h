#pragma once
// The whole screen: a line of figures, the world, and the keys.

#include "client/terminal/field.h"
#include "client/terminal/screen.h"
#include "tickbox/game_table.h"

#include <optional>
#include <string>
#include <vector>

namespace tickbox::terminal {

/// The smallest terminal in which one can play. A smaller one shows a sentence.
inline constexpr Size kSizeMin{.columns = 40, .rows = 10};

struct Page {
  std::vector<std::string> figures;  ///< the most important first; what does not fit is left out
  bool has_alarm = false;            ///< the first figure is an alarm
  std::optional<Scene> scene;        ///< nothing before the first view
  std::string message;               ///< in the middle of the world; empty for none
  std::u32string hints;              ///< in rows at the bottom, at most a third of the screen
};

/// Returns the screen of a terminal of this size.
[[nodiscard]] Screen draw(const Page& page, Size size, Colours colours);

/// Returns the names of a game's keys, each group with the first field that it sets or the command
/// that it sends, as in "a d walk  space jump  r restart". Combinations of keys are left out.
[[nodiscard]] std::u32string key_hints(const GameTable& game);

}  // namespace tickbox::terminal
