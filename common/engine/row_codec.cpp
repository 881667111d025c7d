#include "engine/row_codec.h"

#include "engine/declared.h"
#include "engine/entity_id.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace tickbox::engine {
namespace {

constexpr unsigned kSmallGenerationBits = 4;
constexpr unsigned kSmallLineageBits = 12;
constexpr unsigned kAgeWidthBits = 6;
constexpr unsigned kCountBits = 8;
constexpr unsigned kSpeedWidthBits = 5;
constexpr unsigned kMotionBits = 2;
constexpr std::uint64_t kMotions = std::uint64_t{std::to_underlying(Motion::Fixed)} + 1;

unsigned width_of(std::uint64_t value) {
  return static_cast<unsigned>(std::bit_width(value));
}

/// Writes a number that is usually small: a bit that says whether it is small, and the number.
void write_small(std::uint32_t number, unsigned small_bits, unsigned bits, BitWriter& out) {
  const bool is_small = number < 1U << small_bits;
  out.write(is_small ? 0 : 1, 1);
  out.write(number, is_small ? small_bits : bits);
}

std::uint32_t read_small(BitReader& in, unsigned small_bits, unsigned bits) {
  const bool is_small = in.read(1) == 0;
  return static_cast<std::uint32_t>(in.read(is_small ? small_bits : bits));
}

std::size_t small_size(std::uint32_t number, unsigned small_bits, unsigned bits) {
  return 1U + (number < 1U << small_bits ? small_bits : bits);
}

/// The parts of an id, with the spawn as an age.
struct IdParts {
  IdClass by = IdClass::Controlled;
  std::uint32_t generation = 0;
  std::uint32_t lineage = 0;
  std::uint32_t age = 0;
  std::uint32_t count = 0;
};

IdParts parts_of(BodyId id, Tick now) {
  IdParts parts{.by = class_of(id), .lineage = lineage_of(id)};
  parts.count = static_cast<std::uint32_t>(id.value & 0xff);
  if (parts.by == IdClass::Controlled) {
    parts.generation = generation_of(id);
    const auto spawn = static_cast<std::uint32_t>(id.value >> kTickShift);
    parts.age = (now.value - spawn) % kAvatarTicks;
  } else {
    parts.age = now.value - spawn_tick_of(id).value;
  }
  return parts;
}

unsigned kind_bits(const GameTable& game) {
  return width_of(game.kinds.size() - 1);
}

std::uint32_t zigzag(std::int32_t value) {
  return static_cast<std::uint32_t>(value) << 1U ^ static_cast<std::uint32_t>(value >> 31);
}

std::int32_t unzigzag(std::uint32_t value) {
  return static_cast<std::int32_t>(value >> 1U ^ (0U - (value & 1U)));
}

unsigned speed_width(Vec2 velocity) {
  return width_of(zigzag(velocity.x) | zigzag(velocity.y));
}

void write_place(Vec2 place, Vec2 origin, BitWriter& out) {
  if (is_near(place, origin)) return out.write(near_place(place, origin), kNearPlaceBits);
  out.write(1, 1);
  out.write(static_cast<std::uint32_t>(place.x), 32);
  out.write(static_cast<std::uint32_t>(place.y), 32);
}

/// Fails: nothing, for a place that write_place() writes shorter or that does not fit 32 bits.
std::optional<Vec2> read_place(Vec2 origin, BitReader& in) {
  const bool near = in.read(1) == 0;
  Vec2 place;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (near) {
      const auto bits = static_cast<std::int64_t>(in.read(kNearBits));
      const std::int64_t from = bits >= kNear ? bits - 2 * std::int64_t{kNear} : bits;
      const std::int64_t at = origin[axis] + from;
      if (at < INT32_MIN || at > INT32_MAX) return std::nullopt;
      place[axis] = static_cast<std::int32_t>(at);
    } else {
      place[axis] = static_cast<std::int32_t>(static_cast<std::uint32_t>(in.read(32)));
    }
  }
  if (in.failed() || is_near(place, origin) != near) return std::nullopt;
  return place;
}

}  // namespace

std::size_t id_bits(BodyId id, Tick now) {
  const IdParts parts = parts_of(id, now);
  constexpr std::size_t kSeat = kSeatBits;
  const std::size_t who =
      parts.by == IdClass::Controlled
          ? kSeat + small_size(parts.generation, kSmallGenerationBits, kGenerationBits)
          : small_size(parts.lineage, kSmallLineageBits, kLineageBits);
  return 2 + who + kAgeWidthBits + width_of(parts.age) + 1 + (parts.count != 0 ? kCountBits : 0U);
}

void write_id(BodyId id, Tick now, BitWriter& out) {
  const IdParts parts = parts_of(id, now);
  out.write(static_cast<std::uint64_t>(parts.by), 2);
  if (parts.by == IdClass::Controlled) {
    out.write(parts.lineage, kSeatBits);
    write_small(parts.generation, kSmallGenerationBits, kGenerationBits, out);
  } else {
    write_small(parts.lineage, kSmallLineageBits, kLineageBits, out);
  }
  out.write(width_of(parts.age), kAgeWidthBits);
  out.write(parts.age, width_of(parts.age));
  out.write(parts.count != 0 ? 1 : 0, 1);
  if (parts.count != 0) out.write(parts.count, kCountBits);
}

