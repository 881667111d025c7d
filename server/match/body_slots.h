#pragma once
// The bodies of a room, each in a slot from its spawn until some ticks after its despawn.
//
// Views, islands and causes of the last ticks name bodies by the numbers of their slots. These are
// small, so a set of bodies is an array, and looking one up costs nothing.

#include "core/function_ref.h"
#include "core/ids.h"
#include "protocol/history_depths.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// The number of a slot. For protocol::kTicksRemembered ticks after the despawn of its body it is
/// not reused, so that no view in use names a reused slot. (A client's list of waiting bodies can
/// name one; the new body then inherits the priority.)
using SlotId = std::uint32_t;
inline constexpr SlotId kNoSlot = 0xffff'ffff;

struct BodySlot {
  BodyId id;
  Tick spawned;    ///< the first tick with the body
  Tick despawned;  ///< the first tick without the body; 0 while it is present
  bool removed_by_server =
      false;  ///< despawned by the server, as when its player leaves: no replay shows it
  std::uint32_t index = 0;  ///< index among the room's entities, while present

  [[nodiscard]] bool is_present() const { return despawned.value == 0; }
};

class BodySlots {
 public:
  /// Reserves memory for this number of slots at once, including those of despawned bodies that are
  /// still remembered.
  void reserve(std::size_t slots);

  /// Updates the slots to the bodies after a tick. `ids`: ascending. `was_removed(id)`: see
  /// BodySlot::removed_by_server; asked of bodies that have despawned.
  void update(Tick tick, std::span<const BodyId> ids, FunctionRef<bool(BodyId)> was_removed);

  /// Does the same for the bodies of the last update().
  void update_unchanged(Tick tick);

  /// Changes with the bodies that the slots have.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Gives a slot to a body that spawned and despawned within this tick, as one that has left. Call
  /// it after update(); the slot is among spawned(), and find() does not know it.
  SlotId add_transient(Tick tick, BodyId id);

  [[nodiscard]] const BodySlot& slot(SlotId slot) const { return slots_[slot]; }

  /// Returns the limit of the numbers: each is below it.
  [[nodiscard]] std::size_t size() const { return slots_.size(); }

  /// Returns the number of slots for which memory is reserved.
  [[nodiscard]] std::size_t capacity() const { return slots_.capacity(); }

  /// Returns the slots of the room's entities, in the same order.
  [[nodiscard]] std::span<const SlotId> present() const { return present_; }

  /// Returns the slots of the bodies that spawned in this tick: sorted by body id, then transient
  /// ones.
  [[nodiscard]] std::span<const SlotId> spawned() const { return spawned_; }

  /// Returns the slot of a body that was present before this tick or is present after it, or
  /// kNoSlot.
  [[nodiscard]] SlotId find(BodyId id) const;

 private:
  SlotId allocate_slot(Tick tick, BodyId id);
  void free_old_slots(Tick tick);

  std::vector<BodySlot> slots_;
  std::vector<SlotId> free_;
  std::vector<SlotId> remembered_;  ///< despawned, but not free yet; the earliest first
  std::vector<SlotId> present_;
  std::vector<SlotId> before_;  ///< present_ of the tick before
  std::vector<SlotId> spawned_;
  std::uint64_t version_ = 0;
};

}  // namespace tickbox::server
