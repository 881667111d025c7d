// keys is no constexpr array of Key{"name", Input{...}}, nor a std::tuple of such keys
#include "tests/unit/laws/refused/game_of.h"

#include <array>

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Keyed : GameOf<Runner> {
  static constexpr std::array keys = {tickbox::Key{"w", Runner{.steps = 3}}};
};

const tickbox::GameTable& game = tickbox::kGameTable<Keyed>;
