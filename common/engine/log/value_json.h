#pragma once
// Values of declared types as JSON, by the names of their fields.

#include "core/bytes.h"
#include "tickbox/game_table.h"

#include <string>

namespace tickbox::engine {

/// Returns an object with each field: a number, a flag or press as a boolean, a seat, the id of an
/// entity as text; null for nobody and for no entity; of an array a list. It has no blanks.
[[nodiscard]] std::string value_json(const TypeInfo& type, ConstBytes value);

}  // namespace tickbox::engine
