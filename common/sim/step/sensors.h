#pragma once
// Reports which bodies begin and cease to overlap ghosts: sensors, and bodies that pass.
//
// Ghosts change nothing, so this stage comes last and looks at finished courses. A course is the
// list of a mover's straight pieces between its turns. Each piece is checked with the exact time of
// impact, so no body crosses a ghost unseen.

#include "sim/rects.h"
#include "sim/step/pairs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// A mover whose course may cross an immovable body.
struct SensorPair {
  std::uint32_t mover = 0;
  std::uint32_t immovable = 0;

  friend constexpr auto operator<=>(const SensorPair&, const SensorPair&) = default;
};

/// The finished courses of a tick.
struct Courses {
  std::vector<Piece> pieces;          ///< by mover, then in the order of time
  std::vector<std::uint32_t> first;   ///< of each mover in `pieces`, and the end
  RectColumns hulls;                  ///< by mover; only with ghosts among them
  std::vector<SensorPair> crossings;  ///< to be compared
  std::vector<std::uint32_t> ghosts;  ///< among the movers

  [[nodiscard]] std::span<const Piece> of(std::uint32_t mover) const {
    return std::span{pieces}.subspan(first[mover], first[mover + 1] - first[mover]);
  }

  void reserve(std::size_t movers) {
    constexpr std::size_t kCrossingsPerMover = 4;
    reserve_all(movers, first, hulls, ghosts);
    crossings.reserve(kCrossingsPerMover * movers);
    pieces.reserve(kPiecesPerMover * movers);
  }
};

/// Rule 10. Adds to `begin` and `end` of the report, unsorted.
/// Requires: positions are rounded, `movers.pieces` has all finished pieces, and the hulls of
/// `candidates` cover the courses. Cost: a comparison for each mover that is no ghost and has no
/// ghost near.
void report_sensors(const Environment& environment, const Movers& movers, Candidates& candidates,
                    Courses& courses, StepReport& report);

}  // namespace tickbox::sim
