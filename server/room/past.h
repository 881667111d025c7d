#pragma once
// What a room's last ticks were: every entity and its hash, shared by all who ask what somebody saw
// then.

#include "core/ids.h"
#include "core/tick_ring.h"
#include "game/entity_state.h"
#include "game/world.h"
#include "protocol/history_depths.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

struct PastTick {
  std::vector<game::EntityState> entities;  ///< by id
  std::vector<std::uint64_t> hashes;        ///< one for one
};

class Past {
 public:
  void reserve(std::size_t entities);

  /// Takes over the world as it is after its tick; the one of protocol::kTicksRemembered ticks
  /// before is forgotten.   Cost: no allocation once warm.
  void note(const game::World& world);

  /// The tick noted last.  Requires: one was.
  [[nodiscard]] const PastTick& newest() const { return ticks_.at(newest_); }

  /// A tick of the last protocol::kTicksRemembered, or nullptr.
  [[nodiscard]] const PastTick* find(Tick tick) const { return ticks_.find(tick); }

 private:
  TickRing<PastTick, protocol::kTicksRemembered> ticks_;
  Tick newest_;
};

}  // namespace tickbox::server
