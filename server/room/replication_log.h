#pragma once
// The log of a room's last ticks from which snapshots are made: written once per tick, for all
// clients.
//
// It has the causes of each tick: changed sticks, shots and teleports. For each tick that can be
// the base of a snapshot, it has the islands of bodies that have influenced each other since.

#include "core/ids.h"
#include "core/tick_ring.h"
#include "game/step.h"
#include "game/world.h"
#include "protocol/history_depths.h"
#include "server/room/body_slots.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {

/// The causes of one kind in the last ticks, found by tick or by slot. `Cause` has a member `SlotId
/// slot`.
///
/// A query by tick returns all causes of the tick. A query by slot walks back from the newest cause
/// of that slot and visits no other slot's causes: a client sees a few bodies of a room in which
/// thousands act in every tick.
template <class Cause>
class CauseLog {
  /// The position of a cause. No cause is in tick 0, which a room begins with.
  struct Position {
    Tick tick;
    std::uint32_t index = 0;
  };

 public:
  struct Entry : Cause {
    Position before;  ///< the previous cause of the same slot
  };

  void reserve(std::size_t slots, std::size_t causes_per_tick) {
    newest_.reserve(slots);
    ticks_.for_each_slot([&](std::vector<Entry>& causes) { causes.reserve(causes_per_tick); });
  }

  /// Begins a tick with this number of slots; replaces the tick protocol::kTicksRemembered before.
  void begin(Tick tick, std::size_t slots) {
    tick_ = tick;
    newest_.resize(slots);
    ticks_.insert(tick).clear();
  }

  /// Adds a cause to the current tick. Ignores a cause without a slot (kNoSlot).
  void note(const Cause& cause) {
    if (cause.slot == kNoSlot) return;
    std::vector<Entry>& causes = ticks_.at(tick_);
    Position& newest = newest_[cause.slot];
    causes.push_back({cause, newest});
    newest = {.tick = tick_, .index = static_cast<std::uint32_t>(causes.size() - 1)};
  }

  /// Returns the causes of a tick in the order of note(); none if the tick is not remembered.
  [[nodiscard]] std::span<const Entry> causes_of(Tick tick) const {
    const std::vector<Entry>* causes = ticks_.find(tick);
    return causes != nullptr ? std::span{*causes} : std::span<const Entry>{};
  }

  /// Returns the tick of the slot's newest cause; 0 before the first.
  [[nodiscard]] Tick newest(SlotId slot) const { return newest_[slot].tick; }

  /// Returns whether the slot has a cause after `tick`. Requires: one of the last
  /// protocol::kTicksRemembered ticks.
  [[nodiscard]] bool has_since(SlotId slot, Tick tick) const { return newest_[slot].tick > tick; }

  /// Calls `visit(tick, cause)` for the causes of the slot after `base`, newest first, while it
  /// returns true. (The previous body in this slot despawned before any tick that may be passed.)
  /// Returns whether all were visited. Requires: as has_since().
  template <class Visit>
  bool visit_since(SlotId slot, Tick base, Visit visit) const {
    Position at = newest_[slot];
    while (at.tick > base) {
      const Tick tick = at.tick;
      const std::vector<Entry>& causes = ticks_.at(tick);
      do {
        const Entry& entry = causes[at.index];
        if (!visit(tick, entry)) return false;
        at = entry.before;
      } while (at.tick == tick);
    }
    return true;
  }

 private:
  Tick tick_;
  TickRing<std::vector<Entry>, protocol::kTicksRemembered> ticks_;
  std::vector<Position> newest_;  ///< the newest cause of each slot
};

struct StickChange {
  SlotId slot;
  std::uint8_t move;

  friend bool operator==(const StickChange&, const StickChange&) = default;
};

/// The ticks in which one stick changed: bit i is set if it changed i ticks ago.
struct StickTicks {
  std::uint64_t bits = 0;

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(std::popcount(bits)); }
};

/// The changed sticks of the last ticks. In a crowd most sticks change in each tick, so the log is
/// a word of bits for each slot, and a plan counts the changes of a body without a walk over them.
class StickLog {
 public:
  void reserve(std::size_t slots) { sticks_.reserve(slots); }

  /// Begins a tick with this number of slots; forgets the tick protocol::kTicksRemembered before.
  void begin(Tick tick, std::size_t slots) {
    tick_ = tick;
    sticks_.resize(slots);
    for (Stick& stick : sticks_) {
      stick.changed <<= 1U;
    }
  }

  /// Adds a change to the current tick.
  void note(const StickChange& change) {
    Stick& stick = sticks_[change.slot];
    stick.changed |= 1U;
    stick.moves[tick_.value % kTicks] = change.move;
  }

  /// Returns the ticks after `base` in which a stick changed. Requires: one of the last
  /// protocol::kTicksRemembered ticks.
  [[nodiscard]] StickTicks ticks_since(SlotId slot, Tick base) const {
    const std::uint64_t since = (std::uint64_t{1} << (tick_.value - base.value)) - 1;
    return {sticks_[slot].changed & since};
  }

  /// Returns the move to which a stick changed. Requires: it changed `ago` ticks ago.
  [[nodiscard]] std::uint8_t move(SlotId slot, std::uint32_t ago) const {
    return sticks_[slot].moves[(tick_.value - ago) % kTicks];
  }

  /// Returns the changes of a tick by slot; none if the tick is not remembered.
  [[nodiscard]] std::vector<StickChange> changes_of(Tick tick) const;

