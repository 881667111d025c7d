#pragma once
// Stages 1 and 2 of a plan: which bodies the client knows, and which of them it replays.
//
// An island is replayed if all of its members are inside. It is sent in full otherwise, because a
// body that the client does not know can have moved any of them.

#include "server/replication/plan_input.h"
#include "server/room/body_slots.h"
#include "server/room/islands.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// A value for each slot of a room. A plan needs those of a few bodies in a room of thousands, so
/// each value has the number of the plan that wrote it, and a reset costs nothing.
template <class Value>
class SlotTable {
 public:
  /// Makes space for slots below `slots`.
  void resize(std::size_t slots) { entries_.resize(slots); }

  /// Resets all values to the default.  Cost: constant.
  void clear() { ++generation_; }

  /// Returns whether the value was accessed for writing since clear().
  [[nodiscard]] bool contains(SlotId slot) const {
    return entries_[slot].generation == generation_;
  }

  [[nodiscard]] Value& operator[](SlotId slot) {
    Entry& entry = entries_[slot];
    if (entry.generation != generation_) entry = {.generation = generation_, .value = {}};
    return entry.value;
  }

  [[nodiscard]] const Value& operator[](SlotId slot) const {
    return contains(slot) ? entries_[slot].value : kDefault;
  }

 private:
  struct Entry {
    std::uint64_t generation = 0;
    Value value;
  };

  static constexpr Value kDefault{};

  std::uint64_t generation_ = 1;
  std::vector<Entry> entries_;
};

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

/// What a plan has about one island. Without a plan, an island is sent in full.
struct IslandPlan {
  bool in_full = true;          ///< its bodies are sent as states, not replayed from causes
  std::size_t cause_bytes = 0;  ///< the size of its causes
  std::size_t body_bytes = 0;   ///< the size of its bodies in full, where the causes are large
};

struct ClientBodies {
  /// `slots`: the limit of the room's slots.
  void resize(std::size_t slots) {
    states.resize(slots);
    islands.resize(slots);
  }

  void clear() {
    states.clear();
    islands.clear();
    known.clear();
  }

  /// Returns whether the client replays the body.
  [[nodiscard]] bool is_replayed(SlotId slot) const {
    const SlotState& state = states[slot];
    return state.membership == Membership::Inside && !islands[state.root].in_full;
  }

  /// Returns the plan for the island of a known body.
  [[nodiscard]] IslandPlan& island_of(SlotId slot) { return islands[states[slot].root]; }

  [[nodiscard]] const IslandPlan& island_of(SlotId slot) const {
    return islands[states[slot].root];
  }

  SlotTable<SlotState> states;
  SlotTable<IslandPlan> islands;  ///< by the root of the island
  std::vector<SlotId> known;  ///< the members of the base in order, then the bullets fired since
};

/// Adds the bodies that earlier snapshots deferred.
void mark_deferred(const DeferredBodies& deferred, ClientBodies& bodies);

/// Adds the bodies that the client knows. `islands`: those since the base.
/// Requires: the request has a base.
void mark_known(const PlanInput& input, Islands& islands, ClientBodies& bodies);

/// Plans each island that has a known body. `islands`: those since the base.
void plan_islands(const Islands& islands, ClientBodies& bodies);

/// Sends the islands in full for whose plans `condition` is true, except the island of the client's
/// own body: the client must know what touched it.
template <class Condition>
void send_in_full_if(SlotId own, ClientBodies& bodies, Condition condition) {
  const SlotState& own_state = bodies.states[own];
  const SlotId own_root = own_state.membership == Membership::Inside ? own_state.root : kNoSlot;
  for (const SlotId slot : bodies.known) {
    IslandPlan& plan = bodies.island_of(slot);
    if (bodies.states[slot].root != own_root && condition(plan)) plan.in_full = true;
  }
}

}  // namespace tickbox::server
