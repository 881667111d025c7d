#pragma once
// The first difference of two worlds of one tick, in words.

#include "core/ids.h"
#include "game/world.h"
#include "record/recorded.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::record {

struct Difference {
  std::optional<BodyId> entity;  ///< none if the difference is not in an entity
  std::string field;             ///< of that entity, "rng", "seats", "seat N" or "state_hash"
  std::string expected;          ///< a number, 16 hex digits, a seat in words, or "absent"
  std::string got;

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Compares entities by id, then seats, then the random sequence. Returns the first difference;
/// nothing if all are equal.
[[nodiscard]] std::optional<Difference> first_difference(const Keyframe& expected,
                                                         const game::World& got);

/// Returns the difference of two state hashes.
[[nodiscard]] Difference hash_difference(std::uint64_t expected, std::uint64_t got);

}  // namespace tickbox::record
