#include "net/audit_codec.h"

#include "core/assert.h"
#include "net/entity_codec.h"
#include "net/handshake.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>
#include <utility>

namespace tickbox::net {
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

constexpr int kAimBits = 10;
static_assert(game::kAimDirections == 1U << kAimBits);
static_assert(game::kButtonsKnown < 1U << (16 - kAimBits));

constexpr std::size_t kEntityBytes = 22;
/// A generation of 18 bits with one more, and a score of 32.
constexpr std::size_t kSeatBytesMax = 3 + 5;
static_assert(game::kGenerations <= 1U << 20);
static_assert(kAuditEntryBytesMax >= 4 + 8 + 8 + 3 + 3 + kSeatBytesMax * game::kSeatsMax +
                                         kEntityBytes * kAuditEntitiesMax);

constexpr int kNumberBits = 7;
constexpr std::uint32_t kMore = 1U << kNumberBits;

std::size_t bytes_of(std::uint32_t number) {
  std::size_t bytes = 1;
  for (; number >= kMore; number >>= kNumberBits) {
    ++bytes;
  }
  return bytes;
}

class Writer {
 public:
  explicit Writer(std::vector<std::byte>& out) : out_(out) {}

  template <std::unsigned_integral T>
  void fixed(T value) {
    std::array<std::byte, sizeof(T)> bytes{};
    store_le(bytes, value);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }

  void fixed(std::int32_t value) { fixed(static_cast<std::uint32_t>(value)); }

  void number(std::uint32_t value) {
    for (; value >= kMore; value >>= kNumberBits) {
      out_.push_back(static_cast<std::byte>(value | kMore));
    }
    out_.push_back(static_cast<std::byte>(value));
  }

 private:
  std::vector<std::byte>& out_;
};

/// Takes fields from the front; once one was wrong or the bytes have ended, zeros and a note of it.
class Reader {
 public:
  explicit Reader(ConstBytes bytes) : rest_(bytes) {}

  template <std::unsigned_integral T>
  T fixed() {
    if (rest_.size() < sizeof(T)) return fail();
    const T value = load_le<T>(rest_);
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }

  std::int32_t coordinate() { return static_cast<std::int32_t>(fixed<std::uint32_t>()); }

  std::uint32_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 5 * kNumberBits; shift += kNumberBits) {
      const auto byte = std::uint64_t{fixed<std::uint8_t>()};
      value |= (byte & (kMore - 1)) << shift;
      if ((byte & kMore) != 0) continue;
      const bool shortest = byte != 0 || shift == 0;
      const bool fits = value <= std::numeric_limits<std::uint32_t>::max();
      return shortest && fits ? static_cast<std::uint32_t>(value) : fail();
    }
    return fail();
  }

  /// Of things of which each takes `bytes_each` at least: so that nothing is made room for that
  /// cannot come.
  std::uint32_t count(std::size_t most, std::size_t bytes_each) {
    const std::uint32_t count = number();
    return count <= most && count * bytes_each <= rest_.size() ? count : fail();
  }

  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  [[nodiscard]] bool failed() const { return failed_; }

  std::uint8_t fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }

 private:
  ConstBytes rest_;
  bool failed_ = false;
};

/// Seats that rise, as gaps.
class Gaps {
 public:
  std::uint32_t gap(PlayerId player) {
    TICKBOX_ASSERT(player.value >= next_);
    return player.value - std::exchange(next_, std::uint32_t{player.value} + 1);
  }

  PlayerId player(Reader& in) {
    const std::uint64_t seat = std::uint64_t{next_} + in.number();
    if (seat >= game::kSeatsMax) return {in.fail()};
    next_ = static_cast<std::uint32_t>(seat) + 1;
    return {static_cast<std::uint16_t>(seat)};
  }

 private:
  std::uint32_t next_ = 0;
};

void write_seats(Writer& out, const std::vector<PlayerId>& players) {
  Gaps gaps;
  out.number(static_cast<std::uint32_t>(players.size()));
  for (const PlayerId player : players) {
    out.number(gaps.gap(player));
  }
}

