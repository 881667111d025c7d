#include "tests/simulator/plant.h"

#include <array>

namespace tickbox::simulator {
namespace {

constexpr std::array<std::string_view, 8> kNames{"none",         "input-twice", "missing-cause",
                                                 "lost-record",  "other-input", "wrong-key",
                                                 "overspending", "leak"};

}  // namespace

std::string_view name_of(Plant plant) {
  return kNames[static_cast<std::size_t>(plant)];
}

std::expected<Plant, std::string> parse_plant(std::string_view text) {
  std::string names;
  for (std::size_t i = 1; i < kNames.size(); ++i) {
    if (text == kNames[i]) return static_cast<Plant>(i);
    names.append(names.empty() ? "" : ", ").append(kNames[i]);
  }
  return std::unexpected{"'" + std::string{text} + "' is no bug to plant; there are " + names};
}

void SteppedTwice::apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                                game::TickEvents& events) const {
  std::vector<game::PlayerInput> stepped{inputs.begin(), inputs.end()};
  if (world.tick.value % kPlantedTicks == 0) {
    for (game::PlayerInput& one : stepped) {
      const auto before = before_.find(one.player);
      if (before == before_.end() || before->second.move == one.input.move) continue;
      one.input = before->second;
      break;
    }
  }
  for (const game::PlayerInput& one : inputs) {
    before_[one.player] = one.input;
  }
  WrappedArena::apply_inputs(world, stepped, events);
}

void Unforgetting::apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                                game::TickEvents& events) const {
  kept_.emplace_back(inputs.begin(), inputs.end());
  WrappedArena::apply_inputs(world, inputs, events);
}

void Unheard::apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                           game::TickEvents& events) const {
  const bool drops = !inputs.empty() && world.tick.value % kPlantedTicks == 0;
  WrappedArena::apply_inputs(world, drops ? inputs.first(inputs.size() - 1) : inputs, events);
}

}  // namespace tickbox::simulator
