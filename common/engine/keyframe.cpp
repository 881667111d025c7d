#include "engine/keyframe.h"

#include "core/assert.h"
#include "core/numbers.h"
#include "engine/bits.h"
#include "engine/declared.h"
#include "sim/crowding.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tickbox::engine {
namespace {

constexpr unsigned kParentMask = 3;
constexpr unsigned kIsNew = 4;
constexpr unsigned kIsKinematic = 8;
constexpr unsigned kIsCarried = 16;
constexpr unsigned kIsFixed = 32;
constexpr unsigned kTraitsKnown = 63;
constexpr unsigned kParentMost = 2;

/// The bytes of an entity without the parts that only some have.
constexpr std::size_t kEntityBytesMin = 8 + 1 + 1 + 2 + 2 * 4;
/// The most bytes of an entity without its state: a longer kind, a velocity, what it ignores, what
/// carries it.
constexpr std::size_t kEntityHeadBytesMax = kEntityBytesMin + 1 + std::size_t{2} * 4 + 8 + 8;

/// The most bytes from the tick to the lineage, and of the two counts.
constexpr std::size_t kHeadBytesMax = 4 + 8 + 8 + 8 + 5 + 5 + 5;

constexpr int kSeatFlagBits = 2;
static_assert(kGenerations <= 1U << (32 - kSeatFlagBits - kSourceBits));

std::size_t packed_bytes(const TypeInfo& type) {
  return (type.bits + std::size_t{7}) / 8;
}

/// The most bytes of a taken seat: its number, its focus and two values.
std::size_t seat_bytes_max(const GameTable& game) {
  return 5 + 8 + 2 * 4 + packed_bytes(game.seat) + packed_bytes(game.input);
}

/// The most bytes of an entity of any kind.
std::size_t entity_bytes_max(const GameTable& game) {
  std::size_t state = 0;
  for (const KindTable& kind : game.kinds) {
    state = std::max(state, packed_bytes(kind.type));
  }
  return kEntityHeadBytesMax + state;
}

void write_packed(const TypeInfo& type, ConstBytes bytes, std::vector<std::byte>& out) {
  BitWriter writer{out};
  pack(type, bytes, writer);
}

bool read_packed(const TypeInfo& type, NumberReader& in, MutableBytes bytes) {
  BitReader reader{in.bytes(packed_bytes(type))};
  return unpack(type, reader, bytes) && reader.is_at_end();
}

void write_entity(const World& world, std::size_t row, std::vector<std::byte>& out) {
  NumberWriter writer{out};
  const sim::Body& body = world.body(row);
  const RowInfo& info = world.infos()[row];
  const bool is_kinematic = body.kind == sim::Kind::Kinematic;
  const bool is_carried = !is_kinematic && body.carrier != sim::kNoBody;
  const bool is_fixed = body.kind == sim::Kind::Fixed;
  writer.fixed(body.id.value);
  writer.number(info.kind);
  writer.fixed(
      static_cast<std::uint8_t>(static_cast<unsigned>(info.parent) | (info.is_new ? kIsNew : 0U) |
                                (is_kinematic ? kIsKinematic : 0U) |
                                (is_carried ? kIsCarried : 0U) | (is_fixed ? kIsFixed : 0U)));
  writer.fixed(info.owner.seat);
  writer.fixed(body.min.x);
  writer.fixed(body.min.y);
  if (!is_fixed) {
    writer.fixed(body.velocity.x);
    writer.fixed(body.velocity.y);
  }
  if (info.parent != Parent::Collides) writer.fixed(body.ignores.value);
  if (is_kinematic) {
    writer.fixed(body.path);
    writer.fixed(body.path_ticks);
  }
  if (is_carried) writer.fixed(body.carrier.value);
  write_packed(world.kind_of(row).type, world.state(row), out);
}

/// Whether an entity with this id can be in this world. An id of a later tick would be spawned once
/// more.
bool is_valid_id(const World& world, BodyId id) {
  if (!is_entity(id)) return false;
  if (!is_controlled(id)) return spawn_tick_of(id) <= world.tick;
  const Player owner = owner_of(id);
  return world.has(owner) && world.seats()[owner.seat].generation == generation_of(id);
}

/// Reads an entity and adds it to the world. Fails: false.
bool read_entity(NumberReader& in, World& world) {
  RowHead head{.id = {in.fixed<std::uint64_t>()}};
  const std::uint32_t kind = in.number();
  const unsigned traits = in.fixed<std::uint8_t>();
  if (kind >= world.game().kinds.size() || (traits & ~kTraitsKnown) != 0 ||
      (traits & kParentMask) > kParentMost) {
    return false;
  }
  head.kind = static_cast<std::uint8_t>(kind);
  head.parent = static_cast<Parent>(traits & kParentMask);
  head.is_new = (traits & kIsNew) != 0;
  const Player owner{in.fixed<std::uint16_t>()};
  head.min = {in.coordinate(), in.coordinate()};
  const bool is_fixed = (traits & kIsFixed) != 0;
  if (!is_fixed) head.velocity = {in.coordinate(), in.coordinate()};
  if (head.parent != Parent::Collides) head.ignores = {in.fixed<std::uint64_t>()};
  const bool is_carried = (traits & kIsCarried) != 0;
  const bool is_kinematic = (traits & kIsKinematic) != 0;
  if (is_kinematic) {
    head.path = in.fixed<std::uint16_t>();
    head.path_ticks = in.fixed<std::uint32_t>();
  }
  if (is_carried) head.carrier = {in.fixed<std::uint64_t>()};
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> state{};
  const TypeInfo& type = world.game().kinds[kind].type;
  const MutableBytes bytes = MutableBytes{state}.first(type.bytes);
  if (!read_packed(type, in, bytes) || in.failed()) return false;
  const RowRef row{.head = head, .state = bytes, .input = {}};
  const bool is_in_order = world.size() == 0 || world.id(world.size() - 1) < head.id;
  if (!is_in_order || !is_valid_id(world, head.id) || owner != owner_of(head.id) ||
      (is_carried && (is_kinematic || is_fixed || head.carrier == sim::kNoBody)) ||
      !world.add_all({&row, 1})) {
    return false;
  }
  const sim::Kind read = std::as_const(world).body(world.size() - 1).kind;
  return (read == sim::Kind::Kinematic) == is_kinematic && (read == sim::Kind::Fixed) == is_fixed;
}

void write_seat(const World& world, Player player, InputSource source,
                std::vector<std::byte>& out) {
  NumberWriter writer{out};
  const SeatInfo& seat = world.seats()[player.seat];
  const InputSource of_seat = seat.taken ? source : InputSource::Neutral;
  writer.number(seat.generation << (kSeatFlagBits + kSourceBits) |
                static_cast<std::uint32_t>(of_seat) << kSeatFlagBits |
                static_cast<std::uint32_t>(seat.has_chosen_focus) << 1U |
                static_cast<std::uint32_t>(seat.taken));
  if (!seat.taken) return;
  writer.fixed(seat.focus.id);
  writer.fixed(seat.focus_place.x);
  writer.fixed(seat.focus_place.y);
  write_packed(world.game().seat, world.seat_state(player), out);
  write_packed(world.game().input, world.input(player), out);
}

/// Reads a seat. Fails: false, also for a free seat with a source other than neutral.
bool read_seat(NumberReader& in, Player player, Keyframe& keyframe) {
  World& world = keyframe.world;
  const std::uint32_t first = in.number();
  const std::uint32_t source = first >> kSeatFlagBits & kSourceMask;
  SeatInfo& seat = world.seats()[player.seat];
  seat = {.generation = first >> (kSeatFlagBits + kSourceBits),
          .taken = (first & 1U) != 0,
          .has_chosen_focus = (first & 2U) != 0};
  if (seat.generation >= kGenerations || source >= kInputSources) return false;
  keyframe.sources.push_back(static_cast<InputSource>(source));
  if (!seat.taken) {
    return !seat.has_chosen_focus && keyframe.sources.back() == InputSource::Neutral;
  }
  world.set_focus(player, {in.fixed<std::uint64_t>()});
  seat.focus_place.x = in.coordinate();
  seat.focus_place.y = in.coordinate();
  return read_packed(world.game().seat, in, world.seat_state(player)) &&
         read_packed(world.game().input, in, world.input(player)) &&
         !has_press_down(world.game().input, world.input(player));
}

}  // namespace

