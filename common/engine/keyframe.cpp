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
constexpr unsigned kTraitsKnown = 31;
constexpr unsigned kParentMost = 2;

/// The bytes of an entity without the parts that only some have.
constexpr std::size_t kEntityBytesMin = 8 + 1 + 1 + 2 + 4 * 4;

void write_packed(const TypeInfo& type, ConstBytes bytes, std::vector<std::byte>& out) {
  BitWriter writer{out};
  pack(type, bytes, writer);
}

bool read_packed(const TypeInfo& type, NumberReader& in, MutableBytes bytes) {
  BitReader reader{in.bytes((type.bits + 7U) / 8)};
  return unpack(type, reader, bytes) && reader.is_at_end();
}

void write_entity(const World& world, std::size_t row, std::vector<std::byte>& out) {
  NumberWriter writer{out};
  const sim::Body& body = world.physics().movers()[row];
  const RowInfo& info = world.infos()[row];
  const bool is_kinematic = body.kind == sim::Kind::Kinematic;
  const bool is_carried = !is_kinematic && body.carrier != sim::kNoBody;
  writer.fixed(body.id.value);
  writer.number(info.kind);
  writer.fixed(static_cast<std::uint8_t>(
      static_cast<unsigned>(info.parent) | (info.is_new ? kIsNew : 0U) |
      (is_kinematic ? kIsKinematic : 0U) | (is_carried ? kIsCarried : 0U)));
  writer.fixed(info.owner.seat);
  for (const std::int32_t number : {body.min.x, body.min.y, body.velocity.x, body.velocity.y}) {
    writer.fixed(number);
  }
  if (info.parent != Parent::Collides) writer.fixed(body.ignores.value);
  if (is_kinematic) {
    writer.fixed(body.path);
    writer.fixed(body.path_ticks);
  }
  if (is_carried) writer.fixed(body.carrier.value);
  write_packed(world.kind_of(row).type, world.state(row), out);
}

/// Whether a body with this id, owned by this player, can be in this world. An id of a later tick
/// would be spawned once more.
bool is_valid_id(const World& world, BodyId id, const RowInfo& info) {
  if (!is_entity(id)) return false;
  if (class_of(id) != IdClass::Avatar) return spawn_tick_of(id) <= world.tick;
  const std::uint32_t seat = lineage_of(id);
  return info.owner.seat == seat && world.has({static_cast<std::uint16_t>(seat)}) &&
         world.seats()[seat].generation == generation_of(id);
}

/// Reads an entity and adds it to the world. Fails: false.
bool read_entity(NumberReader& in, World& world) {
  NewRow row{.id = {in.fixed<std::uint64_t>()}, .info = {}, .min = {}, .velocity = {}};
  const std::uint32_t kind = in.number();
  const unsigned traits = in.fixed<std::uint8_t>();
  if (kind >= world.game().kinds.size() || (traits & ~kTraitsKnown) != 0 ||
      (traits & kParentMask) > kParentMost) {
    return false;
  }
  row.info.kind = static_cast<std::uint8_t>(kind);
  row.info.parent = static_cast<Parent>(traits & kParentMask);
  row.info.is_new = (traits & kIsNew) != 0;
  row.info.owner = {in.fixed<std::uint16_t>()};
  row.min = {in.coordinate(), in.coordinate()};
  row.velocity = {in.coordinate(), in.coordinate()};
  if (row.info.parent != Parent::Collides) row.ignores = {in.fixed<std::uint64_t>()};
  const bool is_carried = (traits & kIsCarried) != 0;
  const bool is_kinematic = (traits & kIsKinematic) != 0;
  std::uint32_t path_ticks = 0;
  if (is_kinematic) {
    row.path = in.fixed<std::uint16_t>();
    path_ticks = in.fixed<std::uint32_t>();
  }
  BodyId carrier = sim::kNoBody;
  if (is_carried) carrier = {in.fixed<std::uint64_t>()};
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> state{};
  const TypeInfo& type = world.game().kinds[kind].type;
  const MutableBytes bytes = MutableBytes{state}.first(type.bytes);
  if (!read_packed(type, in, bytes) || in.failed()) return false;
  const bool is_in_order = world.size() == 0 || world.id(world.size() - 1) < row.id;
  if (!is_in_order || !is_valid_id(world, row.id, row.info) || !world.can_add(row, bytes) ||
      (is_carried && (is_kinematic || carrier == sim::kNoBody))) {
    return false;
  }
  world.add(row, bytes);
  sim::Body& body = world.physics().movers()[world.size() - 1];
  body.path_ticks = path_ticks;
  body.carrier = carrier;
  return (body.kind == sim::Kind::Kinematic) == is_kinematic;
}