std::optional<BodyId> read_id(BitReader& in, Tick now) {
  const std::size_t first = in.at();
  const auto by = static_cast<IdClass>(in.read(2));
  if (by == IdClass::Wall) return std::nullopt;
  std::uint32_t generation = 0;
  std::uint32_t lineage = 0;
  if (by == IdClass::Controlled) {
    lineage = static_cast<std::uint32_t>(in.read(kSeatBits));
    generation = read_small(in, kSmallGenerationBits, kGenerationBits);
  } else {
    lineage = read_small(in, kSmallLineageBits, kLineageBits);
  }
  const auto width = static_cast<unsigned>(in.read(kAgeWidthBits));
  if (width > 32) return std::nullopt;
  const auto age = static_cast<std::uint32_t>(in.read(width));
  const std::uint32_t count = in.read(1) != 0 ? static_cast<std::uint32_t>(in.read(kCountBits)) : 0;
  if (in.failed()) return std::nullopt;
  const Spawned spawned{.lineage = lineage, .tick = {now.value - age}, .count = count};
  const BodyId id =
      by == IdClass::Controlled ? controlled_id(generation, spawned) : spawned_id(by, spawned);
  // Each id has one form.
  const bool is_canonical = in.at() - first == id_bits(id, now) && parts_of(id, now).age == age;
  return is_canonical ? std::optional{id} : std::nullopt;
}

unsigned bits_before_place(const GameTable& game) {
  return kind_bits(game) + 1;
}

void write_row(const GameTable& game, const RowRef& row, Vec2 origin, BitWriter& out) {
  const RowHead& head = row.head;
  const KindTable& kind = game.kinds[head.kind];
  out.write(head.kind, kind_bits(game));
  out.write(head.is_new ? 1 : 0, 1);
  write_place(head.min, origin, out);
  pack_sparse(kind.type, row.state, out);
  const Motion motion = motion_of(kind, row.state);
  if (motion != Motion::Fixed) {
    const unsigned width = speed_width(head.velocity);
    out.write(width, kSpeedWidthBits);
    out.write(zigzag(head.velocity.x), width);
    out.write(zigzag(head.velocity.y), width);
  }
  if (class_of(head.id) == IdClass::ByEntity) {
    out.write(head.parent != Parent::Collides ? 1 : 0, 1);
    if (head.parent != Parent::Collides) {
      out.write(head.parent == Parent::IgnoredUntilApart ? 1 : 0, 1);
      out.write(head.ignores.value, 64);
    }
  }
  if (motion == Motion::Kinematic) {
    out.write(head.path, 16);
    out.write(head.path_ticks, 32);
  } else if (motion == Motion::Dynamic) {
    out.write(head.carrier != sim::kNoBody ? 1 : 0, 1);
    if (head.carrier != sim::kNoBody) out.write(head.carrier.value, 64);
  }
}

namespace {

/// What is known of a row before its bits are read.
struct KnownOfRow {
  BodyId id;
  Vec2 origin;
  /// Nothing if the game is asked for it, which must then call the state possible.
  std::optional<Motion> motion;
};

std::optional<RowRef> read_row(const GameTable& game, const KnownOfRow& known, BitReader& in,
                               RowState& state_of) {
  RowHead head{.id = known.id};
  head.kind = static_cast<std::uint8_t>(in.read(kind_bits(game)));
  if (head.kind >= game.kinds.size()) return std::nullopt;
  head.is_new = in.read(1) != 0;
  const std::optional<Vec2> place = read_place(known.origin, in);
  if (!place) return std::nullopt;
  head.min = *place;
  const KindTable& kind = game.kinds[head.kind];
  const MutableBytes state = MutableBytes{state_of.bytes}.first(kind.type.bytes);
  if (!unpack_sparse(kind.type, in, state)) return std::nullopt;
  std::optional<Motion> motion = known.motion;
  if (!motion) {
    if (kind.possible != nullptr && !kind.possible(state.data())) return std::nullopt;
    motion = motion_of(kind, state);
  }
  if (motion != Motion::Fixed) {
    const auto width = static_cast<unsigned>(in.read(kSpeedWidthBits));
    head.velocity.x = unzigzag(static_cast<std::uint32_t>(in.read(width)));
    head.velocity.y = unzigzag(static_cast<std::uint32_t>(in.read(width)));
    if (speed_width(head.velocity) != width) return std::nullopt;
  }
  if (class_of(known.id) == IdClass::ByEntity && in.read(1) != 0) {
    head.parent = in.read(1) != 0 ? Parent::IgnoredUntilApart : Parent::IgnoredThisTick;
    head.ignores = {in.read(64)};
  }
  if (motion == Motion::Kinematic) {
    head.path = static_cast<std::uint16_t>(in.read(16));
    head.path_ticks = static_cast<std::uint32_t>(in.read(32));
  } else if (motion == Motion::Dynamic && in.read(1) != 0) {
    head.carrier = {in.read(64)};
    if (head.carrier == sim::kNoBody) return std::nullopt;
  }
  if (in.failed()) return std::nullopt;
  return RowRef{.head = head, .state = state, .input = {}};
}

}  // namespace

std::optional<RowRef> read_row(const GameTable& game, BodyId id, Vec2 origin, BitReader& in,
                               RowState& state) {
  return read_row(game, {.id = id, .origin = origin, .motion = std::nullopt}, in, state);
}

void write_whole_row(const GameTable& game, const RowRef& row, Tick now, BitWriter& out) {
  write_id(row.head.id, now, out);
  out.write(std::to_underlying(motion_of(game.kinds[row.head.kind], row.state)), kMotionBits);
  write_row(game, row, {}, out);
}

std::optional<RowRef> read_whole_row(const GameTable& game, Tick now, BitReader& in,
                                     RowState& state, Motion& motion) {
  const std::optional<BodyId> id = read_id(in, now);
  const std::uint64_t read = in.read(kMotionBits);
  if (!id || read >= kMotions) return std::nullopt;
  motion = static_cast<Motion>(read);
  return read_row(game, {.id = *id, .origin = {}, .motion = motion}, in, state);
}

}  // namespace tickbox::engine
