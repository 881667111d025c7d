#pragma once
// One row, wherever it is: in a world, in a view, in a record of what was.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/entity_id.h"
#include "sim/body.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::engine {

/// What a row has beside its declared state. Positions in sub-units, velocities in sub-units per
/// tick.
struct RowHead {
  BodyId id;
  BodyId carrier = sim::kNoBody;
  BodyId ignores = sim::kNoBody;  ///< valid unless `parent` is Collides
  Vec2 min;
  Vec2 velocity;
  std::uint32_t path_ticks = 0;
  std::uint16_t path = kNoPath;
  std::uint8_t kind = 0;
  Parent parent = Parent::Collides;
  bool is_new = false;

  friend bool operator==(const RowHead&, const RowHead&) = default;
};

/// Valid as long as the row is where it is.
struct RowRef {
  RowHead head;
  ConstBytes state;  ///< as many bytes as its kind has
  ConstBytes input;  ///< of an avatar; else empty
};

/// Returns who controls an entity, or owns it: the id says so. Requires: is_entity(id).
[[nodiscard]] constexpr Player owner_of(BodyId id) {
  const std::uint32_t lineage = lineage_of(id);
  return lineage < kSeatsMax ? Player{static_cast<std::uint16_t>(lineage)} : Player{};
}

[[nodiscard]] constexpr bool is_controlled(BodyId id) {
  return class_of(id) == IdClass::Controlled;
}

/// Returns entity_hash() of a row that is in no world, and moves as `motion` says.
[[nodiscard]] std::uint64_t row_hash(const GameTable& game, const RowRef& row, Motion motion);

/// Returns XXH3-64 over the values of a type in memory.
[[nodiscard]] std::uint64_t value_hash(const TypeInfo& type, ConstBytes value, std::uint64_t seed);

}  // namespace tickbox::engine
