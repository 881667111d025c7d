#pragma once
// The log of a room's last ticks from which snapshots are made: written once per tick, for all
// clients.
//
// It has the causes of each tick: changed sticks, shots and teleports. For each tick that can be
// the base of a snapshot, it has the islands of bodies that have influenced each other since.

#include "core/tick_ring.h"
#include "game/step.h"
#include "game/world.h"
#include "protocol/history_depths.h"
#include "server/room/body_slots.h"
#include "server/room/cause_log.h"
#include "server/room/islands.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {

/// Returns the greatest age of a base, in ticks: one second, but at least 24 ticks, and at most
/// what the causes of a snapshot can encode.
[[nodiscard]] constexpr std::uint32_t base_age_max(std::uint32_t tick_rate) {
  return std::clamp(tick_rate, 24U, protocol::kBaseAgeMax);
}

struct StickChange {
  SlotId slot;
  std::uint8_t move;
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

  [[nodiscard]] const CauseLog<StickChange>& sticks() const { return sticks_; }

  [[nodiscard]] const CauseLog<ShotFired>& shots() const { return shots_; }

  [[nodiscard]] const CauseLog<BodyTeleport>& teleports() const { return teleports_; }

  [[nodiscard]] const CauseLog<BulletSpawn>& bullet_spawns() const { return bullet_spawns_; }

  /// Returns the islands since `base`.  Requires: a tick of this room, at most base_age_max ago.
  [[nodiscard]] Islands& islands_since(Tick base) { return islands_.at(base); }

 private:
  [[nodiscard]] SlotId joining_slot(BodyId id, const game::World& world) const;

  std::uint32_t base_age_max_;  ///< ticks
  Tick tick_;
  BodySlots slots_;
  std::vector<std::uint8_t> moves_;                ///< the stick of each slot after the last tick
  std::vector<std::pair<SlotId, SlotId>> joined_;  ///< in the current tick
  CauseLog<StickChange> sticks_;
  CauseLog<ShotFired> shots_;
  CauseLog<BodyTeleport> teleports_;
  CauseLog<BulletSpawn> bullet_spawns_;
  TickRing<Islands, protocol::kTicksRemembered> islands_;  ///< by base tick, up to base_age_max old
};

}  // namespace tickbox::server
