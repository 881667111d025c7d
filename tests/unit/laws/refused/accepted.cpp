// Nothing is wrong here: what the others change compiles as it is.
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  tickbox::Int<0, 9> steps;
  bool fast = false;
  TICKBOX_FIELDS(Runner, steps, fast)
};

const tickbox::GameTable& game = tickbox::kGameTable<GameOf<Runner>>;
