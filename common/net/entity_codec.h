#pragma once
// Between game::EntityState and the structs that carry it: the one that the wire and recordings
// share, and the smaller one for what most bodies are.

#include "game/entity_state.h"
#include "net/drop_reason.h"

#include <expected>

namespace tickbox::schema {
struct Body;
struct Entity;
}  // namespace tickbox::schema

namespace tickbox::net {

[[nodiscard]] schema::Entity encode_entity(const game::EntityState& entity);

/// Fails: Malformed, for values that no entity can have (kind, move, a kind other
/// than its id tells, positions and velocities beyond the world's limits).
[[nodiscard]] std::expected<game::EntityState, DropReason> decode_entity(
    const schema::Entity& wire);

/// The same check of what came in another form.
[[nodiscard]] bool is_possible(const game::EntityState& entity);
/// The same of any values: of a view that came out wrong, to be compared and never stepped.
[[nodiscard]] game::EntityState decode_any_entity(const schema::Entity& wire);

/// Whether a Body says all of it: not of what is fast, as bullets are, nor of timers past 63, nor
/// of numbers past 16 bits.
[[nodiscard]] bool fits_body(const game::EntityState& entity);

/// Requires: fits_body(entity).
[[nodiscard]] schema::Body encode_body(const game::EntityState& entity);

/// Fails: as decode_entity.
[[nodiscard]] std::expected<game::EntityState, DropReason> decode_body(const schema::Body& wire);

}  // namespace tickbox::net
