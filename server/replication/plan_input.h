#pragma once
// What the stages of a plan read: the room after a tick, and the client of the plan.

#include "core/inplace_vector.h"
#include "protocol/snapshot.h"
#include "server/replication/interest.h"
#include "server/replication/sent_views.h"
#include "server/room/room.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tickbox::server {

/// What all plans of a tick share; read once a tick.
struct PlannedTick {
  explicit PlannedTick(Sight sight) : interest(sight) {}

  void read(Room& of) {
    room = &of;
    slots = &of.replication_log().slots();
    entities = of.entities();
    hashes = of.entity_hashes();
    interest.rebuild(of);
  }

  [[nodiscard]] Tick now() const { return room->world().tick; }

  [[nodiscard]] bool is_present(SlotId slot) const { return slots->slot(slot).is_present(); }

  /// Requires: is_present(slot).
  [[nodiscard]] const game::EntityState& entity_of(SlotId slot) const {
    return entities[slots->slot(slot).index];
  }

  Room* room = nullptr;
  const BodySlots* slots = nullptr;
  std::span<const game::EntityState> entities;
  std::span<const std::uint64_t> hashes;  ///< hashes of the entities, in the same order
  Interest interest;
};

/// The client for which a plan is made, and the size limit of its snapshot.
struct ViewRequest {
  std::uint32_t own = 0;  ///< index of the client's body among the room's entities
  const ViewMembers* base = nullptr;
  Tick base_tick;              ///< valid with a base
  std::size_t bytes_max = 0;   ///< size limit of the whole datagram
  std::size_t bytes_kept = 0;  ///< the part of bytes_max for content other than the view
};

/// A body in sight that the client's base does not have yet, with its gathered priority.
struct DeferredBody {
  SlotId slot;
  std::uint32_t priority;
  std::uint32_t snapshots;  ///< number of snapshots that it did not fit

  friend bool operator==(const DeferredBody&, const DeferredBody&) = default;
};

using DeferredBodies = InplaceVector<DeferredBody, protocol::kViewMembersMax>;

/// What the stages of a plan read.
struct PlanInput {
  const PlannedTick& tick;
  const ViewRequest& request;

  /// Returns the slot of the client's body.
  [[nodiscard]] SlotId own() const { return tick.slots->present()[request.own]; }

  /// Returns the place from which the client sees.
  [[nodiscard]] Vec2 centre() const { return tick.entities[request.own].min; }
};

}  // namespace tickbox::server
