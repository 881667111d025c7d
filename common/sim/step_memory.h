#pragma once
// What a step keeps for the next one of the same world: the walls near each mover. It saves time,
// and changes no result.

#include <memory>

namespace tickbox::sim {

struct KnownWalls;

/// Part of a world, but not of its state: a copy begins with an empty memory, and a world that
/// another is copied to keeps its own. A move takes the memory along.
class StepMemory {
 public:
  StepMemory();
  StepMemory(const StepMemory& other);
  StepMemory(StepMemory&& other) noexcept;
  StepMemory& operator=(const StepMemory& other);
  StepMemory& operator=(StepMemory&& other) noexcept;
  ~StepMemory();

  /// Cost: the first time one allocation.
  [[nodiscard]] KnownWalls& walls();

 private:
  std::unique_ptr<KnownWalls> walls_;
};

}  // namespace tickbox::sim
