#pragma once
// The first difference of two worlds of one tick, in words.

#include "core/ids.h"
#include "engine/log/world_difference.h"
#include "engine/world.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::record {

struct Difference {
  std::optional<BodyId> entity;  ///< none if the difference is not in an entity
  std::string subject;           ///< as of engine::WorldDifference
  std::string field;             ///< of the subject; "state_hash" if only hashes are known
  std::string expected;          ///< as of engine::FieldDifference
  std::string got;

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Returns the first difference that engine::compare_worlds() finds; nothing if all are equal.
[[nodiscard]] std::optional<Difference> first_difference(const engine::World& expected,
                                                         const engine::World& got);

/// Returns the first difference; that of the hashes if no field differs.
[[nodiscard]] Difference difference_or_hashes(const engine::World& expected,
                                              const engine::World& got);

/// Returns the difference of two state hashes.
[[nodiscard]] Difference hash_difference(std::uint64_t expected, std::uint64_t got);

}  // namespace tickbox::record
