#include "tests/bench/game/arena_inputs.h"

#include "engine/declared.h"
#include "games/arena/arena_game.h"

#include <array>

namespace tickbox::bench {

ArenaInputs::ArenaInputs(std::uint16_t players, bool is_stress, std::uint64_t seed)
    : players_(players),
      is_stress_(is_stress),
      dice_(seed),
      held_(players),
      pads_(players, std::vector<std::byte>(games::arena().input.bytes)) {}

void ArenaInputs::draw() {
  joins.clear();
  joining.clear();
  inputs.clear();
  given.clear();
  for (std::uint16_t seat = 0; seat < players_; ++seat) {
    if (is_first_) {
      joins.push_back({seat});
      joining.push_back({.player = {seat}, .user_data = {}});
    }
    game::Input& input = held_[seat];
    if (is_stress_ || dice_.chance(1, 60)) {
      input.move = static_cast<std::uint8_t>(dice_.below(9));
    }
    const bool shoots = is_stress_ || dice_.chance(1, 60);
    input.buttons = shoots ? game::kButtonShoot : std::uint8_t{0};
    input.aim = static_cast<std::uint16_t>(dice_.below(game::kAimDirections));
    inputs.push_back({{seat}, input});
    const std::array<std::int64_t, 4> values = {input.move, shoots ? 1 : 0, 0, input.aim};
    for (std::size_t i = 0; i < values.size(); ++i) {
      engine::set_value(games::arena().input.fields()[i], 0, values[i], pads_[seat]);
    }
    given.push_back({.player = {seat}, .input = pads_[seat]});
  }
  is_first_ = false;
}

}  // namespace tickbox::bench
