#pragma once
// Random inputs of an arena's players, the same ones for both of its forms.

#include "core/rng.h"
#include "engine/stepper.h"
#include "game/step.h"

#include <cstdint>
#include <vector>

namespace tickbox::bench {

class ArenaInputs {
 public:
  /// `is_stress`: every stick changes in every tick, and all shoot when they can.
  ArenaInputs(std::uint16_t players, bool is_stress, std::uint64_t seed);

  /// Draws the inputs of the next tick. In the first one, all players join.
  void draw();

  std::vector<PlayerId> joins;
  std::vector<engine::Join> joining;
  std::vector<game::PlayerInput> inputs;
  std::vector<engine::PlayerInput> given;

 private:
  std::uint16_t players_;
  bool is_stress_;
  bool is_first_ = true;
  Rng dice_;
  std::vector<game::Input> held_;
  std::vector<std::vector<std::byte>> pads_;
};

}  // namespace tickbox::bench
