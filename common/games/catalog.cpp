#include "games/catalog.h"

#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "games/platformer/platformer.h"

#include <array>

namespace tickbox::games {

std::span<const GameTable* const> all_games() {
  static const std::array kGames{&arena(), &platformer(), &bomber()};
  return kGames;
}

}  // namespace tickbox::games
