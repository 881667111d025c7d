#include "game/entity_codec.h"

#include "core/assert.h"
#include "game/input.h"

#include "schema/wire_generated.h"
#include "schema/world_generated.h"

#include <limits>

namespace tickbox::game {
namespace {

static_assert(sizeof(schema::Entity) == 24);
static_assert(sizeof(schema::Body) == 16);

constexpr int kBodyTimerBits = 6;
constexpr std::uint8_t kBodyTimerMax = (1U << kBodyTimerBits) - 1;

/// The limit of a valid entity's position, 16 units inside the world's limit. The gap is space for
/// bodies that an entity spawns beside itself; no body of a view is nearer to the end of the world.
constexpr std::int32_t kPlaceLimit = kWorldLimit - 16 * kUnit;

bool within(Vec2 vector, std::int32_t limit) {
  return vector.x >= -limit && vector.x <= limit && vector.y >= -limit && vector.y <= limit;
}

bool fits_short(std::int32_t value) {
  return value >= std::numeric_limits<std::int16_t>::min() &&
         value <= std::numeric_limits<std::int16_t>::max();
}

/// Returns the low 16 bits of a body's id. For a player these are the seat and the low four bits of
/// the generation.
std::uint16_t number_of(const EntityState& entity) {
  return static_cast<std::uint16_t>(entity.id.value & 0xffff);
}

BodyId id_of(EntityKind kind, std::uint16_t number) {
  return {static_cast<std::uint32_t>(kind) << 30 | number};
}

std::optional<EntityState> checked(const EntityState& entity) {
  if (!is_possible(entity)) return std::nullopt;
  return entity;
}

}  // namespace

bool is_possible(const EntityState& entity) {
  return has_kind(entity.id, entity.traits.kind) && within(entity.min, kPlaceLimit) &&
         within(entity.velocity, kSpeedLimit) && entity.traits.move <= kMoveDirections;
}

schema::Entity encode_entity(const EntityState& entity) {
  const Traits& traits = entity.traits;
  return {wire_id(entity.id), entity.min.x,      entity.min.y,
          entity.velocity.x,  entity.velocity.y, static_cast<std::uint8_t>(traits.kind),
          traits.move,        traits.timer};
}

std::optional<EntityState> decode_entity(const schema::Entity& wire) {
  if (wire.kind() >= kEntityKinds) return std::nullopt;
  return checked(decode_any_entity(wire));
}

EntityState decode_any_entity(const schema::Entity& wire) {
  return {
      .id = {wire.id()},
      .min = {.x = wire.x(), .y = wire.y()},
      .velocity = {.x = wire.vx(), .y = wire.vy()},
      .traits = {.kind = static_cast<EntityKind>(wire.kind()),
                 .move = wire.move(),
                 .timer = wire.timer()},
  };
}

bool fits_body(const EntityState& entity) {
  return entity.traits.timer <= kBodyTimerMax && fits_short(entity.velocity.x) &&
         fits_short(entity.velocity.y) && id_of(entity.traits.kind, number_of(entity)) == entity.id;
}

schema::Body encode_body(const EntityState& entity) {
  TICKBOX_ASSERT(fits_body(entity));
  const auto kind = static_cast<std::uint32_t>(entity.traits.kind);
  return {entity.min.x,
          entity.min.y,
          static_cast<std::int16_t>(entity.velocity.x),
          static_cast<std::int16_t>(entity.velocity.y),
          number_of(entity),
          static_cast<std::uint8_t>(kind << kBodyTimerBits | entity.traits.timer),
          entity.traits.move};
}

std::optional<EntityState> decode_body(const schema::Body& wire) {
  const std::uint32_t kind = std::uint32_t{wire.kind_timer()} >> kBodyTimerBits;
  if (kind >= kEntityKinds) return std::nullopt;
  const auto entity_kind = static_cast<EntityKind>(kind);
  return checked({
      .id = id_of(entity_kind, wire.number()),
      .min = {.x = wire.x(), .y = wire.y()},
      .velocity = {.x = wire.vx(), .y = wire.vy()},
      .traits = {.kind = entity_kind,
                 .move = wire.move(),
                 .timer = static_cast<std::uint8_t>(wire.kind_timer() & kBodyTimerMax)},
  });
}

}  // namespace tickbox::game
