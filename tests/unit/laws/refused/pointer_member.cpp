// no float, pointer or plain array
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  const Runner* next = nullptr;
  TICKBOX_FIELDS(Runner, next)
};

const tickbox::GameTable& game = tickbox::kGameTable<GameOf<Runner>>;
