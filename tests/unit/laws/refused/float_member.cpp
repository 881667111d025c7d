// no float, pointer or plain array
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  float speed = 0;
  TICKBOX_FIELDS(Runner, speed)
};

const tickbox::GameTable& game = tickbox::kGameTable<GameOf<Runner>>;
