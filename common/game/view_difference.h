#pragma once
// Finds the entities and fields in which two states of one view differ.

#include "core/ids.h"
#include "core/inplace_vector.h"
#include "game/entity_state.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tickbox::game {

/// The number of fields that for_each_field() visits.
inline constexpr std::size_t kEntityFields = [] {
  std::size_t count = 0;
  EntityState entity;
  for_each_field(entity, [&count](const char*, auto&) { ++count; });
  return count;
}();

/// A field with different values. For an entity that only one side has, the field is the id, and
/// the other side has no value.
struct FieldDifference {
  std::string_view field;
  std::optional<std::int64_t> expected;
  std::optional<std::int64_t> got;

  friend bool operator==(const FieldDifference&, const FieldDifference&) = default;
};

struct ViewDifference {
  std::size_t entities = 0;  ///< entities that differ, or that only one side has
  std::size_t fields = 0;  ///< fields that differ in total; 1 for an entity that only one side has
  BodyId first;            ///< the lowest id of these entities
  InplaceVector<FieldDifference, kEntityFields> first_fields;  ///< of `first`, as for_each_field()
};

/// Returns nothing if both are the same. Requires: both sorted by id, no id twice.
[[nodiscard]] std::optional<ViewDifference> compare_views(std::span<const EntityState> expected,
                                                          std::span<const EntityState> got);

}  // namespace tickbox::game
