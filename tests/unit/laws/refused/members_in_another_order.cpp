// TICKBOX_FIELDS names a member twice, or in another order than the members
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  tickbox::Int<0, 9> steps;
  bool fast = false;
  TICKBOX_FIELDS(Runner, fast, steps)
};

const tickbox::GameTable& game = tickbox::kGameTable<GameOf<Runner>>;
