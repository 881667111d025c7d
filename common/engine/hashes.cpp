#include "core/hash.h"
#include "engine/declared.h"
#include "engine/row.h"
#include "engine/world.h"

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace tickbox::engine {
namespace {

/// A row, a seat or the rest of a world in canonical form, for hashing: a head, at most two values.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as it is hashed
class CanonicalRow {
 public:
  template <class Number>
  void add(Number number) {
    store_le(MutableBytes{bytes_.data() + size_, sizeof(Number)},
             static_cast<std::make_unsigned_t<Number>>(number));
    size_ += sizeof(Number);
  }

  void add(const TypeInfo& type, ConstBytes bytes) {
    if constexpr (std::endian::native == std::endian::little) {
      for (const FieldRun& run : type.runs()) {
        std::memcpy(bytes_.data() + size_, bytes.data() + run.offset, run.bytes);
        size_ += run.bytes;
      }
    } else {
      for (const FieldInfo& field : type.fields()) {
        for (std::size_t i = 0; i < field.times; ++i) {
          add_value(field, i, bytes);
        }
      }
    }
  }

  [[nodiscard]] std::uint64_t digest(std::uint64_t seed) const {
    return hash_bytes(ConstBytes{bytes_}.first(size_), seed);
  }

 private:
  /// Numbers have the bytes of their type, whatever their sign.
  void add_value(const FieldInfo& field, std::size_t i, ConstBytes bytes) {
    const std::byte* value = bytes.data() + field.offset + i * field.bytes;
    switch (field.bytes) {
      case 1:
        return add_from<std::uint8_t>(value);
      case 2:
        return add_from<std::uint16_t>(value);
      case 4:
        return add_from<std::uint32_t>(value);
      default:
        return add_from<std::uint64_t>(value);
    }
  }

  template <class Number>
  void add_from(const std::byte* value) {
    Number number{};
    std::memcpy(&number, value, sizeof(Number));
    add(number);
  }

  static constexpr std::size_t kHeadBytes = 64;
  std::array<std::byte, kHeadBytes + 2 * kTypeBytesMax> bytes_;
  std::size_t size_ = 0;
};

/// The parts of a row depend on how it moves.
[[gnu::always_inline]] inline std::uint64_t hash_of(const RowHead& head, Motion motion,
                                                    Player owner, const TypeInfo& type,
                                                    ConstBytes state) {
  CanonicalRow canonical;
  canonical.add(static_cast<std::uint16_t>(head.kind << 8 |
                                           static_cast<std::uint8_t>(head.parent) << 1 |
                                           static_cast<std::uint8_t>(head.is_new)));
  canonical.add(owner.seat);
  canonical.add(head.min.x);
  canonical.add(head.min.y);
  if (motion != Motion::Fixed) {
    canonical.add(head.velocity.x);
    canonical.add(head.velocity.y);
  }
  if (head.parent != Parent::Collides) canonical.add(head.ignores.value);
  if (motion == Motion::Kinematic) {
    canonical.add(head.path);
    canonical.add(head.path_ticks);
  } else if (head.carrier != sim::kNoBody) {
    canonical.add(head.carrier.value);
  }
  canonical.add(type, state);
  return canonical.digest(head.id.value);
}

Motion motion_of(sim::Kind kind) {
  switch (kind) {
    case sim::Kind::Dynamic:
      return Motion::Dynamic;
    case sim::Kind::Kinematic:
      return Motion::Kinematic;
    case sim::Kind::Fixed:
    case sim::Kind::Static:
      break;
  }
  return Motion::Fixed;
}

}  // namespace

std::uint64_t entity_hash(const World& world, std::size_t row) {
  return hash_of(head_of(world, row), motion_of(world.body(row).kind), world.infos()[row].owner,
                 world.kind_of(row).type, world.state(row));
}

std::uint64_t row_hash(const GameTable& game, const RowRef& row, Motion motion) {
  return hash_of(row.head, motion, owner_of(row.head.id), game.kinds[row.head.kind].type,
                 row.state);
}

std::uint64_t value_hash(const TypeInfo& type, ConstBytes value, std::uint64_t seed) {
  CanonicalRow canonical;
  canonical.add(type, value);
  return canonical.digest(seed);
}

std::uint64_t input_hash(const World& world, Player player) {
  return value_hash(world.game().input, world.input(player), player.seat);
}

std::uint64_t room_hash(const World& world) {
  return value_hash(world.game().room, world.room(), 0);
}

std::uint64_t seat_hash(const World& world, Player player) {
  const SeatInfo& seat = world.seats()[player.seat];
  CanonicalRow canonical;
  canonical.add(seat.generation << 2U | static_cast<std::uint32_t>(seat.has_chosen_focus) << 1U |
                static_cast<std::uint32_t>(seat.taken));
  if (seat.taken) {
    canonical.add(seat.focus.id);
    canonical.add(seat.focus_place.x);
    canonical.add(seat.focus_place.y);
    canonical.add(world.game().seat, world.seat_state(player));
    canonical.add(world.game().input, world.input(player));
  }
  return canonical.digest(player.seat);
}

std::uint64_t state_hash(const World& world) {
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < world.size(); ++row) {
    sum += entity_hash(world, row);
  }
  return state_hash(world, sum);
}

std::uint64_t state_hash(const World& world, std::uint64_t sum_of_entities) {
  std::uint64_t sum = sum_of_entities;
  for (std::uint16_t seat = 0; seat < world.seats().size(); ++seat) {
    const bool was_used = world.seats()[seat].generation != 0 || world.seats()[seat].taken;
    if (was_used) sum += seat_hash(world, {seat});
  }
  CanonicalRow rest;
  rest.add(sum);
  rest.add(world.tick.value);
  rest.add(world.random.state());
  rest.add(world.next_lineage);
  rest.add(world.game().room, world.room());
  rest.add(world.game().secret, world.secret());
  return rest.digest(world.shared_seed);
}

}  // namespace tickbox::engine
