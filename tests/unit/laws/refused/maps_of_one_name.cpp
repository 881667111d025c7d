// maps are names of letters a to z and dashes, each another
#include "tests/unit/laws/refused/game_of.h"

#include <array>
#include <string_view>

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Mapped : GameOf<Runner> {
  static constexpr std::array<std::string_view, 2> maps = {"cave", "cave"};
};

const tickbox::GameTable& game = tickbox::kGameTable<Mapped>;
