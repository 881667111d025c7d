#pragma once
// The input that a recorded tick steps for a player, and the one that it must step.

#include "core/bytes.h"
#include "engine/log/tick_log.h"
#include "engine/world.h"
#include "tickbox/game_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::tests {

[[nodiscard]] inline bool joins(const engine::DecodedTick& tick, Player player) {
  return std::ranges::find(tick.joins, player) != tick.joins.end();
}

/// Returns what a tick steps for a player: its new input, or the one that it holds. `before`: the
/// world before the tick.
[[nodiscard]] inline std::vector<std::byte> stepped_input(const engine::World& before,
                                                          const engine::DecodedTick& tick,
                                                          Player player) {
  const TypeInfo& type = before.game().input;
  std::vector<std::byte> input(type.bytes);
  type.write_default(input.data());
  if (!joins(tick, player)) std::ranges::copy(before.input(player), input.begin());
  const auto given =
      std::ranges::find(tick.record.inputs, player, &engine::TickRecord::Input::player);
  if (given != tick.record.inputs.end()) {
    const ConstBytes bytes = ConstBytes{tick.record.bytes}.subspan(given->first, input.size());
    std::ranges::copy(bytes, input.begin());
  }
  return input;
}

/// Returns an input without what has no effect in this tick. The avatar of a player that joins has
/// its first state.
[[nodiscard]] inline std::vector<std::byte> without_the_ineffective(const engine::World& before,
                                                                    const engine::DecodedTick& tick,
                                                                    Player player,
                                                                    std::vector<std::byte> input) {
  const GameTable& game = before.game();
  if (game.significant == nullptr) return input;
  if (joins(tick, player)) {
    alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> first{};
    game.kinds[game.avatar].type.write_default(first.data());
    game.significant(input.data(), first.data());
    return input;
  }
  const std::size_t avatar = before.avatar_of(player);
  if (avatar != before.size() && before.infos()[avatar].kind == game.avatar) {
    game.significant(input.data(), before.state(avatar).data());
  }
  return input;
}

}  // namespace tickbox::tests
