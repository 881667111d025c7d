// TICKBOX_FIELDS does not name every member: one is missing before
// Runner
// 'f', 'u', 'e', 'l'
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  tickbox::Int<0, 9> steps;
  tickbox::Array<bool, 3> tools;
  tickbox::Int<0, 9> rest;  // not in the list, and of the type of its neighbour
  tickbox::Int<0, 9> fuel;
  tickbox::Player friendly;
  TICKBOX_FIELDS(Runner, steps, tools, fuel, friendly)
};

const tickbox::GameTable& game = tickbox::kGameTable<GameOf<Runner>>;
