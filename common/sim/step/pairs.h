#pragma once
// Which movers may meet in a tick, as long as they stay on the paths on which they begin it.

#include "sim/step/mover_grid.h"
#include "sim/step/movers.h"

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

/// The pairs that may meet, and the grid in which all later searches for movers are made.
struct Candidates {
  MoverGrid grid;
  std::vector<Rect> hulls;                     ///< of the first paths, by mover
  std::vector<Pair> pairs;                     ///< may meet within the tick
  std::vector<Pair> touching;                  ///< those of `pairs` that touch at the tick's start
  std::vector<std::uint32_t> first_neighbour;  ///< of each mover in `neighbours`, and the end
  std::vector<std::uint32_t> neighbours;       ///< whom a mover touches at the tick's start

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
    grid.reserve(movers);
    reserve_all(movers, hulls, first_neighbour);
    reserve_all(kPairsPerMover * movers, pairs, neighbours);
    touching.reserve(kTouchesPerMover * movers);
  }
};

/// Reports that one of two movers changed the other without a contact, or may have. Does nothing
/// where one of the two is static.
inline void note_influence(const Body& a, const Body& b, StepReport& report) {
  const bool are_movers = a.kind != Kind::Static && b.kind != Kind::Static;
  if (are_movers) report.influences.push_back(ordered_pair(a.id, b.id));
}

/// Reports two bodies that overlap at the tick's start and should not: a body as crushed, or the
/// pair as overlapping.
inline void note_overlap(const Body& a, const Body& b, StepReport& report) {
  if (!stay_apart(a, b)) return;
  note_influence(a, b, report);
  if (crushes(a) || crushes(b)) {
    report.crushed.push_back(crushes(a) ? b.id : a.id);
  } else {
    report.overlaps.push_back(ordered_pair(a.id, b.id));
  }
}

/// Begins the tick of every mover: its role and state, the hull of its path and its place in the
/// grid. Forgets turns and pieces of a first attempt.
/// Requires: integrate() has set the velocities.
void begin_paths(Movers& movers, Candidates& candidates);

/// Updates hulls and places after carry_riders() has changed velocities in the states.
void begin_carried_paths(const Movers& movers, Candidates& candidates);

/// Fills `candidates` with pairs whose hulls touch, and reports the movers that overlap.
void find_pairs(const Movers& movers, Candidates& candidates, StepReport& report);

}  // namespace tickbox::sim
