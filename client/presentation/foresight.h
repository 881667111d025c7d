#pragma once
// The newest view, stepped on by itself: what is shown where no newer one has come.
//
// While a server has no news it keeps silent, and what then happens follows from the view alone:
// who runs runs on, who meets a wall stops. So this is the truth, unless news is on its way or was
// lost; a straight line would be neither. It is stepped when somebody looks, and only so far.

#include "client/presentation/interpolation.h"
#include "game/rules.h"
#include "game/step.h"
#include "game/world.h"

#include <memory>
#include <span>

namespace tickbox::client {

class Foresight {
 public:
  Foresight(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules);

  /// There is a newer view.
  void forget() { scenes_.clear(); }

  /// The scene of `tick`, `view` being the entities of `newest`, the same until forget(). Valid
  /// until a later one is asked for.
  /// Requires: later than `newest`.  Cost: steps what was not stepped yet; no allocation once warm.
  const Scene& scene(Tick tick, Tick newest, std::span<const game::EntityState> view);

 private:
  void start(Tick newest, std::span<const game::EntityState> view);
  void step();

  std::shared_ptr<const game::Rules> rules_;
  game::World world_;
  game::Stepper stepper_;
  Scenes scenes_;  ///< from the tick after the view's on
};

}  // namespace tickbox::client
