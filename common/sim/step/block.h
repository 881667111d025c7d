#pragma once
// Solves the touching block of an inelastic contact at once.
//
// A chain of k pushed bodies, solved pair by pair, reaches one velocity only after about k² log v
// exchanges of momentum. So the two bodies that meet are taken as one. Again and again the
// neighbour that approaches the block fastest joins it. All members leave with their common
// velocity, after one event each.

#include "sim/step/impact_queue.h"
#include "sim/step/velocity.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::sim {

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
  std::vector<std::uint8_t> is_member;  ///< by mover; 0 between events
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

/// Rule 6. Returns the velocity of all members on the axis of `event`. Fills `block` from its first
/// touch on, and adds a contact for each body that joins.
/// Requires: `block` has one touch, that of the two movers that meet, and no members.
[[nodiscard]] std::int64_t solve_block(const ImpactEvent& event, const Environment& environment,
                                       const Movers& movers, Block& block,
                                       std::vector<Contact>& contacts);

}  // namespace tickbox::sim
