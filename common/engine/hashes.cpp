// The hash of a world: of its entities, its seats and the rest, which add up in any order. Each
// byte of it is in FORMAT.md. Its functions are declared in world.h and row.h.

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

/// The longest canonical form: a head and two values.
constexpr std::size_t kCanonicalBytesMax = 64 + 2 * kTypeBytesMax;

/// Writes numbers and values in canonical form: each number lowest byte first, without gaps.
/// Requires: room for them, from `at` on.
class CanonicalWriter {
 public:
  explicit CanonicalWriter(std::byte* at) : at_(at) {}

  template <class Number>
  void add(Number number) {
    store_le(MutableBytes{at_, sizeof(Number)}, static_cast<std::make_unsigned_t<Number>>(number));
    at_ += sizeof(Number);
  }

  /// Both coordinates as one number: the same bytes in fewer writes.
  void add(Vec2 vector) {
    add(std::uint64_t{static_cast<std::uint32_t>(vector.y)} << 32U |
        static_cast<std::uint32_t>(vector.x));
  }

  void add(const TypeInfo& type, ConstBytes bytes) {
    if constexpr (std::endian::native == std::endian::little) {
      for (const FieldRun& run : type.runs()) {
        ConstBytes values = bytes.subspan(run.offset, run.bytes);
        while (values.size() >= 8)
          add_part<8>(values);
        if (values.size() >= 4) add_part<4>(values);
        if (values.size() >= 2) add_part<2>(values);
        if (!values.empty()) add_part<1>(values);
      }
    } else {
      for (const FieldInfo& field : type.fields()) {
        for (std::size_t i = 0; i < field.times; ++i) {
          add_value(field, i, bytes);
        }
      }
    }
  }

  /// The end of what is written.
  [[nodiscard]] std::byte* end() const { return at_; }

 private:
  /// Takes a part from `bytes`. A run is short: to copy its few parts costs less than a call of
  /// memcpy().
  template <std::size_t kPart>
  void add_part(ConstBytes& bytes) {
    std::memcpy(at_, bytes.data(), kPart);
    at_ += kPart;
    bytes = bytes.subspan(kPart);
  }

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

  std::byte* at_;
};

/// Returns the hash of what `write` gives to a CanonicalWriter.
template <class Write>
[[gnu::always_inline]] inline std::uint64_t hash_of(std::uint64_t seed, Write write) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as it is hashed
  std::array<std::byte, kCanonicalBytesMax> bytes;
  CanonicalWriter writer{bytes.data()};
  write(writer);
  return hash_bytes({bytes.data(), writer.end()}, seed);
}

/// The sum of hashes as of hash_of(). It writes many canonical forms before it hashes the first: a
/// processor waits when it reads a word that it has just written in parts.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as it is hashed
class HashSum {
 public:
  template <class Write>
  void add(std::uint64_t seed, Write write) {
    CanonicalWriter writer{end_};
    write(writer);
    forms_[size_] = {.seed = seed, .begin = end_};
    end_ = writer.end();
    if (++size_ == kFormsMax) hash_all();
  }

  [[nodiscard]] std::uint64_t sum() {
    hash_all();
    return sum_;
  }

 private:
  struct Form {
    std::uint64_t seed;
    const std::byte* begin;  ///< the end is the next one's begin
  };

  void hash_all() {
    const std::byte* end = end_;
    while (size_ > 0) {
      const Form& form = forms_[--size_];
      sum_ += hash_bytes({form.begin, end}, form.seed);
      end = form.begin;
    }
    end_ = bytes_.data();
  }

  static constexpr std::size_t kFormsMax = 32;

  std::array<Form, kFormsMax> forms_;
  std::array<std::byte, kFormsMax * kCanonicalBytesMax> bytes_;
  std::byte* end_ = bytes_.data();
  std::size_t size_ = 0;
  std::uint64_t sum_ = 0;
};

/// The parts of a row depend on how it moves.
[[gnu::always_inline]] inline void write_row(CanonicalWriter& writer, const RowHead& head,
                                             Motion motion, const TypeInfo& type,
                                             ConstBytes state) {
  const auto flags =
      static_cast<std::uint16_t>(head.kind << 8 | static_cast<std::uint8_t>(head.parent) << 1 |
                                 static_cast<std::uint8_t>(head.is_new));
  writer.add(std::uint32_t{owner_of(head.id).seat} << 16U | flags);
  writer.add(head.min);
  if (motion != Motion::Fixed) writer.add(head.velocity);
  if (head.parent != Parent::Collides) writer.add(head.ignores.value);
  if (motion == Motion::Kinematic) {
    writer.add(head.path);
    writer.add(head.path_ticks);
  } else if (head.carrier != sim::kNoBody) {
    writer.add(head.carrier.value);
  }
  writer.add(type, state);
}

Motion motion_of_body(sim::Kind kind) {
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

[[gnu::always_inline]] inline void write_row(CanonicalWriter& writer, const World& world,
                                             std::size_t row) {
  write_row(writer, head_of(world, row), motion_of_body(world.body(row).kind),
            world.kind_of(row).type, world.state(row));
}

}  // namespace

std::uint64_t entity_hash(const World& world, std::size_t row) {
  return hash_of(world.id(row).value, [&](CanonicalWriter& to) { write_row(to, world, row); });
}

std::uint64_t row_hash(const GameTable& game, const RowRef& row, Motion motion) {
  return hash_of(row.head.id.value, [&](CanonicalWriter& to) {
    write_row(to, row.head, motion, game.kinds[row.head.kind].type, row.state);
  });
}

std::uint64_t value_hash(const TypeInfo& type, ConstBytes value, std::uint64_t seed) {
  return hash_of(seed, [&](CanonicalWriter& to) { to.add(type, value); });
}

std::uint64_t input_hash(const World& world, Player player) {
  return value_hash(world.game().input, world.input(player), player.seat);
}

std::uint64_t sum_of_hashes(const World& world, std::span<const std::uint32_t> rows) {
  HashSum hashes;
  for (const std::uint32_t row : rows) {
    const BodyId id = world.id(row);
    hashes.add(id.value, [&](CanonicalWriter& to) { write_row(to, world, row); });
    if (!is_controlled(id)) continue;
    const Player player = world.infos()[row].owner;
    hashes.add(player.seat,
               [&](CanonicalWriter& to) { to.add(world.game().input, world.input(player)); });
  }
  return hashes.sum();
}

std::uint64_t room_hash(const World& world) {
  return value_hash(world.game().room, world.room(), 0);
}

std::uint64_t seat_hash(const World& world, Player player) {
  const SeatInfo& seat = world.seats()[player.seat];
  return hash_of(player.seat, [&](CanonicalWriter& to) {
    to.add(seat.generation << 2U | static_cast<std::uint32_t>(seat.has_chosen_focus) << 1U |
           static_cast<std::uint32_t>(seat.taken));
    if (!seat.taken) return;
    to.add(seat.focus.id);
    to.add(seat.focus_place);
    to.add(world.game().seat, world.seat_state(player));
    to.add(world.game().input, world.input(player));
  });
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
  return hash_of(world.shared_seed, [&](CanonicalWriter& to) {
    to.add(sum);
    to.add(world.tick.value);
    to.add(world.random.state());
    to.add(world.next_lineage);
    to.add(world.game().room, world.room());
    to.add(world.game().secret, world.secret());
  });
}

}  // namespace tickbox::engine
