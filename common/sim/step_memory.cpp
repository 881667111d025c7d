#include "sim/step_memory.h"

#include "sim/step/walls.h"

namespace tickbox::sim {

StepMemory::StepMemory() = default;

StepMemory::StepMemory(const StepMemory& /*other*/) {}

StepMemory::StepMemory(StepMemory&&) noexcept = default;

StepMemory& StepMemory::operator=(const StepMemory& /*other*/) {
  return *this;
}

StepMemory& StepMemory::operator=(StepMemory&&) noexcept = default;
StepMemory::~StepMemory() = default;

KnownWalls& StepMemory::walls() {
  if (!walls_) walls_ = std::make_unique<KnownWalls>();
  return *walls_;
}

}  // namespace tickbox::sim
