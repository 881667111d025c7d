#include "tests/golden/match_players.h"

#include "core/assert.h"
#include "engine/declared.h"
#include "games/arena/arena.h"
#include "tests/golden/scene.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tickbox::golden {
namespace {

/// Each player in turn is away for this long.
constexpr std::uint32_t kTicksAway = 40;
static_assert(kTicksAway * kMatchPlayers < kTicks / 2);

const FieldInfo& field_of(std::string_view name) {
  const auto fields = games::arena().input.fields();
  const auto found = std::ranges::find(fields, name, &FieldInfo::name);
  TICKBOX_ASSERT(found != fields.end());
  return *found;
}

std::int64_t draw_value(Rng& dice, const FieldInfo& field) {
  const auto values = static_cast<std::uint64_t>(field.max - field.min) + 1;
  return field.min + static_cast<std::int64_t>(dice.below(values));
}

}  // namespace

MatchPlayers::MatchPlayers() {
  for (std::vector<std::byte>& held : held_) {
    held.resize(games::arena().input.bytes);
    games::arena().input.write_default(held.data());
  }
}

void MatchPlayers::decide(std::uint16_t player) {
  const MutableBytes input{held_.at(player)};
  if (dice_.chance(1, 20)) {
    const FieldInfo& move = field_of("move");
    engine::set_value(move, 0, draw_value(dice_, move), input);
  }
  engine::set_value(field_of("shoot"), 0, dice_.chance(1, 6) ? 1 : 0, input);
  const FieldInfo& aim = field_of("aim");
  engine::set_value(aim, 0, draw_value(dice_, aim), input);
}

engine::TickRequest MatchPlayers::draw(std::uint32_t tick) {
  joins_.clear();
  leaves_.clear();
  inputs_.clear();
  for (std::uint16_t i = 0; i < kMatchPlayers; ++i) {
    const bool is_here = tick / kTicksAway % (kMatchPlayers + 1) != i + 1U;
    const bool was_here = std::exchange(is_here_.at(i), is_here);
    if (is_here && !was_here) joins_.push_back({.player = {i}, .user_data = {}});
    if (was_here && !is_here) leaves_.push_back({i});
    if (!is_here) continue;
    decide(i);
    inputs_.push_back({.player = {i}, .input = held_.at(i)});
  }
  return {.leaves = leaves_, .joins = joins_, .inputs = inputs_};
}

}  // namespace tickbox::golden
