#pragma once
// Reports which bodies begin and end to overlap ghosts: sensors, and bodies that pass.
//
// Ghosts change nothing, so this stage comes last and looks at finished courses. A course is the
// list of a mover's straight pieces between its turns. Each piece is checked with the exact time of
// impact, so no body crosses a ghost unseen.

#include "sim/rects.h"
#include "sim/step/movers.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// The finished courses of a tick.
struct Courses {
  std::vector<Piece> pieces;           ///< by mover, then in the order of time
  std::vector<std::uint32_t> first;    ///< of each mover in `pieces`, and the end
  RectColumns hulls;                   ///< by mover
  std::vector<std::uint32_t> statics;  ///< scratch: those that one mover may overlap

  [[nodiscard]] std::span<const Piece> of(std::uint32_t mover) const {
    return std::span{pieces}.subspan(first[mover], first[mover + 1] - first[mover]);
  }

  void reserve(std::size_t movers) {
    reserve_all(movers, first, hulls, statics);
    pieces.reserve(kPiecesPerMover * movers);
  }
};

/// Rule 10. Adds to `begin` and `end` of the report, unsorted.
/// Requires: positions are rounded, and `movers.pieces` has all finished pieces.
void report_sensors(const Environment& environment, const Movers& movers, Courses& courses,
                    StepReport& report);

}  // namespace tickbox::sim
