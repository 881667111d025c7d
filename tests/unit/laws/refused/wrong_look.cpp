// look has another signature: Look look(const Kind&)
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Shown : GameOf<Runner> {
  static constexpr char look(const Runner&) { return '@'; }
};

const tickbox::GameTable& game = tickbox::kGameTable<Shown>;
