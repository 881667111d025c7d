// moves has another type: static constexpr bool moves
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Moving : GameOf<Runner> {
  static constexpr int moves = 1;
};

const tickbox::GameTable& game = tickbox::kGameTable<Moving>;
