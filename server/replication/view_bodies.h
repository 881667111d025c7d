#pragma once
// Stages 4 and 5 of a plan: which bodies are wanted in full, and which of them fit.

#include "protocol/snapshot.h"
#include "server/replication/client_bodies.h"
#include "server/replication/plan_input.h"
#include "server/replication/sent_views.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

/// A body that the client should have in full.
struct Candidate {
  SlotId slot = kNoSlot;
  bool is_known = false;  ///< the client replaces its own state of the body
  bool is_new = false;    ///< new to the view, and not the own body: it can be deferred
  std::uint32_t priority = 0;
  std::uint32_t snapshots = 0;  ///< number of earlier snapshots that it did not fit
  bool is_chosen = false;       ///< set by choose_bodies()

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Lists the bodies in sight that are not replayed, the highest priority first: the own body, known
/// bodies, new bodies. Near and long deferred bodies have a higher priority than others.
/// `visible`: scratch memory.
void list_candidates(const PlanInput& input, const ClientBodies& bodies,
                     std::vector<std::uint32_t>& visible, std::vector<Candidate>& candidates);

/// The bytes that bodies in full may take.
struct BodyBudget {
  std::size_t bytes = 0;
  std::size_t headroom = 0;  ///< the part of them that new bodies must leave free
};

/// Returns what the rest of the snapshot leaves.  Fails: std::nullopt, if the rest alone does not
/// fit.
[[nodiscard]] std::optional<BodyBudget> body_budget(const ViewRequest& request,
                                                    const protocol::Causes& causes);

struct ChosenBodies {
  std::size_t enter_bytes = 0;  ///< bytes of chosen bodies that are new to the view
  std::size_t set_bytes = 0;    ///< bytes of chosen bodies that the client knows
  std::size_t deferred = 0;     ///< number of bodies that did not fit
};

using SnapshotBodies = decltype(protocol::Snapshot::bodies);

/// Adds candidates to `chosen` and to `view` while they fit. `candidates`: from list_candidates().
/// Fails: std::nullopt, if the own body does not fit.
[[nodiscard]] std::optional<ChosenBodies> choose_bodies(const PlannedTick& tick,
                                                        const BodyBudget& budget,
                                                        std::span<Candidate> candidates,
                                                        SnapshotBodies& chosen, ViewMembers& view);

/// Lists the new candidates for the client's next snapshot. Chosen ones stay in the list, because
/// the client may not receive this snapshot.
void list_deferred(std::span<const Candidate> candidates, DeferredBodies& deferred);

/// Adds the members of the base that are not in the new view, and whose despawn no replay shows.
/// `chosen`: sorted by id.  Requires: the request has a base.
void write_exits(const PlanInput& input, const ClientBodies& bodies, const SnapshotBodies& chosen,
                 protocol::Causes& causes);

}  // namespace tickbox::server
