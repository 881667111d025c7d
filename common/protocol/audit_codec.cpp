#include "protocol/audit_codec.h"

#include "core/assert.h"
#include "game/entity_codec.h"
#include "net/handshake.h"
#include "protocol/numbers.h"

#include <algorithm>
#include <utility>

namespace tickbox::protocol {
namespace {

constexpr std::uint8_t kHasLeaves = 1;
constexpr std::uint8_t kHasJoins = 2;
constexpr std::uint8_t kListsKnown = kHasLeaves | kHasJoins;

constexpr std::uint8_t kStickMask = 0x0f;
constexpr std::uint8_t kStickStays = 15;
constexpr std::uint8_t kPresses = 0x10;
constexpr std::uint8_t kStrikes = 0x20;
constexpr std::uint8_t kWhatKnown = kStickMask | kPresses | kStrikes;
static_assert(game::kMoveDirections < kStickStays);

static_assert(game::kButtonsKnown < 1U << (16 - game::kAimBits));

constexpr std::size_t kEntityBytes = 22;
/// A generation of 18 bits with one more, and a score of 32.
constexpr std::size_t kSeatBytesMax = 3 + 5;
static_assert(game::kGenerations <= 1U << 20);
static_assert(kAuditEntryBytesMax >= 4 + 8 + 8 + 3 + 3 + kSeatBytesMax * game::kSeatsMax +
                                         kEntityBytes * kAuditEntitiesMax);

/// Seats that rise, as gaps.
class Gaps {
 public:
  std::uint32_t gap(PlayerId player) {
    TICKBOX_ASSERT(player.value >= next_);
    return player.value - std::exchange(next_, std::uint32_t{player.value} + 1);
  }

  PlayerId player(NumberReader& in) {
    const std::uint64_t seat = std::uint64_t{next_} + in.number();
    if (seat >= game::kSeatsMax) return {in.fail()};
    next_ = static_cast<std::uint32_t>(seat) + 1;
    return {static_cast<std::uint16_t>(seat)};
  }

