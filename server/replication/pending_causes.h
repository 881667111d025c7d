#pragma once
// Stage 3 of a plan: the causes of the islands that are replayed.

#include "protocol/snapshot.h"
#include "server/replication/client_bodies.h"
#include "server/replication/plan_input.h"

#include <vector>

namespace tickbox::server {

/// The causes since the base, with the slots of their bodies, until it is known which are sent.
struct PendingCauses {
  template <class Cause>
  struct Entry {
    SlotId slot;
    Cause cause;
  };

  /// Reserves memory for the causes of a crowd in which every stick changes in every tick.
  PendingCauses();

  std::vector<Entry<protocol::InputCause>> inputs;
  std::vector<Entry<protocol::ShotCause>> shots;
  std::vector<Entry<protocol::TeleportCause>> teleports;
};

/// Gathers the causes since the base of all replayed bodies, and adds their sizes to the plans of
/// their islands.
void gather_causes(const PlanInput& input, ClientBodies& bodies, PendingCauses& pending);

/// Sends the islands in full whose causes take more bytes than their bodies, except the own island.
/// Cost: linear in the known bodies only if an island has many causes.
void send_costly_islands_in_full(const PlanInput& input, const PendingCauses& pending,
                                 ClientBodies& bodies);

/// Writes the causes of the islands that are still replayed, the oldest first; drops the others.
/// Fails: false, if they are more than can be numbered; `causes` then has a part of them.
[[nodiscard]] bool write_causes(const ClientBodies& bodies, PendingCauses& pending,
                                protocol::Causes& causes);

}  // namespace tickbox::server
