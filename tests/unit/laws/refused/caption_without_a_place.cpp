// a_caption_has_as_many_places_as_values
#include "tests/unit/laws/refused/game_of.h"

struct Runner {
  TICKBOX_FIELDS(Runner)
};

struct Told : GameOf<Runner> {
  using Events = tickbox::List<Runner>;

  static tickbox::Caption text(const Runner&) { return {"{} runs", 1, 2}; }
};

const tickbox::GameTable& game = tickbox::kGameTable<Told>;
