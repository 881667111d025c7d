// TICKBOX_FIELDS does not name every member: one is missing before
// Runner
// 'w', 'a', 'y'
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  tickbox::Int<0, 9> steps;
  bool fast = false;
  tickbox::Int<0, 100'000> way;
  TICKBOX_FIELDS(Runner, steps, way)
};

const tickbox::GameTable& game = tickbox::kGameTable<GameOf<Runner>>;
