#pragma once
// Values of declared types by the names of their fields, for tests that know a game by its
// descriptor alone.

#include "core/assert.h"
#include "core/bytes.h"
#include "engine/declared.h"
#include "tickbox/game_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tickbox::tests {

/// The first value of a field.
struct NamedValue {
  std::string_view field;
  std::int64_t value = 0;
};

[[nodiscard]] inline const FieldInfo& field_of(const TypeInfo& type, std::string_view name) {
  const auto fields = type.fields();
  const auto found = std::ranges::find(fields, name, &FieldInfo::name);
  TICKBOX_ASSERT(found != fields.end());
  return *found;
}

/// Returns a value in which these fields are set. All other fields have their defaults.
[[nodiscard]] inline std::vector<std::byte> value_with(const TypeInfo& type,
                                                       const std::vector<NamedValue>& values) {
  std::vector<std::byte> bytes(type.bytes);
  type.write_default(bytes.data());
  for (const NamedValue& each : values) {
    engine::set_value(field_of(type, each.field), 0, each.value, bytes);
  }
  return bytes;
}

/// Returns the first value of a field.
[[nodiscard]] inline std::int64_t field_value(const TypeInfo& type, ConstBytes bytes,
                                              std::string_view name) {
  return engine::value_of(field_of(type, name), 0, bytes);
}

}  // namespace tickbox::tests