std::size_t keyframe_bytes_of(const World& world) {
  constexpr std::size_t kMorePerSeat = 3;
  const GameTable& game = world.game();
  const std::size_t seats = world.seats().size();
  return kHeadBytesMax + packed_bytes(game.room) + packed_bytes(game.secret) +
         seats * seat_bytes_max(game) +
         (world.size() + kMorePerSeat * seats) * entity_bytes_max(game);
}

void encode_keyframe(const World& world, std::vector<std::byte>& out) {
  const std::vector<InputSource> sources(world.seats().size(), InputSource::Neutral);
  encode_keyframe(world, state_hash(world), sources, out);
}

void encode_keyframe(const World& world, std::uint64_t state_hash,
                     std::span<const InputSource> sources, std::vector<std::byte>& out) {
  TICKBOX_ASSERT(world.size() <= kEntitiesMax && sources.size() == world.seats().size());
  out.clear();
  NumberWriter writer{out};
  writer.fixed(world.tick.value);
  writer.fixed(state_hash);
  writer.fixed(world.random.state());
  writer.fixed(world.shared_seed);
  writer.number(world.next_lineage);
  write_packed(world.game().room, world.room(), out);
  write_packed(world.game().secret, world.secret(), out);
  const auto seats = static_cast<std::uint16_t>(sources.size());
  writer.number(seats);
  for (std::uint16_t seat = 0; seat < seats; ++seat) {
    write_seat(world, {seat}, sources[seat], out);
  }
  writer.number(static_cast<std::uint32_t>(world.size()));
  for (std::size_t row = 0; row < world.size(); ++row) {
    write_entity(world, row, out);
  }
}

