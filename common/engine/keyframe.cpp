#include "engine/keyframe.h"

#include "core/assert.h"
#include "engine/bits.h"
#include "engine/declared.h"
#include "engine/row_codec.h"
#include "sim/crowding.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

namespace tickbox::engine {
namespace {

constexpr auto kSeatCountBits = static_cast<unsigned>(std::bit_width(kSeatsMax));

/// The bits from the tick to the lineage, and of the number of seats.
constexpr std::size_t kHeadBits = 32 + 64 + 64 + 64 + kLineageBits + kSeatCountBits;

/// The bits of a taken seat without its two values.
constexpr std::size_t kSeatBitsMax = 1 + kGenerationBits + 1 + kSourceBits + 1 + 64 + 2 * 32;

void write_coordinate(std::int32_t coordinate, BitWriter& out) {
  out.write(static_cast<std::uint32_t>(coordinate), 32);
}

std::int32_t read_coordinate(BitReader& in) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(in.read(32)));
}

void write_seat(const World& world, Player player, InputSource source, BitWriter& out) {
  const SeatInfo& seat = world.seats()[player.seat];
  out.write(seat.generation != 0 ? 1 : 0, 1);
  if (seat.generation != 0) out.write(seat.generation, kGenerationBits);
  out.write(seat.taken ? 1 : 0, 1);
  if (!seat.taken) return;
  out.write(std::to_underlying(source), kSourceBits);
  out.write(seat.has_chosen_focus ? 1 : 0, 1);
  out.write(seat.focus.id, 64);
  write_coordinate(seat.focus_place.x, out);
  write_coordinate(seat.focus_place.y, out);
  pack_sparse(world.game().seat, world.seat_state(player), out);
  pack_sparse(world.game().input, world.input(player), out);
}

/// Reads a seat. Fails: false.
bool read_seat(BitReader& in, Player player, Keyframe& keyframe) {
  World& world = keyframe.world;
  SeatInfo& seat = world.seats()[player.seat];
  const bool was_used = in.read(1) != 0;
  if (was_used) seat.generation = static_cast<std::uint32_t>(in.read(kGenerationBits));
  if (was_used != (seat.generation != 0)) return false;
  seat.taken = in.read(1) != 0;
  keyframe.sources.push_back(InputSource::Neutral);
  if (!seat.taken) return true;
  const std::uint64_t source = in.read(kSourceBits);
  if (source >= kInputSources) return false;
  keyframe.sources.back() = static_cast<InputSource>(source);
  seat.has_chosen_focus = in.read(1) != 0;
  world.set_focus(player, {in.read(64)});
  seat.focus_place.x = read_coordinate(in);
  seat.focus_place.y = read_coordinate(in);
  return unpack_sparse(world.game().seat, in, world.seat_state(player)) &&
         unpack_sparse(world.game().input, in, world.input(player)) &&
         !has_press_down(world.game().input, world.input(player));
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
bool read_entity(BitReader& in, World& world) {
  // It is written if there is a row.
  RowState state;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  Motion motion{};
  const auto row = read_whole_row(world.game(), world.tick, in, state, motion);
  const bool is_in_order = row && (world.size() == 0 || world.ids().back() < row->head.id);
  return is_in_order && world.size() < kEntitiesMax && is_valid_id(world, row->head.id) &&
         world.add_all({&*row, 1}) &&
         motion_of(world.kind_of(world.size() - 1), row->state) == motion;
}

}  // namespace

std::size_t keyframe_bytes_of(const World& world) {
  constexpr std::size_t kMorePerSeat = 3;
  const GameTable& game = world.game();
  const std::size_t seats = world.seats().size();
  const std::size_t seat = kSeatBitsMax + sparse_bits_max(game.seat) + sparse_bits_max(game.input);
  std::size_t state = 0;
  for (const KindTable& kind : game.kinds) {
    state = std::max(state, sparse_bits_max(kind.type));
  }
  const std::size_t entity = 1 + kWholeRowBitsMax + state + 7;
  const std::size_t bits = kHeadBits + sparse_bits_max(game.room) + sparse_bits_max(game.secret) +
                           seats * seat + (world.size() + kMorePerSeat * seats) * entity + 7 + 1;
  return (bits + 7) / 8;
}

void encode_keyframe(const World& world, std::vector<std::byte>& out) {
  const std::vector<InputSource> sources(world.seats().size(), InputSource::Neutral);
  encode_keyframe(world, state_hash(world), sources, out);
}

void encode_keyframe(const World& world, std::uint64_t state_hash,
                     std::span<const InputSource> sources, std::vector<std::byte>& out) {
  TICKBOX_ASSERT(world.size() <= kEntitiesMax && sources.size() == world.seats().size());
  out.clear();
  BitWriter writer{out};
  writer.write(world.tick.value, 32);
  writer.write(state_hash, 64);
  writer.write(world.random.state(), 64);
  writer.write(world.shared_seed, 64);
  writer.write(world.next_lineage, kLineageBits);
  pack_sparse(world.game().room, world.room(), writer);
  pack_sparse(world.game().secret, world.secret(), writer);
  const auto seats = static_cast<std::uint16_t>(sources.size());
  writer.write(seats, kSeatCountBits);
  for (std::uint16_t seat = 0; seat < seats; ++seat) {
    write_seat(world, {seat}, sources[seat], writer);
  }
  // Alike rows are alike bytes: so a file compresses.
  writer.fill_byte();
  for (std::size_t row = 0; row < world.size(); ++row) {
    writer.write(1, 1);
    write_whole_row(world.game(), row_of(world, row), world.tick, writer);
    writer.fill_byte();
  }
  writer.write(0, 1);
}

std::expected<Keyframe, KeyframeError> decode_keyframe(ConstBytes bytes, const World& like) {
  BitReader in{bytes};
  Keyframe keyframe{.world = {like.game(), like.map(), like.tick_rate(), 0, like.state_order()},
                    .sources = {}};
  World& world = keyframe.world;
  world.tick = {static_cast<std::uint32_t>(in.read(32))};
  keyframe.state_hash = in.read(64);
  world.random = Rng{in.read(64)};
  world.shared_seed = in.read(64);
  world.next_lineage = static_cast<std::uint32_t>(in.read(kLineageBits));
  bool is_valid = world.next_lineage >= kSeatsMax &&
                  unpack_sparse(world.game().room, in, world.room()) &&
                  unpack_sparse(world.game().secret, in, world.secret()) &&
                  in.read(kSeatCountBits) == world.seats().size();
  for (std::uint16_t seat = 0; seat < world.seats().size() && is_valid; ++seat) {
    is_valid = read_seat(in, {seat}, keyframe);
  }
  is_valid = is_valid && in.skip_to_byte();
  while (is_valid && in.read(1) != 0) {
    is_valid = read_entity(in, world) && in.skip_to_byte();
  }
  if (!is_valid || !in.is_at_end()) return std::unexpected{KeyframeError::Malformed};
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