 private:
  std::uint32_t next_ = 0;
};

void write_seats(NumberWriter& out, const std::vector<PlayerId>& players) {
  Gaps gaps;
  out.number(static_cast<std::uint32_t>(players.size()));
  for (const PlayerId player : players) {
    out.number(gaps.gap(player));
  }
}

void read_seats(NumberReader& in, std::vector<PlayerId>& players) {
  Gaps gaps;
  const std::uint32_t count = in.count(game::kSeatsMax, 1);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    players.push_back(gaps.player(in));
  }
}

void write_input(NumberWriter& out, Gaps& gaps, const AuditInput& input) {
  const bool presses = input.buttons != 0;
  TICKBOX_ASSERT(input.move || presses);
  TICKBOX_ASSERT(presses || (input.aim == 0 && !input.strikes));
  out.number(gaps.gap(input.player));
  out.fixed(static_cast<std::uint8_t>(input.move.value_or(kStickStays) |
                                      (presses ? kPresses : std::uint8_t{0}) |
                                      (input.strikes ? kStrikes : std::uint8_t{0})));
  if (presses) out.fixed(static_cast<std::uint16_t>(input.buttons << game::kAimBits | input.aim));
  if (input.strikes) out.fixed(input.strikes->value);
}

AuditInput read_input(NumberReader& in, Gaps& gaps) {
  AuditInput input{.player = gaps.player(in), .move = {}};
  const auto what = in.fixed<std::uint8_t>();
  const std::uint8_t stick = what & kStickMask;
  if (stick != kStickStays) input.move = stick;
  if (input.move > game::kMoveDirections || (what & ~kWhatKnown) != 0 || what == kStickStays) {
    in.fail();
  }
  if ((what & kPresses) != 0) {
    const auto both = in.fixed<std::uint16_t>();
    input.buttons = static_cast<std::uint8_t>(both >> game::kAimBits);
    input.aim = both & (game::kAimDirections - 1);
    if (input.buttons == 0 || (input.buttons & ~game::kButtonsKnown) != 0) in.fail();
  }
  if ((what & kStrikes) != 0) {
    input.strikes = BodyId{in.fixed<std::uint32_t>()};
    if (input.buttons == 0 || !game::has_kind(*input.strikes, game::EntityKind::Player)) in.fail();
  }
  return input;
}

game::EntityState read_entity(NumberReader& in) {
  const BodyId id{in.fixed<std::uint32_t>()};
  game::EntityState entity{.id = id, .min = {}, .velocity = {}, .traits = {}};
  if (!game::is_entity(id)) in.fail();
  entity.traits.kind = game::is_entity(id) ? static_cast<game::EntityKind>(id.value >> 30)
                                           : game::EntityKind::Player;
  entity.min.x = in.coordinate();
  entity.min.y = in.coordinate();
  entity.velocity.x = in.coordinate();
  entity.velocity.y = in.coordinate();
  entity.traits.move = in.fixed<std::uint8_t>();
  entity.traits.timer = in.fixed<std::uint8_t>();
  if (!is_possible(entity)) in.fail();
  return entity;
}

void write_entity(NumberWriter& out, const game::EntityState& entity) {
  out.fixed(entity.id.value);
  out.fixed(entity.min.x);
  out.fixed(entity.min.y);
  out.fixed(entity.velocity.x);
  out.fixed(entity.velocity.y);
  out.fixed(entity.traits.move);
  out.fixed(entity.traits.timer);
}

/// Puts the length in front of what was written since `start`.
void close_entry(std::vector<std::byte>& out, std::size_t start) {
  const auto length = static_cast<std::uint32_t>(out.size() - start);
  TICKBOX_ASSERT(length <= kAuditEntryBytesMax);
  NumberWriter{out}.number(length);
  std::ranges::rotate(out.begin() + static_cast<std::ptrdiff_t>(start),
                      out.end() - static_cast<std::ptrdiff_t>(number_bytes(length)), out.end());
}

}  // namespace

void AuditTick::clear() {
  state_hash = 0;
  leaves.clear();
  joins.clear();
  inputs.clear();
}

std::optional<AuditInput> news_of(const game::PlayerInput& input, std::uint8_t held) {
  const game::Input wanted = game::clamped(input.input);
  if (wanted.move == held && wanted.buttons == 0) return std::nullopt;
  return AuditInput{.player = input.player,
                    .move = wanted.move != held ? std::optional{wanted.move} : std::nullopt,
                    .buttons = wanted.buttons,
                    .aim = wanted.buttons != 0 ? wanted.aim : std::uint16_t{0}};
}

void encode_keyframe(const AuditKeyframe& keyframe, std::vector<std::byte>& out) {
  TICKBOX_ASSERT(keyframe.seats.size() <= game::kSeatsMax);
  TICKBOX_ASSERT(keyframe.entities.size() <= kAuditEntitiesMax);
  const std::size_t start = out.size();
  NumberWriter writer{out};
  writer.fixed(keyframe.tick.value);
  writer.fixed(keyframe.state_hash);
  writer.fixed(keyframe.random);
  writer.number(static_cast<std::uint32_t>(keyframe.seats.size()));
  for (const game::Seat& seat : keyframe.seats) {
    writer.number(seat.generation << 1 | (seat.taken ? 1U : 0U));
    writer.number(seat.score);
  }
  writer.number(static_cast<std::uint32_t>(keyframe.entities.size()));
  for (const game::EntityState& entity : keyframe.entities) {
    write_entity(writer, entity);
  }
  close_entry(out, start);
}