std::expected<Keyframe, KeyframeError> decode_keyframe(ConstBytes bytes, const World& like) {
  NumberReader in{bytes};
  Keyframe keyframe{.world = {like.game(), like.map(), like.tick_rate(), 0, like.state_order()},
                    .sources = {}};
  World& world = keyframe.world;
  world.tick = {in.fixed<std::uint32_t>()};
  keyframe.state_hash = in.fixed<std::uint64_t>();
  world.random = Rng{in.fixed<std::uint64_t>()};
  world.shared_seed = in.fixed<std::uint64_t>();
  world.next_lineage = in.number(kLineages);
  bool is_valid = world.next_lineage >= kSeatsMax &&
                  read_packed(world.game().room, in, world.room()) &&
                  read_packed(world.game().secret, in, world.secret()) &&
                  in.number() == world.seats().size() && !in.failed();
  for (std::uint16_t seat = 0; seat < world.seats().size() && is_valid; ++seat) {
    is_valid = read_seat(in, {seat}, keyframe);
  }
  const std::uint32_t entities = is_valid ? in.count(kEntitiesMax, kEntityBytesMin) : 0;
  for (std::uint32_t i = 0; i < entities && is_valid; ++i) {
    is_valid = read_entity(in, world);
  }
  if (!is_valid || in.failed() || in.remaining() > 0) {
    return std::unexpected{KeyframeError::Malformed};
  }
  if (sim::find_crowded_body(world.physics(), {.pairs = kPairsMax})) {
    return std::unexpected{KeyframeError::Crowded};
  }
  return keyframe;
}

std::expected<World, KeyframeError> restore(ConstBytes bytes, const World& like) {
  auto keyframe = decode_keyframe(bytes, like);
  if (!keyframe) return std::unexpected{keyframe.error()};
  if (state_hash(keyframe->world) != keyframe->state_hash) {
    return std::unexpected{KeyframeError::WrongState};
  }
  return std::move(keyframe->world);
}

}  // namespace tickbox::engine
