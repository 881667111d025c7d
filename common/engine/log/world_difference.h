#pragma once
// Finds the entities and fields in which two worlds of one tick differ, in words for a person.

#include "core/ids.h"
#include "engine/world.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::engine {

/// A field with different values. Of an array: the name and the index, as in "ammo[2]".
struct FieldDifference {
  std::string field;
  /// A number, the name of a kind, "nobody", "none", 16 hexadecimal digits of a random sequence or
  /// seed, or "absent".
  std::string expected;
  std::string got;

  friend bool operator==(const FieldDifference&, const FieldDifference&) = default;
};

/// What differs first has all of its differing fields here; the rest is counted. Entities are
/// first, by id, then the number of seats, seats, the room's state, the secret state, and the rest.
struct WorldDifference {
  std::size_t entities = 0;  ///< entities that differ, or that only one world has
  std::size_t fields = 0;    ///< their fields that differ; 1 for an entity that only one world has
  std::size_t others = 0;    ///< values that differ beside the entities
  std::optional<BodyId> entity;  ///< the lowest id of these entities
  /// What differs first: an entity as in "Hero #17", "seat 3", "room", "secret", or empty for the
  /// number of seats, tick, random sequence, seed and lineage.
  std::string subject;
  /// Its differing fields. An entity that only one world has: its id, and "absent".
  std::vector<FieldDifference> first_fields;
};

/// Returns how the entities differ for which `is_compared` returns true; nothing if they do not.
/// Requires: worlds of the same game.
[[nodiscard]] std::optional<WorldDifference> compare_entities(
    const World& expected, const World& got, const std::function<bool(BodyId)>& is_compared);

/// Returns how two worlds differ; nothing if they do not. To compare with a keyframe, give its
/// world. Requires: worlds of the same game.
[[nodiscard]] std::optional<WorldDifference> compare_worlds(const World& expected,
                                                            const World& got);

/// Returns one line for the first field, as in "Hero #17 coyote: expected 4, got 3".
[[nodiscard]] std::string to_text(const WorldDifference& difference);

}  // namespace tickbox::engine
