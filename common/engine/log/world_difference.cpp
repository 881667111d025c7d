#include "engine/log/world_difference.h"

#include "core/assert.h"
#include "engine/log/differences.h"

#include <algorithm>
#include <cstdint>

namespace tickbox::engine {
namespace {

/// The input of an avatar is compared with its seat.
RowRef without_input(const World& world, std::size_t row) {
  return {.head = head_of(world, row), .state = world.state(row), .input = {}};
}

void compare_rows(const World& expected, const World& got, FunctionRef<bool(BodyId)> is_compared,
                  Differences& differences) {
  const auto want = [&](std::size_t row) { return without_input(expected, row); };
  const auto have = [&](std::size_t row) { return without_input(got, row); };
  differences.compare_entities({.size = expected.size(), .row = want},
                               {.size = got.size(), .row = have}, is_compared);
}

void compare_seats(const World& expected, const World& got, Player player,
                   Differences& differences) {
  const SeatInfo& want = expected.seats()[player.seat];
  const SeatInfo& have = got.seats()[player.seat];
  const GameTable& game = expected.game();
  const std::string name = "seat " + std::to_string(player.seat);
  differences.begin(name);
  differences.compare("generation", want.generation, have.generation);
  differences.compare("taken", int{want.taken}, int{have.taken});
  differences.compare("has_chosen_focus", int{want.has_chosen_focus}, int{have.has_chosen_focus});
  differences.compare_ids("focus", body_id(want.focus), body_id(have.focus));
  differences.compare("focus_x", want.focus_place.x, have.focus_place.x);
  differences.compare("focus_y", want.focus_place.y, have.focus_place.y);
  differences.compare_values(game.seat, expected.seat_state(player), got.seat_state(player));
  differences.compare_values(game.input, expected.input(player), got.input(player), "input.");
}

/// Compares what is no entity.
void compare_rest(const World& expected, const World& got, Differences& differences) {
  differences.begin("");
  differences.compare("seats", expected.seats().size(), got.seats().size());
  const auto seats =
      static_cast<std::uint16_t>(std::min(expected.seats().size(), got.seats().size()));
  for (std::uint16_t seat = 0; seat < seats; ++seat) {
    compare_seats(expected, got, {seat}, differences);
  }
  const GameTable& game = expected.game();
  differences.begin("room");
  differences.compare_values(game.room, expected.room(), got.room());
  differences.begin("secret");
  differences.compare_values(game.secret, expected.secret(), got.secret());
  differences.begin("");
  differences.compare("tick", expected.tick.value, got.tick.value);
  differences.compare_hashes("random", expected.random.state(), got.random.state());
  differences.compare_hashes("shared_seed", expected.shared_seed, got.shared_seed);
  differences.compare("next_lineage", expected.next_lineage, got.next_lineage);
}

}  // namespace

std::optional<WorldDifference> compare_entities(const World& expected, const World& got,
                                                const std::function<bool(BodyId)>& is_compared) {
  TICKBOX_ASSERT(expected.game().hash == got.game().hash);
  Differences differences{expected.game()};
  compare_rows(expected, got, is_compared, differences);
  return differences.finish();
}

std::optional<WorldDifference> compare_worlds(const World& expected, const World& got) {
  TICKBOX_ASSERT(expected.game().hash == got.game().hash);
  Differences differences{expected.game()};
  compare_rows(expected, got, [](BodyId) { return true; }, differences);
  compare_rest(expected, got, differences);
  return differences.finish();
}

std::string to_text(const WorldDifference& difference) {
  const FieldDifference& first = difference.first_fields.front();
  const std::string subject = difference.subject.empty() ? "" : difference.subject + " ";
  return subject + first.field + ": expected " + first.expected + ", got " + first.got;
}

}  // namespace tickbox::engine
