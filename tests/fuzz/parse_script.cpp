// A file of inputs as somebody has written it: refused in one line, or a script whose every input
// players can want, and whose text reads the same.

#include "client/commands/play/input_script.h"
#include "engine/declared.h"
#include "engine/entity_id.h"
#include "games/catalog.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <functional>

using namespace tickbox;

namespace {

void check_player(const GameTable& game, const commands::PlayerScript& player,
                  std::uint32_t ticks) {
  fuzz::check(player.seat.seat < engine::kSeatsMax);
  fuzz::check(
      std::ranges::is_sorted(player.changes, std::less_equal{}, &commands::InputChange::tick));
  std::size_t at = 0;
  for (const commands::InputChange& change : player.changes) {
    fuzz::check(change.tick <= ticks);
    fuzz::check(change.input.size() == game.input.bytes);
    fuzz::check(engine::is_in_range(game.input, change.input));
    fuzz::check(std::ranges::equal(player.input(change.tick, at), change.input));
  }
}

}  // namespace

TICKBOX_FUZZ_TARGET(parse_script)(ConstBytes input) {
  const auto script = commands::parse_script(fuzz::text_of(input), games::all_games());
  if (!fuzz::is_read(script)) return;
  fuzz::check(script->game != nullptr && script->tick_rate >= 1 && !script->players.empty());
  // No two players have the same seat.
  fuzz::check(std::ranges::is_sorted(
      script->players, std::less_equal{},
      [](const commands::PlayerScript& player) { return player.seat.seat; }));
  for (const commands::PlayerScript& player : script->players) {
    check_player(*script->game, player, script->ticks);
  }
  fuzz::check(commands::parse_script(commands::to_text(*script), games::all_games()) == script);
}
