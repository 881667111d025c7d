#include "game/keyframe.h"

#include "core/assert.h"
#include "core/numbers.h"
#include "game/entity_codec.h"

namespace tickbox::game {
namespace {

constexpr std::uint32_t kEntityBytes = 22;
static_assert(kLoggedEntityBytes == 1 + kEntityBytes && kEntityBytes < kMoreFollow);
static_assert(kGenerations << (kSourceBits + 1) <= 1U << (3 * kNumberBits));

void write_entity(NumberWriter& out, const EntityState& entity) {
  out.number(kEntityBytes);
  out.fixed(wire_id(entity.id));
  out.fixed(entity.min.x);
  out.fixed(entity.min.y);
  out.fixed(entity.velocity.x);
  out.fixed(entity.velocity.y);
  out.fixed(entity.traits.move);
  out.fixed(entity.traits.timer);
}

EntityState read_entity(NumberReader& whole) {
  NumberReader in{whole.bytes(whole.number())};
  const BodyId id{in.fixed<std::uint32_t>()};
  EntityState entity{.id = id, .min = {}, .velocity = {}, .traits = {}};
  if (is_entity(id)) entity.traits.kind = static_cast<EntityKind>(id.value >> 30);
  entity.min.x = in.coordinate();
  entity.min.y = in.coordinate();
  entity.velocity.x = in.coordinate();
  entity.velocity.y = in.coordinate();
  entity.traits.move = in.fixed<std::uint8_t>();
  entity.traits.timer = in.fixed<std::uint8_t>();
  if (in.failed() || in.left() > 0 || !is_possible(entity)) whole.fail();
  return entity;
}

void write_seat(NumberWriter& out, const SeatState& seat, InputSource source) {
  out.number(seat.generation << (kSourceBits + 1) | static_cast<std::uint32_t>(source) << 1 |
             (seat.taken ? 1U : 0U));
  out.number(seat.score);
}

/// Reads a seat. Fails: also for a free seat with a source other than neutral.
void read_seat(NumberReader& in, LoggedWorld& world) {
  const std::uint32_t first = in.number();
  const SeatState seat{
      .generation = first >> (kSourceBits + 1), .score = in.number(), .taken = (first & 1) != 0};
  const std::uint32_t source = first >> 1 & kSourceMask;
  if (seat.generation >= kGenerations || source >= kInputSources) in.fail();
  world.seats.push_back(seat);
  world.sources.push_back(static_cast<InputSource>(source % kInputSources));
  if (!seat.taken && world.sources.back() != InputSource::Neutral) in.fail();
}

/// Writes the part of a keyframe before the entities.
void write_head(NumberWriter& out, const WorldFields& world, std::uint64_t state_hash,
                std::span<const InputSource> sources) {
  TICKBOX_ASSERT(world.seats.size() <= kSeatsMax && sources.size() == world.seats.size());
  out.fixed(world.tick.value);
  out.fixed(state_hash);
  out.fixed(world.random);
  out.number(static_cast<std::uint32_t>(world.seats.size()));
  for (std::size_t i = 0; i < world.seats.size(); ++i) {
    write_seat(out, world.seats[i], sources[i]);
  }
}

/// Writes `count` entities; `entity(i)` returns entity i.
template <class EntityAt>
void write_entities(NumberWriter& out, std::size_t count, const EntityAt& entity) {
  TICKBOX_ASSERT(count <= kLoggedEntitiesMax);
  out.number(static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    write_entity(out, entity(i));
  }
}

}  // namespace

std::size_t keyframe_bytes_of(const World& world) {
  constexpr std::size_t kBulletsPerSeat = 3;
  const std::size_t seats = world.seats().size();
  return 32 + seats * kLoggedSeatBytesMax +
         (world.size() + kBulletsPerSeat * seats) * kLoggedEntityBytes;
}

void encode_keyframe(const World& world, std::uint64_t state_hash,
                     std::span<const InputSource> sources, std::vector<std::byte>& out) {
  out.clear();
  NumberWriter writer{out};
  write_head(
      writer,
      {.tick = world.tick, .random = world.rng.state(), .seats = world.seats(), .entities = {}},
      state_hash, sources);
  write_entities(writer, world.size(), [&world](std::size_t i) { return world.entity(i); });
}

void encode_keyframe(const LoggedWorld& world, std::vector<std::byte>& out) {
  out.clear();
  NumberWriter writer{out};
  write_head(writer, world.fields(), world.state_hash, world.sources);
  write_entities(writer, world.entities.size(),
                 [&world](std::size_t i) { return world.entities[i]; });
}

std::expected<void, LogError> decode_keyframe(ConstBytes bytes, LoggedWorld& world) {
  NumberReader in{bytes};
  world.tick = {in.fixed<std::uint32_t>()};
  world.state_hash = in.fixed<std::uint64_t>();
  world.random = in.fixed<std::uint64_t>();
  world.seats.clear();
  world.sources.clear();
  world.entities.clear();
  const std::uint32_t seats = in.count(kSeatsMax, 2);
  for (std::uint32_t i = 0; i < seats && !in.failed(); ++i) {
    read_seat(in, world);
  }
  const std::uint32_t entities = in.count(kLoggedEntitiesMax, kLoggedEntityBytes);
  for (std::uint32_t i = 0; i < entities && !in.failed(); ++i) {
    world.entities.push_back(read_entity(in));
  }
  if (in.failed() || in.left() > 0 || !have_ascending_ids(world.entities)) {
    return std::unexpected{LogError::Malformed};
  }
  return {};
}

}  // namespace tickbox::game
