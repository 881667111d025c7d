#pragma once
// Extrapolation: the newest view stepped further, shown until a newer view arrives.
//
// A server without news sends nothing, and the next ticks then follow from the view alone: runners
// keep running and stop at walls. So the extrapolation is exact unless news is on its way or was
// lost; a straight line would not be. It steps ticks only on request, up to the requested one.

#include "client/presentation/interpolation.h"
#include "game/rules.h"
#include "game/step.h"
#include "game/world.h"

#include <memory>
#include <span>

namespace tickbox::client {

class Extrapolation {
 public:
  Extrapolation(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules);

  /// Discards all samples, because a newer view has arrived.
  void forget() { samples_.clear(); }

  /// Returns the sample of `tick`, valid until a later one is requested. `view` has the entities of
  /// tick `newest`, the same ones until forget().
  /// Requires: `tick` is later than `newest`.  Cost: steps the ticks not stepped yet; no allocation
  /// once warm.
  const Sample& sample(Tick tick, Tick newest, std::span<const game::EntityState> view);

 private:
  void start(Tick newest, std::span<const game::EntityState> view);
  void step();

  std::shared_ptr<const game::Rules> rules_;
  game::World world_;
  game::Stepper stepper_;
  InterpolationBuffer samples_;  ///< samples from the tick after the view's on
};

}  // namespace tickbox::client
