#pragma once
// Begin and end of overlaps with ghosts: sensors, and bodies that pass.

#include "sim/rects.h"
#include "sim/step/movers.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// The finished courses of a tick: of each mover its straight pieces, in the order of time.
struct Courses {
  std::vector<Piece> pieces;           ///< by mover
  std::vector<std::uint32_t> first;    ///< of each mover in `pieces`, and the end
  RectColumns hulls;                   ///< by mover
  std::vector<std::uint32_t> statics;  ///< those that one mover may overlap

  [[nodiscard]] std::span<const Piece> of(std::uint32_t mover) const {
    return std::span{pieces}.subspan(first[mover], first[mover + 1] - first[mover]);
  }

  void reserve(std::size_t movers) {
    constexpr std::size_t kPiecesPerMover = 8;
    reserve_all(movers, first, hulls, statics);
    pieces.reserve(kPiecesPerMover * movers);
  }
};

}  // namespace tickbox::sim
