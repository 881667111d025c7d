#include "sim/step.h"

#include "core/assert.h"
#include "sim/step/overlaps.h"
#include "sim/step/step_run.h"

namespace tickbox::sim {

struct Stepper::Scratch {
  StepRun run;
};

Stepper::Stepper() : scratch_(std::make_unique<Scratch>()) {}

Stepper::~Stepper() = default;
Stepper::Stepper(Stepper&&) noexcept = default;
Stepper& Stepper::operator=(Stepper&&) noexcept = default;

const StepReport& Stepper::step(World& world) {
  scratch_->run.run(world);
  const StepReport& report = scratch_->run.report();
#ifdef TICKBOX_AUDIT
  // No pair overlaps that did not overlap when the tick began. The check uses the positions alone.
  TICKBOX_ASSERT(find_overlaps(world) == report.overlaps);
#endif
  return report;
}

}  // namespace tickbox::sim
