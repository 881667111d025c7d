#pragma once
// Between game::EntityState and the struct that the wire and recordings share.

#include "game/entity_state.h"
#include "net/drop_reason.h"

#include <expected>

namespace tickbox::schema {
struct Entity;
}

namespace tickbox::net {

[[nodiscard]] schema::Entity encode_entity(const game::EntityState& entity);

/// Fails: Malformed, for values that no entity can have (kind, move, aim, buttons, a kind other
/// than its id tells, positions and velocities beyond the world's limits).
[[nodiscard]] std::expected<game::EntityState, DropReason> decode_entity(
    const schema::Entity& wire);

}  // namespace tickbox::net
