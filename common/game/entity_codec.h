#pragma once
// Converts between EntityState and its two structs on the wire: Entity for every entity, and the
// smaller Body for most bodies.

#include "game/entity_state.h"

#include <optional>

namespace tickbox::schema {
struct Body;
struct Entity;
}  // namespace tickbox::schema

namespace tickbox::game {

[[nodiscard]] schema::Entity encode_entity(const EntityState& entity);

/// Returns nothing for values that no entity can have. It checks kind, move, whether the kind is
/// that of the id, whether the velocity is within ±kSpeedLimit, and whether the position is at
/// least 16 units inside the world's limit.
[[nodiscard]] std::optional<EntityState> decode_entity(const schema::Entity& wire);

/// Makes the check of decode_entity() on an entity that was received in another form.
[[nodiscard]] bool is_possible(const EntityState& entity);
/// Decodes any values without a check: for the views of a desync, which are compared and never
/// stepped.
[[nodiscard]] EntityState decode_any_entity(const schema::Entity& wire);

/// Returns whether a Body can hold the whole entity. It cannot hold fast bodies such as bullets,
/// timers above 63, and numbers of more than 16 bits.
[[nodiscard]] bool fits_body(const EntityState& entity);

/// Requires: fits_body(entity).
[[nodiscard]] schema::Body encode_body(const EntityState& entity);

/// Returns nothing for the values that decode_entity() refuses.
[[nodiscard]] std::optional<EntityState> decode_body(const schema::Body& wire);

}  // namespace tickbox::game
