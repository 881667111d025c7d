// after has another signature: after(Entity<Kind>, Step<Game>&)
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Hooked : GameOf<Runner> {
  static void after(Runner& me) { ++me.steps; }
};

const tickbox::GameTable& game = tickbox::kGameTable<Hooked>;
