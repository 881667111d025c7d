// a key is a letter a to z, a digit, space, enter, tab, up, down, left or right
#include "tests/unit/laws/refused/game_of.h"

#include <array>

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Keyed : GameOf<Runner> {
  static constexpr std::array keys = {tickbox::Key{"w", tickbox::Empty{}},
                                      tickbox::Key{"w+shift", tickbox::Empty{}}};
};

const tickbox::GameTable& game = tickbox::kGameTable<Keyed>;
