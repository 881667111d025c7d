#include "net/entity_codec.h"

#include "core/assert.h"
#include "game/input.h"

#include "schema/wire_generated.h"
#include "schema/world_generated.h"

#include <limits>

namespace tickbox::net {
namespace {

static_assert(sizeof(schema::Entity) == 24);
static_assert(sizeof(schema::Body) == 16);

constexpr int kBodyTimerBits = 6;
constexpr std::uint8_t kBodyTimerMax = (1U << kBodyTimerBits) - 1;

/// Room for what a body brings forth beside itself: nothing that a view holds is nearer to the end
/// of the world.
constexpr std::int32_t kPlaceLimit = kWorldLimit - 16 * kUnit;

bool within(Vec2 vector, std::int32_t limit) {
  return vector.x >= -limit && vector.x <= limit && vector.y >= -limit && vector.y <= limit;
}

bool fits_short(std::int32_t value) {
  return value >= std::numeric_limits<std::int16_t>::min() &&
         value <= std::numeric_limits<std::int16_t>::max();
}

/// A body's id in 16 bits: of a player the low four of the generation and the seat.
std::uint16_t number_of(const game::EntityState& entity) {
  return static_cast<std::uint16_t>(entity.id.value & 0xffff);
}

BodyId id_of(game::EntityKind kind, std::uint16_t number) {
  return {static_cast<std::uint32_t>(kind) << 30 | number};
}

std::expected<game::EntityState, DropReason> checked(const game::EntityState& entity) {
  if (!is_possible(entity)) return std::unexpected{DropReason::Malformed};
  return entity;
}

}  // namespace

bool is_possible(const game::EntityState& entity) {
  return game::has_kind(entity.id, entity.traits.kind) && within(entity.min, kPlaceLimit) &&
         within(entity.velocity, kSpeedLimit) && entity.traits.move <= game::kMoveDirections;
}

schema::Entity encode_entity(const game::EntityState& entity) {
  const game::Traits& traits = entity.traits;
  return {entity.id.value,   entity.min.x,      entity.min.y,
          entity.velocity.x, entity.velocity.y, static_cast<std::uint8_t>(traits.kind),
          traits.move,       traits.timer};
}

std::expected<game::EntityState, DropReason> decode_entity(const schema::Entity& wire) {
  if (wire.kind() >= game::kEntityKinds) return std::unexpected{DropReason::Malformed};
  return checked(decode_any_entity(wire));
}

game::EntityState decode_any_entity(const schema::Entity& wire) {
  return {
      .id = {wire.id()},
      .min = {.x = wire.x(), .y = wire.y()},
      .velocity = {.x = wire.vx(), .y = wire.vy()},
      .traits = {.kind = static_cast<game::EntityKind>(wire.kind()),
                 .move = wire.move(),
                 .timer = wire.timer()},
  };
}

bool fits_body(const game::EntityState& entity) {
  return entity.traits.timer <= kBodyTimerMax && fits_short(entity.velocity.x) &&
         fits_short(entity.velocity.y) && id_of(entity.traits.kind, number_of(entity)) == entity.id;
}

schema::Body encode_body(const game::EntityState& entity) {
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

std::expected<game::EntityState, DropReason> decode_body(const schema::Body& wire) {
  const std::uint32_t kind = std::uint32_t{wire.kind_timer()} >> kBodyTimerBits;
  if (kind >= game::kEntityKinds) return std::unexpected{DropReason::Malformed};
  const auto entity_kind = static_cast<game::EntityKind>(kind);
  return checked({
      .id = id_of(entity_kind, wire.number()),
      .min = {.x = wire.x(), .y = wire.y()},
      .velocity = {.x = wire.vx(), .y = wire.vy()},
      .traits = {.kind = entity_kind,
                 .move = wire.move(),
                 .timer = static_cast<std::uint8_t>(wire.kind_timer() & kBodyTimerMax)},
  });
}

}  // namespace tickbox::net
