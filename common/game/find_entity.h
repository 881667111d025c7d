#pragma once
// One entity among many that are sorted by id.

#include "core/ids.h"
#include "game/entity_state.h"

#include <algorithm>
#include <span>

namespace tickbox::game {

/// The entity called `id`, or nullptr.  Requires: sorted by id.  Cost: one binary search.
[[nodiscard]] inline const EntityState* find_entity(std::span<const EntityState> entities,
                                                    BodyId id) {
  const auto found = std::ranges::lower_bound(entities, id, {}, &EntityState::id);
  return found != entities.end() && found->id == id ? &*found : nullptr;
}

}  // namespace tickbox::game
