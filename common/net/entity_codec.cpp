#include "net/entity_codec.h"

#include "schema/world_generated.h"

namespace tickbox::net {
namespace {

static_assert(sizeof(schema::Entity) == 28);

/// Room for what a body brings forth beside itself: nothing that a view holds is nearer to the end
/// of the world.
constexpr std::int32_t kPlaceLimit = kWorldLimit - 16 * kUnit;

bool within(Vec2 vector, std::int32_t limit) {
  return vector.x >= -limit && vector.x <= limit && vector.y >= -limit && vector.y <= limit;
}

}  // namespace

schema::Entity encode_entity(const game::EntityState& entity) {
  const game::Traits& traits = entity.traits;
  return {entity.id.value,
          entity.min.x,
          entity.min.y,
          entity.velocity.x,
          entity.velocity.y,
          traits.held.aim,
          static_cast<std::uint8_t>(traits.kind),
          traits.held.move,
          traits.held.buttons,
          traits.timer};
}

std::expected<game::EntityState, DropReason> decode_entity(const schema::Entity& wire) {
  if (wire.kind() >= game::kEntityKinds) return std::unexpected{DropReason::Malformed};
  const game::EntityState entity{
      .id = {wire.id()},
      .min = {.x = wire.x(), .y = wire.y()},
      .velocity = {.x = wire.vx(), .y = wire.vy()},
      .traits = {.kind = static_cast<game::EntityKind>(wire.kind()),
                 .held = {.move = wire.move(), .buttons = wire.buttons(), .aim = wire.aim()},
                 .timer = wire.timer()},
  };
  const bool possible = game::has_kind(entity.id, entity.traits.kind) &&
                        within(entity.min, kPlaceLimit) && within(entity.velocity, kSpeedLimit) &&
                        entity.traits.held == game::clamped(entity.traits.held);
  if (!possible) return std::unexpected{DropReason::Malformed};
  return entity;
}

}  // namespace tickbox::net
