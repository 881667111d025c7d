#pragma once
// What happened in a room in the last ticks, as snapshots need it: logged once per tick, for all
// clients.
//
// Of each tick the causes: whose stick changed, who shot, who was put elsewhere. And for each tick
// that may be a snapshot's base, the islands of bodies that have influenced each other since.

#include "core/tick_ring.h"
#include "game/step.h"
#include "game/world.h"
#include "server/room/chronicle.h"
#include "server/room/islands.h"
#include "server/room/lives.h"

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
  LifeId life;  ///< of the shooter
  std::uint16_t aim;
  game::Weapon weapon;
};

struct Relocation {
  LifeId life;
  std::uint16_t place;
};

/// Of a bullet that has outlived the tick it was shot in.
struct Birth {
  LifeId life;  ///< of its owner: whose input brought it forth
  LifeId born;
};

class History {
 public:
  /// `base_age_max`: ticks, the oldest base since which islands are kept; below
  /// protocol::kTicksRemembered.
  explicit History(std::uint32_t base_age_max);

  /// Takes over the state that a room begins with.
  void begin(const game::World& world, std::span<const game::EntityState> entities);

  /// Takes over the tick that was just stepped, and what stepping it reported.
  void note(const game::World& world, std::span<const game::EntityState> entities,
            const sim::StepReport& report, const game::TickEvents& events);

  [[nodiscard]] Tick tick() const { return tick_; }

  [[nodiscard]] const Lives& lives() const { return lives_; }

  [[nodiscard]] const Chronicle<StickChange>& sticks() const { return sticks_; }

  [[nodiscard]] const Chronicle<ShotFired>& shots() const { return shots_; }

  [[nodiscard]] const Chronicle<Relocation>& relocations() const { return relocations_; }

  [[nodiscard]] const Chronicle<Birth>& births() const { return births_; }

  /// Of all that happened after `base`.  Requires: a tick of this room, at most base_age_max ago.
  [[nodiscard]] Islands& islands_since(Tick base) { return islands_.at(base); }

 private:
  [[nodiscard]] LifeId life_that_answers_for(BodyId id, const game::World& world) const;

  std::uint32_t base_age_max_;  ///< ticks
  Tick tick_;
  Lives lives_;
  std::vector<std::uint8_t> moves_;  ///< of each life, as it stood after the last tick
  std::vector<std::pair<LifeId, LifeId>> joined_;  ///< in the tick under way
  Chronicle<StickChange> sticks_;
  Chronicle<ShotFired> shots_;
  Chronicle<Relocation> relocations_;
  Chronicle<Birth> births_;
  TickRing<Islands, protocol::kTicksRemembered> islands_;  ///< by base tick; no older ones are held
};

}  // namespace tickbox::server
