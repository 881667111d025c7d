// TICKBOX_FIELDS does not name every member: one is missing at the end
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  tickbox::Int<0, 9> steps;
  bool fast = false;
  TICKBOX_FIELDS(Runner, steps)
};

const tickbox::GameTable& game = tickbox::kGameTable<GameOf<Runner>>;
