#pragma once
// Whether bodies are piled up: more of them in one place than a server sends. The step of a pile
// would take seconds.

#include "engine/world.h"
#include "sim/rects.h"

#include <cstddef>

namespace tickbox::match {

class Crowding {
 public:
  /// Reads where all bodies of a world are. Cost: no allocation once warm.
  void read(const engine::World& world);

  /// Returns whether a body overlaps more bodies that the step keeps apart from it than a server
  /// sends. Requires: the world as it was read.
  [[nodiscard]] bool is_crowded(const engine::World& world, std::size_t row) const;

 private:
  sim::RectColumns rects_;  ///< by row
};

}  // namespace tickbox::match
