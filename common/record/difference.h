#pragma once
// Where two worlds of one tick first differ, in words.

#include "core/ids.h"
#include "game/world.h"
#include "record/recorded.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::record {

struct Difference {
  std::optional<BodyId> entity;  ///< none where it is no entity that differs
  std::string field;             ///< of that entity, "rng", "seats", "seat N" or "state_hash"
  std::string expected;          ///< a number, 16 hex digits, a seat in words, or "absent"
  std::string got;

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Entities by id, then seats, then the random sequence; nothing where all are equal.
[[nodiscard]] std::optional<Difference> first_difference(const Keyframe& expected,
                                                         const game::World& got);

/// The difference of two state hashes.
[[nodiscard]] Difference hash_difference(std::uint64_t expected, std::uint64_t got);

}  // namespace tickbox::record