void encode_tick(const AuditTick& tick, std::vector<std::byte>& out) {
  const std::size_t start = out.size();
  NumberWriter writer{out};
  writer.fixed(tick.state_hash);
  if (!tick.leaves.empty() || !tick.joins.empty() || !tick.inputs.empty()) {
    writer.fixed(static_cast<std::uint8_t>((tick.leaves.empty() ? 0U : kHasLeaves) |
                                           (tick.joins.empty() ? 0U : kHasJoins)));
    if (!tick.leaves.empty()) write_seats(writer, tick.leaves);
    if (!tick.joins.empty()) write_seats(writer, tick.joins);
    Gaps gaps;
    for (const AuditInput& input : tick.inputs) {
      write_input(writer, gaps, input);
    }
  }
  close_entry(out, start);
}

std::expected<std::optional<ConstBytes>, net::DropReason> take_entry(ConstBytes& stream) {
  constexpr std::size_t kLengthBytesMax = 3;
  static_assert(kAuditEntryBytesMax < 1U << (kNumberBits * kLengthBytesMax));
  const ConstBytes front = stream.first(std::min(stream.size(), kLengthBytesMax));
  const bool ends = std::ranges::any_of(
      front, [](std::byte byte) { return std::to_integer<std::uint32_t>(byte) < kMoreFollow; });
  if (!ends && front.size() < kLengthBytesMax) return std::nullopt;
  NumberReader reader{front};
  const std::uint32_t length = reader.number();
  if (reader.failed() || length == 0 || length > kAuditEntryBytesMax) {
    return std::unexpected{net::DropReason::Malformed};
  }
  const std::size_t whole = number_bytes(length) + length;
  if (stream.size() < whole) return std::nullopt;
  const ConstBytes entry = stream.subspan(number_bytes(length), length);
  stream = stream.subspan(whole);
  return entry;
}

std::expected<AuditKeyframe, net::DropReason> decode_keyframe(ConstBytes entry) {
  NumberReader reader{entry};
  AuditKeyframe keyframe;
  keyframe.tick = {reader.fixed<std::uint32_t>()};
  keyframe.state_hash = reader.fixed<std::uint64_t>();
  keyframe.random = reader.fixed<std::uint64_t>();
  const std::uint32_t seats = reader.count(game::kSeatsMax, 2);
  for (std::uint32_t i = 0; i < seats && !reader.failed(); ++i) {
    const std::uint32_t both = reader.number();
    keyframe.seats.push_back(
        {.generation = both >> 1, .score = reader.number(), .taken = (both & 1) != 0});
    if (keyframe.seats.back().generation >= game::kGenerations) reader.fail();
  }
  const std::uint32_t entities = reader.count(kAuditEntitiesMax, kEntityBytes);
  for (std::uint32_t i = 0; i < entities && !reader.failed(); ++i) {
    keyframe.entities.push_back(read_entity(reader));
  }
  const bool ascending =
      std::ranges::adjacent_find(keyframe.entities, std::ranges::greater_equal{},
                                 &game::EntityState::id) == keyframe.entities.end();
  if (reader.failed() || reader.left() > 0 || !ascending || keyframe.tick.value > net::kTickMax) {
    return std::unexpected{net::DropReason::Malformed};
  }
  return keyframe;
}

std::expected<void, net::DropReason> decode_tick(ConstBytes entry, AuditTick& tick) {
  tick.clear();
  NumberReader reader{entry};
  tick.state_hash = reader.fixed<std::uint64_t>();
  if (reader.left() > 0) {
    const auto lists = reader.fixed<std::uint8_t>();
    if ((lists & ~kListsKnown) != 0 || (lists == 0 && reader.left() == 0)) reader.fail();
    if ((lists & kHasLeaves) != 0) read_seats(reader, tick.leaves);
    if ((lists & kHasJoins) != 0) read_seats(reader, tick.joins);
    for (Gaps gaps; reader.left() > 0;) {
      tick.inputs.push_back(read_input(reader, gaps));
    }
  }
  if (reader.failed()) return std::unexpected{net::DropReason::Malformed};
  return {};
}

}  // namespace tickbox::protocol
