#pragma once
// Between EntityState and the structs that carry it on the wire: one for every entity, and a
// smaller one for what most bodies are.

#include "game/entity_state.h"

#include <optional>

namespace tickbox::schema {
struct Body;
struct Entity;
}  // namespace tickbox::schema

namespace tickbox::game {

[[nodiscard]] schema::Entity encode_entity(const EntityState& entity);

/// Nothing, for values that no entity can have (kind, move, a kind other than its id tells,
/// positions and velocities beyond the world's limits).
[[nodiscard]] std::optional<EntityState> decode_entity(const schema::Entity& wire);

/// The same check of what came in another form.
[[nodiscard]] bool is_possible(const EntityState& entity);
/// The same of any values: of a view that came out wrong, to be compared and never stepped.
[[nodiscard]] EntityState decode_any_entity(const schema::Entity& wire);

/// Whether a Body says all of it: not of what is fast, as bullets are, nor of timers past 63, nor
/// of numbers past 16 bits.
[[nodiscard]] bool fits_body(const EntityState& entity);

/// Requires: fits_body(entity).
[[nodiscard]] schema::Body encode_body(const EntityState& entity);

/// Nothing, as by decode_entity().
[[nodiscard]] std::optional<EntityState> decode_body(const schema::Body& wire);

}  // namespace tickbox::game
