#include "games/catalog.h"
#include "viewer/module_games.h"

namespace tickbox::viewer {

engine::Games module_games() {
  return games::all_games();
}

}  // namespace tickbox::viewer