void read_seats(Reader& in, std::vector<PlayerId>& players) {
  Gaps gaps;
  const std::uint32_t count = in.count(game::kSeatsMax, 1);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    players.push_back(gaps.player(in));
  }
}

void write_input(Writer& out, Gaps& gaps, const AuditInput& input) {
  const bool presses = input.buttons != 0;
  TICKBOX_ASSERT(input.move || presses);
  TICKBOX_ASSERT(presses || (input.aim == 0 && !input.strikes));
  out.number(gaps.gap(input.player));
  out.fixed(static_cast<std::uint8_t>(input.move.value_or(kStickStays) |
                                      (presses ? kPresses : std::uint8_t{0}) |
                                      (input.strikes ? kStrikes : std::uint8_t{0})));
  if (presses) out.fixed(static_cast<std::uint16_t>(input.buttons << kAimBits | input.aim));
  if (input.strikes) out.fixed(input.strikes->value);
}

AuditInput read_input(Reader& in, Gaps& gaps) {
  AuditInput input{.player = gaps.player(in), .move = {}};
  const auto what = in.fixed<std::uint8_t>();
  const std::uint8_t stick = what & kStickMask;
  if (stick != kStickStays) input.move = stick;
  if (input.move > game::kMoveDirections || (what & ~kWhatKnown) != 0 || what == kStickStays) {
    in.fail();
  }
  if ((what & kPresses) != 0) {
    const auto both = in.fixed<std::uint16_t>();
    input.buttons = static_cast<std::uint8_t>(both >> kAimBits);
    input.aim = both & (game::kAimDirections - 1);
    if (input.buttons == 0 || (input.buttons & ~game::kButtonsKnown) != 0) in.fail();
  }
  if ((what & kStrikes) != 0) {
    input.strikes = BodyId{in.fixed<std::uint32_t>()};
    if (input.buttons == 0 || !game::has_kind(*input.strikes, game::EntityKind::Player)) in.fail();
  }
  return input;
}

game::EntityState read_entity(Reader& in) {
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

void write_entity(Writer& out, const game::EntityState& entity) {
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
  Writer{out}.number(length);
  std::ranges::rotate(out.begin() + static_cast<std::ptrdiff_t>(start),
                      out.end() - static_cast<std::ptrdiff_t>(bytes_of(length)), out.end());
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
  Writer writer{out};
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
  Writer writer{out};
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

std::expected<std::optional<ConstBytes>, DropReason> take_entry(ConstBytes& stream) {
  constexpr std::size_t kLengthBytesMax = 3;
  static_assert(kAuditEntryBytesMax < 1U << (kNumberBits * kLengthBytesMax));
  const ConstBytes front = stream.first(std::min(stream.size(), kLengthBytesMax));
  const bool ends = std::ranges::any_of(
      front, [](std::byte byte) { return std::to_integer<std::uint32_t>(byte) < kMore; });
  if (!ends && front.size() < kLengthBytesMax) return std::nullopt;
  Reader reader{front};
  const std::uint32_t length = reader.number();
  if (reader.failed() || length == 0 || length > kAuditEntryBytesMax) {
    return std::unexpected{DropReason::Malformed};
  }
  const std::size_t whole = bytes_of(length) + length;
  if (stream.size() < whole) return std::nullopt;
  const ConstBytes entry = stream.subspan(bytes_of(length), length);
  stream = stream.subspan(whole);
  return entry;
}

std::expected<AuditKeyframe, DropReason> decode_keyframe(ConstBytes entry) {
  Reader reader{entry};
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
  if (reader.failed() || reader.left() > 0 || !ascending || keyframe.tick.value > kTickMax) {
    return std::unexpected{DropReason::Malformed};
  }
  return keyframe;
}

std::expected<void, DropReason> decode_tick(ConstBytes entry, AuditTick& tick) {
  tick.clear();
  Reader reader{entry};
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
  if (reader.failed()) return std::unexpected{DropReason::Malformed};
  return {};
}

}  // namespace tickbox::net
