#pragma once
// In which entity and which field two states of one view differ.

#include "core/bounded.h"
#include "core/ids.h"
#include "game/entity_state.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tickbox::game {

/// Fields that for_each_field() visits.
inline constexpr std::size_t kEntityFields = [] {
  std::size_t count = 0;
  EntityState entity;
  for_each_field(entity, [&count](const char*, auto&) { ++count; });
  return count;
}();

/// Of an entity that one side alone has it is the id that differs, and the other has none.
struct FieldDifference {
  std::string_view field;
  std::optional<std::int64_t> expected;
  std::optional<std::int64_t> got;

  friend bool operator==(const FieldDifference&, const FieldDifference&) = default;
};

struct ViewDifference {
  std::size_t entities = 0;  ///< that differ, or that one side alone has
  std::size_t fields = 0;    ///< in all; 1 of an entity that one side alone has
  BodyId first;              ///< the lowest id of them
  BoundedVector<FieldDifference, kEntityFields> first_fields;  ///< in wire order
};

/// Nothing where both are the same.  Requires: both by id, none twice.
[[nodiscard]] std::optional<ViewDifference> compare_views(std::span<const EntityState> expected,
                                                          std::span<const EntityState> got);

}  // namespace tickbox::game
