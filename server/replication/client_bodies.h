#pragma once
// Stage 1 of a plan: which bodies the client knows, and which of them stay in its view.

#include "server/replication/plan_input.h"
#include "server/replication/slot_table.h"
#include "server/room/islands.h"

#include <cstdint>
#include <vector>

namespace tickbox::server {

/// Whether a body is known to the client. Known are the members of its base, and the bullets that
/// Inside members have fired since.
enum class Membership : std::uint8_t {
  Unknown,
  Outside,  ///< known, but not in the new view: out of sight, or its player left
  Inside,   ///< known; in the new view, or despawned by the rules of the game
};

/// What a plan has about one body.
struct SlotState {
  Membership membership = Membership::Unknown;
  bool is_in_base = false;
  std::uint8_t base_index = 0;  ///< valid if is_in_base
  SlotId root = kNoSlot;        ///< root of its island since the base, if known
  std::uint32_t priority = 0;   ///< priority gathered while it was deferred
  std::uint32_t snapshots = 0;  ///< number of snapshots that it did not fit
};

struct ClientBodies {
  SlotTable<SlotState> states;
  std::vector<SlotId> known;  ///< the members of the base in order, then the bullets fired since

  void clear() {
    states.clear();
    known.clear();
  }
};

/// Adds the bodies that earlier snapshots deferred.
void mark_deferred(const DeferredBodies& deferred, ClientBodies& bodies);

/// Adds the bodies that the client knows. `islands`: those since the base.
/// Requires: the request has a base.
void mark_known(const PlanInput& input, Islands& islands, ClientBodies& bodies);

}  // namespace tickbox::server