bool read_seat(NumberReader& in, Player player, World& world) {
  const std::uint32_t first = in.number();
  SeatInfo& seat = world.seats()[player.seat];
  seat = {
      .generation = first >> 2U, .taken = (first & 1U) != 0, .has_chosen_focus = (first & 2U) != 0};
  if (seat.generation >= kGenerations) return false;
  if (!seat.taken) return !seat.has_chosen_focus;
  seat.focus = {in.fixed<std::uint64_t>()};
  seat.focus_place.x = in.coordinate();
  seat.focus_place.y = in.coordinate();
  return read_packed(world.game().seat, in, world.seat_state(player)) &&
         read_packed(world.game().input, in, world.input(player)) &&
         !has_press_down(world.game().input, world.input(player));
}

}  // namespace

void encode_keyframe(const World& world, std::vector<std::byte>& out) {
  TICKBOX_ASSERT(world.size() <= kEntitiesMax);
  out.clear();
  NumberWriter writer{out};
  writer.fixed(world.tick.value);
  writer.fixed(state_hash(world));
  writer.fixed(world.random.state());
  writer.fixed(world.shared_seed);
  writer.number(world.next_lineage);
  write_packed(world.game().room, world.room(), out);
  write_packed(world.game().secret, world.secret(), out);
  writer.number(static_cast<std::uint32_t>(world.seats().size()));
  for (std::uint16_t i = 0; i < world.seats().size(); ++i) {
    const SeatInfo& seat = world.seats()[i];
    writer.number(seat.generation << 2U | static_cast<std::uint32_t>(seat.has_chosen_focus) << 1U |
                  static_cast<std::uint32_t>(seat.taken));
    if (!seat.taken) continue;
    writer.fixed(seat.focus.id);
    writer.fixed(seat.focus_place.x);
    writer.fixed(seat.focus_place.y);
    write_packed(world.game().seat, world.seat_state({i}), out);
    write_packed(world.game().input, world.input({i}), out);
  }
  writer.number(static_cast<std::uint32_t>(world.size()));
  for (std::size_t row = 0; row < world.size(); ++row) {
    write_entity(world, row, out);
  }
}

std::expected<Keyframe, KeyframeError> decode_keyframe(ConstBytes bytes, const World& like) {
  NumberReader in{bytes};
  World world{like.game(), like.map(), like.tick_rate(), 0, like.state_order()};
  world.tick = {in.fixed<std::uint32_t>()};
  const auto hash = in.fixed<std::uint64_t>();
  world.random = Rng{in.fixed<std::uint64_t>()};
  world.shared_seed = in.fixed<std::uint64_t>();
  world.next_lineage = in.number(kLineages);
  bool is_valid = world.next_lineage >= kSeatsMax &&
                  read_packed(world.game().room, in, world.room()) &&
                  read_packed(world.game().secret, in, world.secret()) &&
                  in.number() == world.seats().size() && !in.failed();
  for (std::uint16_t seat = 0; seat < world.seats().size() && is_valid; ++seat) {
    is_valid = read_seat(in, {seat}, world);
  }
  const std::uint32_t entities = is_valid ? in.count(kEntitiesMax, kEntityBytesMin) : 0;
  for (std::uint32_t i = 0; i < entities && is_valid; ++i) {
    is_valid = read_entity(in, world);
  }
  if (!is_valid || in.failed() || in.left() > 0) {
    return std::unexpected{KeyframeError::Malformed};
  }
  const sim::CrowdingLimits limits{.overlaps_per_body = kOverlapsPerBodyMax, .pairs = kPairsMax};
  if (sim::find_crowded_body(world.physics(), limits)) {
    return std::unexpected{KeyframeError::Crowded};
  }
  return Keyframe{.world = std::move(world), .state_hash = hash};
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
