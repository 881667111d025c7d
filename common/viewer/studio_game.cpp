#include "tickbox/program.h"
#include "viewer/module_games.h"

#include <array>

namespace tickbox::viewer {

engine::Games module_games() {
  static const std::array<const GameTable*, 1> games{&game_named_by_TICKBOX_GAME()};
  return games;
}

}  // namespace tickbox::viewer
