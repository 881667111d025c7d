// the game has bot(), but no constexpr array of std::string_view `bot_styles`
#include "tests/unit/laws/refused/game_of.h"

#include <array>

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Hooked : GameOf<Runner> {
  static tickbox::Empty bot(const tickbox::BotView<Hooked>&, tickbox::Empty&, std::string_view) {
    return {};
  }
};

const tickbox::GameTable& game = tickbox::kGameTable<Hooked>;
