// TheGameDoesNotList<Stone>
// add_it_to_Kinds
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Stone {
  TICKBOX_FIELDS(Stone)
};

struct Throwing : GameOf<Runner> {
  static void decide(tickbox::Server<Throwing>& server) { server.spawn(Stone{}, {}); }
};

const tickbox::GameTable& game = tickbox::kGameTable<Throwing>;
