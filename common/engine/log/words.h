#pragma once
// Values of declared types, and entities, in words for a person and as JSON.

#include "core/bytes.h"
#include "core/ids.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace tickbox::engine {

/// Returns value `i` of a field: a number, a seat or "nobody", the id of an entity or "none".
[[nodiscard]] std::string text_of(const FieldInfo& field, std::size_t i, ConstBytes type);

/// Returns the name of value `i` of a field; of an array with its index, as in "ammo[2]".
[[nodiscard]] std::string name_of(const FieldInfo& field, std::size_t i);

/// Returns the name of an entity for people: its kind and seat for an avatar, else its kind and as
/// much as its id says.
[[nodiscard]] std::string entity_in_words(std::string_view kind, BodyId id);

/// Returns the values of `after` that differ from `before`, as in "move 3, fire 1".
[[nodiscard]] std::string changes_in_words(const TypeInfo& type, ConstBytes before,
                                           ConstBytes after);

/// Returns the values that differ from those by default, in the same form.
[[nodiscard]] std::string value_in_words(const TypeInfo& type, ConstBytes value);

/// Returns an object with each field: a number, a flag or press as a boolean, a seat, the id of an
/// entity as text; null for nobody and for no entity; of an array a list. It has no blanks.
[[nodiscard]] std::string value_json(const TypeInfo& type, ConstBytes value);

}  // namespace tickbox::engine
