// bot_styles are names of letters a to z and dashes
#include "tests/unit/laws/refused/game_of.h"

#include <array>

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Hooked : GameOf<Runner> {
  static constexpr std::array<std::string_view, 2> bot_styles = {"chase", "wander"};

  static tickbox::Empty bot(const tickbox::BotView<Hooked>&, tickbox::Empty&, std::string_view) {
    return {};
  }
};

const tickbox::GameTable& game = tickbox::kGameTable<Hooked>;
