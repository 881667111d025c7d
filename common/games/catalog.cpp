#include "games/catalog.h"

#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "games/platformer/platformer.h"

#include <array>

namespace tickbox::games {

std::span<const GameTable* const> all_games() {
  static const std::array games{&arena(), &platformer(), &bomber()};
  return games;
}

}  // namespace tickbox::games
