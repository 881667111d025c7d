// bot has another signature: Input bot(const BotView<Game>&, BotState&, std::string_view)
#include "tests/unit/laws/refused/game_of.h"

#include <array>

struct Runner {
  tickbox::Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Hooked : GameOf<Runner> {
  static constexpr std::array<std::string_view, 1> bot_styles = {"chase"};

  static tickbox::Empty bot(const tickbox::BotView<Hooked>&) { return {}; }
};

const tickbox::GameTable& game = tickbox::kGameTable<Hooked>;
