#pragma once
// The touching block of an inelastic contact, solved at once.

#include "sim/step/movers.h"

#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// Two bodies that meet on one axis.
struct Touch {
  std::uint32_t low = kNoMover;  ///< kNoMover: not a mover; as the next
  std::uint32_t high = kNoMover;
  std::int64_t change = 0;  ///< of their relative normal velocity
  int friction = 0;         ///< in 1/kFrictionWhole
  bool low_is_fixed = false;
  bool high_is_fixed = false;
};

/// A body at the edge of a growing block, and the member that it touches.
struct BlockNeighbour {
  std::uint32_t mover = 0;
  std::uint32_t member = 0;
  End end = End::Low;  ///< of the member, where the neighbour is
};

/// The bodies that one event gives a velocity, and the contacts between them.
struct Block {
  std::vector<std::uint32_t> members;
  std::vector<Touch> touches;
  std::vector<std::uint8_t> is_member;  ///< by mover; all 0 between events
  std::vector<BlockNeighbour> neighbours;

  void reserve(std::size_t movers) {
    constexpr std::size_t kNeighboursPerMover = 8;
    constexpr std::size_t kTouchesPerMover = 4;
    reserve_all(movers, members, is_member);
    neighbours.reserve(kNeighboursPerMover * movers);
    touches.reserve(kTouchesPerMover * movers);
  }

  void start(std::size_t movers) { is_member.assign(movers, 0); }
};

}  // namespace tickbox::sim