 private:
  static constexpr std::uint32_t kTicks = protocol::kTicksRemembered;
  static_assert(kTicks == 64, "a bit for each tick");

  struct Stick {
    std::uint64_t changed = 0;  ///< bit i: in the tick i ticks ago
    std::array<std::uint8_t, kTicks> moves{};
  };

  Tick tick_;
  std::vector<Stick> sticks_;  ///< by slot
};

/// The bodies that have influenced each other since a tick, as a union-find forest. The root of a
/// tree represents its island. The members of each island are also linked in a ring, to visit all
/// of them.
class Islands {
 public:
  void reserve(std::size_t slots) { nodes_.reserve(slots); }

  /// Makes each slot below `slots` an island of its own.
  void clear(std::size_t slots) {
    nodes_.resize(slots);
    for (SlotId slot = 0; slot < nodes_.size(); ++slot) {
      nodes_[slot] = {.parent = slot, .next = slot, .members = 1};
    }
  }

  /// Makes a new body's slot an island of its own, also if another body was in the slot before.
  void begin(SlotId slot) {
    if (slot >= nodes_.size()) nodes_.resize(slot + 1);
    nodes_[slot] = {.parent = slot, .next = slot, .members = 1};
  }

  /// Makes the islands of both slots one.
  void join(SlotId a, SlotId b) {
    a = root_of(a);
    b = root_of(b);
    if (a == b) return;
    if (nodes_[a].members < nodes_[b].members) std::swap(a, b);
    nodes_[b].parent = a;
    nodes_[a].members += nodes_[b].members;
    std::swap(nodes_[a].next, nodes_[b].next);
  }

  /// Returns the root of the island. Cost: amortised, almost constant.
  [[nodiscard]] SlotId root_of(SlotId slot) {
    while (nodes_[slot].parent != slot) {
      nodes_[slot].parent = nodes_[nodes_[slot].parent].parent;
      slot = nodes_[slot].parent;
    }
    return slot;
  }

  /// Returns the next member of the same island; after the last, the first.
  [[nodiscard]] SlotId next(SlotId slot) const { return nodes_[slot].next; }

 private:
  struct Node {
    SlotId parent;
    SlotId next;
    std::uint32_t members;  ///< size of the island; valid in a root
  };

  std::vector<Node> nodes_;
};

/// Returns the greatest age of a base, in ticks: one second, but at least 24 ticks, and at most
/// protocol::kBaseAgeMax.
[[nodiscard]] constexpr std::uint32_t base_age_max(std::uint32_t tick_rate) {
  return std::clamp(tick_rate, 24U, protocol::kBaseAgeMax);
}

struct ShotFired {
  SlotId slot;  ///< the shooter's body
  std::uint16_t aim;
  game::Weapon weapon;
};

/// The teleport of a player's body to a spawn point.
struct BodyTeleport {
  SlotId slot;
  std::uint16_t place;  ///< index of the spawn point
};

/// The spawn of a bullet that still exists at the end of the tick in which it was shot.
struct BulletSpawn {
  SlotId slot;  ///< the owner's body; its input fired the bullet
  SlotId bullet;
};

class ReplicationLog {
 public:
  /// `base_age_max`: the age in ticks of the oldest base for which islands are kept; below
  /// protocol::kTicksRemembered.
  explicit ReplicationLog(std::uint32_t base_age_max);

  /// Records the state that a room begins with.
  void begin(const game::World& world, std::span<const game::EntityState> entities);

  /// Records the tick that was just stepped, and the step's report.
  void note(const game::World& world, std::span<const game::EntityState> entities,
            const sim::StepReport& report, const game::TickEvents& events);

  [[nodiscard]] Tick tick() const { return tick_; }

  [[nodiscard]] const BodySlots& slots() const { return slots_; }

  [[nodiscard]] const StickLog& sticks() const { return sticks_; }

  [[nodiscard]] const CauseLog<ShotFired>& shots() const { return shots_; }

  [[nodiscard]] const CauseLog<BodyTeleport>& teleports() const { return teleports_; }

  [[nodiscard]] const CauseLog<BulletSpawn>& bullet_spawns() const { return bullet_spawns_; }

  /// Returns the islands since `base`. Requires: a tick of this room, at most base_age_max ago.
  [[nodiscard]] Islands& islands_since(Tick base) { return islands_.at(base); }

 private:
  void begin_tick(const game::World& world, std::span<const game::EntityState> entities);
  void join_contacts(const game::World& world, const sim::StepReport& report);
  void note_bullet_spawns(const game::World& world);
  void join(BodyId a, BodyId b, const game::World& world);
  void update_islands();
  void note_sticks(std::span<const game::EntityState> entities);
  [[nodiscard]] SlotId joining_slot(BodyId id, const game::World& world) const;

  std::uint32_t base_age_max_;  ///< ticks
  Tick tick_;
  BodySlots slots_;
  std::vector<std::uint8_t> moves_;                ///< the stick of each slot after the last tick
  std::vector<std::pair<SlotId, SlotId>> joined_;  ///< in the current tick
  StickLog sticks_;
  CauseLog<ShotFired> shots_;
  CauseLog<BodyTeleport> teleports_;
  CauseLog<BulletSpawn> bullet_spawns_;
  TickRing<Islands, protocol::kTicksRemembered> islands_;  ///< by base tick, up to base_age_max old
};

}  // namespace tickbox::server
