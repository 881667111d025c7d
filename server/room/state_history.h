#pragma once
// The entities of a room in its last ticks: what clients saw then.

#include "core/tick_ring.h"
#include "game/entity_state.h"
#include "game/world.h"
#include "protocol/history_depths.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// The entities after a tick, and their hashes.
struct StateAt {
  std::vector<game::EntityState> entities;  ///< sorted by id
  std::vector<std::uint64_t> hashes;        ///< hashes of the entities, in the same order
};

class StateHistory {
 public:
  void reserve(std::size_t entities);

  /// Stores the state of the world after its tick, in place of the state of
  /// protocol::kTicksRemembered ticks before.   Cost: no allocation once warm.
  void note(const game::World& world);

  /// Returns the state of the newest tick.  Requires: at least one tick was noted.
  [[nodiscard]] const StateAt& newest() const { return ticks_.at(newest_); }

  /// Returns the state of one of the last protocol::kTicksRemembered ticks, or nullptr if it is not
  /// stored.
  [[nodiscard]] const StateAt* find(Tick tick) const { return ticks_.find(tick); }

 private:
  TickRing<StateAt, protocol::kTicksRemembered> ticks_;
  Tick newest_;
};

}  // namespace tickbox::server
