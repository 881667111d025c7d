#pragma once
// One tick of physics. Boxes move along their paths, and contacts happen in the exact order of
// time. No two boxes that must stay apart (stay_apart()) begin to overlap unless one crushes the
// other.

#include "sim/search_budget.h"
#include "sim/step_report.h"
#include "sim/world.h"

#include <cstdint>
#include <memory>

namespace tickbox::sim {

/// Steps worlds. A PhysicsStepper holds only scratch memory and serves any number of worlds, one
/// after the other: the fewer there are, the more of it stays in the processor's caches. The result
/// never depends on earlier steps. Cost: no allocation once warm.
class PhysicsStepper {
 public:
  PhysicsStepper();
  ~PhysicsStepper();
  PhysicsStepper(PhysicsStepper&&) noexcept;
  PhysicsStepper& operator=(PhysicsStepper&&) noexcept;

  /// Moves `world` by one tick. Bodies that overlap at its start are separated if possible.
  /// Otherwise they do not collide with each other until they are apart. Requires: every mover
  /// within the limits of Body. Source: the swept AABB against the Minkowski difference, on a time
  /// lattice.
  const StepReport& step(PhysicsWorld& world);

  /// Limits all steps from now on, together, until the next call.
  void limit(SearchLimit limit);

  /// Returns how many of the limit's `searches` are left.
  [[nodiscard]] std::uint64_t searches_left() const;

  /// Returns whether a step has exceeded the limit's `searches`.
  [[nodiscard]] bool gave_up() const { return searches_left() == 0; }

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace tickbox::sim
