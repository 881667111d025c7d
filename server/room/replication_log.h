#pragma once
// The log of a room's last ticks from which snapshots are made: written once per tick, for all
// clients.
//
// It has the causes of each tick: changed sticks, shots and placements. For each tick that can be
// the base of a snapshot, it has the islands of bodies that have influenced each other since.

#include "core/tick_ring.h"
#include "game/step.h"
#include "game/world.h"
#include "server/room/body_slots.h"
#include "server/room/cause_log.h"
#include "server/room/islands.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {

struct StickChange {
  LifeId life;
  std::uint8_t move;
};

struct ShotFired {
  LifeId life;  ///< the shooter's body
  std::uint16_t aim;
  game::Weapon weapon;
};

struct Relocation {
  LifeId life;
  std::uint16_t place;
};

/// The spawn of a bullet that still exists at the end of the tick in which it was shot.
struct Birth {
  LifeId life;  ///< the owner's body; its input fired the bullet
  LifeId born;
};

class History {
 public:
  /// `base_age_max`: the age in ticks of the oldest base for which islands are kept; below
  /// protocol::kTicksRemembered.
  explicit History(std::uint32_t base_age_max);

  /// Records the state that a room begins with.
  void begin(const game::World& world, std::span<const game::EntityState> entities);

  /// Records the tick that was just stepped, and the step's report.
  void note(const game::World& world, std::span<const game::EntityState> entities,
            const sim::StepReport& report, const game::TickEvents& events);

  [[nodiscard]] Tick tick() const { return tick_; }

  [[nodiscard]] const Lives& lives() const { return lives_; }

  [[nodiscard]] const Chronicle<StickChange>& sticks() const { return sticks_; }

  [[nodiscard]] const Chronicle<ShotFired>& shots() const { return shots_; }

  [[nodiscard]] const Chronicle<Relocation>& relocations() const { return relocations_; }

  [[nodiscard]] const Chronicle<Birth>& births() const { return births_; }

  /// Returns the islands since `base`.  Requires: a tick of this room, at most base_age_max ago.
  [[nodiscard]] Islands& islands_since(Tick base) { return islands_.at(base); }

 private:
  [[nodiscard]] LifeId life_that_answers_for(BodyId id, const game::World& world) const;

  std::uint32_t base_age_max_;  ///< ticks
  Tick tick_;
  Lives lives_;
  std::vector<std::uint8_t> moves_;                ///< the stick of each life after the last tick
  std::vector<std::pair<LifeId, LifeId>> joined_;  ///< in the current tick
  Chronicle<StickChange> sticks_;
  Chronicle<ShotFired> shots_;
  Chronicle<Relocation> relocations_;
  Chronicle<Birth> births_;
  TickRing<Islands, protocol::kTicksRemembered> islands_;  ///< by base tick, up to base_age_max old
};

}  // namespace tickbox::server
