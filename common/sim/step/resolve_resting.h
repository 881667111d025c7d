#pragma once
// Resolves the contacts at the exact start of a tick, before anything has moved.
//
// At fine time 0 boxes are on whole sub-units, so to touch is to be equal, and no body can reach
// another. All contacts of that moment are among the pairs that touch already, and need no division
// and no search. A mover that touches no other mover needs no queue either: only its own contacts
// matter to it. The others go in the order of the queue: longer contact first, then lower ids.

#include "sim/step/contact.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// The last contact that put a mover to rest on a wall while it touched no other mover. While the
/// mover begins a tick with the same fields and touches no mover, the contact is the same again.
struct RestMemo {
  struct Rest {
    Body body;
    WallHit on;
  };

  std::vector<Rest> rests;             ///< by mover, as the next
  std::vector<std::uint8_t> has_rest;  ///< 0 or 1

  void reserve(std::size_t movers) { reserve_all(movers, rests, has_rest); }

  /// Forgets all rests.  To be called when the statics are not those of the tick before.
  void forget() { has_rest.clear(); }

  void start(std::size_t movers) {
    rests.resize(movers);
    has_rest.resize(movers, 0);
  }
};

/// Finds the walls on the path of every mover, and reports those that it overlaps. A mover that
/// touches no other mover has its contacts with walls at the tick's start resolved at once, and its
/// first impact on a wall found. The others are listed in `impacts`.
void meet_walls(const Environment& environment, Movers& movers, Candidates& candidates,
                WallsNear& walls, RestMemo& memo, Impacts& impacts, StepReport& report);

/// Resolves the contacts at the tick's start of movers that touch movers.  Requires: meet_walls().
void resolve_resting(const Environment& environment, Movers& movers, Candidates& candidates,
                     WallsNear& walls, Rides& rides, Block& block, Impacts& impacts,
                     StepReport& report);

}  // namespace tickbox::sim
