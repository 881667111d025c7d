// an outcome of the game's Outcomes has no apply(Entity<Kind>, const Outcome&, Step<Game>&)
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Tired {
  TICKBOX_FIELDS(Tired)
};

struct Race : GameOf<Runner> {
  using Outcomes = tickbox::List<Tired>;
};

const tickbox::GameTable& game = tickbox::kGameTable<Race>;
