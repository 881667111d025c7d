#pragma once
// Which movers may meet in a tick, as long as they stay on the paths on which they begin it.

#include "sim/step/movers.h"
#include "sim/step/walls.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// Two movers.
struct Pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

/// How many pairs are counted at once: to count each would cost a hundredth of a step.
inline constexpr std::size_t kPairsPerCount = 4096;

/// Calls visit(pair) for all pairs and counts them. Ends early if the step is to end.
template <class Visit>
void visit_counted(std::span<const Pair> pairs, SearchBudget& searches, Visit&& visit) {
  while (!pairs.empty() && !searches.ends_step()) {
    const std::span some = pairs.first(std::min(pairs.size(), kPairsPerCount));
    for (const Pair pair : some) {
      visit(pair);
    }
    searches.count(some.size());
    pairs = pairs.subspan(some.size());
  }
}

/// What each mover may meet on its first path: other movers, and walls.
struct Candidates {
  std::vector<Rect> hulls;                     ///< of the first paths, by mover; see sweep()
  std::vector<Pair> pairs;                     ///< may meet within the tick
  std::vector<Pair> touching;                  ///< those of `pairs` that touch at the tick's start
  std::vector<std::uint32_t> first_neighbour;  ///< of each mover in `neighbours`, and the end
  std::vector<std::uint32_t> neighbours;       ///< whom a mover touches at the tick's start
  WallsNear walls;
  KnownWalls* known = nullptr;  ///< those of the world

  [[nodiscard]] bool has_neighbours(std::uint32_t mover) const {
    return first_neighbour[mover] != first_neighbour[mover + 1];
  }

  [[nodiscard]] std::span<const std::uint32_t> neighbours_of(std::uint32_t mover) const {
    return std::span{neighbours}.subspan(first_neighbour[mover],
                                         first_neighbour[mover + 1] - first_neighbour[mover]);
  }

  void reserve(std::size_t movers) {
    constexpr std::size_t kPairsPerMover = 8;
    constexpr std::size_t kTouchesPerMover = 4;
    walls.reserve(movers);
    reserve_all(movers, hulls, first_neighbour);
    reserve_all(kPairsPerMover * movers, pairs, neighbours);
    touching.reserve(kTouchesPerMover * movers);
  }
};

/// Begins the tick of every mover: its role and state, the hull of its path and its place in the
/// grid. Forgets turns and pieces of a first attempt.
/// Requires: integrate() has set the velocities.
void begin_paths(Movers& movers, Candidates& candidates);

/// Updates hulls and places after carry_riders() has changed velocities in the states.
void begin_carried_paths(Movers& movers, Candidates& candidates);

/// Fills `candidates` with pairs whose hulls touch, and reports the movers that overlap.
void find_pairs(const Movers& movers, Candidates& candidates, StepReport& report);

}  // namespace tickbox::sim
