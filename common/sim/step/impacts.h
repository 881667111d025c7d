#pragma once
// The impacts that are still to come in a tick.

#include "sim/step/event_queue.h"
#include "sim/step/walls.h"

#include <cstdint>
#include <vector>

namespace tickbox::sim {

struct Impacts {
  EventQueue queue;
  std::vector<std::uint32_t> changed;    ///< by the last event: their impacts are searched again
  std::vector<Pair> crushing;            ///< kinematic, and the body it crushes: they meet no more
  std::vector<Event> first_on_walls;     ///< wait until the queue is for the sweep
  std::vector<std::uint32_t> leaning;    ///< movers that touch others, and may touch walls
  std::vector<std::uint32_t> undecided;  ///< movers whose first wall is not in the queue yet
  std::vector<std::uint32_t> escaped;    ///< movers that left the hull of their first path

  void reserve(std::size_t movers) {
    constexpr std::size_t kImpactsPerMover = 8;
    constexpr std::size_t kChangedPerMover = 4;
    queue.reserve(kImpactsPerMover * movers);
    changed.reserve(kChangedPerMover * movers);
    reserve_all(movers, crushing, first_on_walls, leaning, undecided, escaped);
  }
};

}  // namespace tickbox::sim
