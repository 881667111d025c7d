#include "sim/step.h"

#include "sim/step_run.h"

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
  return scratch_->run.report();
}

}  // namespace tickbox::sim
