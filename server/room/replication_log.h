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
#include "server/room/cause_log.h"
#include "server/room/islands.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {

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
  std::vector<BodyId> ids_;                        ///< of the current tick
  std::vector<std::uint8_t> moves_;                ///< the stick of each slot after the last tick
  std::vector<std::pair<SlotId, SlotId>> joined_;  ///< in the current tick
  StickLog sticks_;
  CauseLog<ShotFired> shots_;
  CauseLog<BodyTeleport> teleports_;
  CauseLog<BulletSpawn> bullet_spawns_;
  TickRing<Islands, protocol::kTicksRemembered> islands_;  ///< by base tick, up to base_age_max old
};

}  // namespace tickbox::server
