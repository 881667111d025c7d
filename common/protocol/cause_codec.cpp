#include "protocol/cause_codec.h"

#include "core/assert.h"
#include "game/input.h"

#include <algorithm>

namespace tickbox::protocol {
namespace {

static_assert(kAgoRay == (1U << (16 - game::kAimBits)) - 1);

void put(CauseBytes& out, std::size_t& at, std::uint8_t byte) {
  out[at++] = std::byte{byte};
}

void put_u16(CauseBytes& out, std::size_t& at, std::uint16_t number) {
  put(out, at, static_cast<std::uint8_t>(number & 0xff));
  put(out, at, static_cast<std::uint8_t>(number >> 8));
}

/// A reader that takes bytes from the front. After the end it returns zeros, and ended() is true.
class Reader {
 public:
  explicit Reader(ConstBytes bytes) : rest_(bytes) {}

  std::uint8_t byte() {
    if (rest_.empty()) {
      ended_ = true;
      return 0;
    }
    const auto value = std::to_integer<std::uint8_t>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }

  std::uint16_t u16() {
    const std::uint8_t low = byte();
    return static_cast<std::uint16_t>(low | byte() << 8);
  }

  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  [[nodiscard]] bool ended() const { return ended_; }

 private:
  ConstBytes rest_;
  bool ended_ = false;
};

InputCause read_input(Reader& reader) {
  InputCause cause;
  cause.base_index = reader.byte();
  const std::uint8_t both = reader.byte();
  cause.move = both & 0x0f;
  cause.ago = both >> 4;
  if (cause.ago == kAgoEscape) {
    const std::uint8_t more = reader.byte();
    cause.ago = static_cast<std::uint8_t>(kAgoEscape + std::min<int>(more, 0xff - kAgoEscape));
  }
  return cause;
}

ShotCause read_shot(Reader& reader) {
  ShotCause cause;
  cause.base_index = reader.byte();
  const std::uint16_t both = reader.u16();
  cause.ago = static_cast<std::uint8_t>(both >> game::kAimBits);
  cause.aim = both & ((1U << game::kAimBits) - 1);
  if (cause.ago == kAgoRay) {
    cause.weapon = game::Weapon::Ray;
    cause.ago = reader.byte();
  }
  return cause;
}

TeleportCause read_teleport(Reader& reader) {
  TeleportCause cause;
  cause.base_index = reader.byte();
  cause.ago = reader.byte();
  cause.place = reader.u16();
  return cause;
}

/// Returns whether causes are sorted by tick, the oldest first, then by base index; with no
/// duplicates, and none before the base.
template <class List>
bool in_order(const List& causes, std::uint8_t base_age) {
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (causes[i].ago >= base_age) return false;
    if (i == 0) continue;
    const auto& before = causes[i - 1];
    const bool later = before.ago > causes[i].ago ||
                       (before.ago == causes[i].ago && before.base_index < causes[i].base_index);
    if (!later) return false;
  }
  return true;
}

}  // namespace

std::size_t encoded_bytes(const Causes& causes) {
  if (causes.empty()) return 0;
  std::size_t bytes =
      kCauseCountsBytes + causes.teleports.size() * kTeleportCauseBytes + causes.exits.size();
  for (const InputCause& cause : causes.inputs) {
    bytes += input_cause_bytes(cause.ago);
  }
  for (const ShotCause& cause : causes.shots) {
    bytes += shot_cause_bytes(cause.weapon);
  }
  return bytes;
}

ConstBytes encode_causes(const Causes& causes, CauseBytes& out) {
  if (causes.empty()) return {};
  std::size_t at = 0;
  put(out, at, static_cast<std::uint8_t>(causes.inputs.size()));
  put(out, at, static_cast<std::uint8_t>(causes.shots.size()));
  put(out, at, static_cast<std::uint8_t>(causes.teleports.size()));
  for (const InputCause& cause : causes.inputs) {
    const std::uint8_t ago = std::min(cause.ago, kAgoEscape);
    put(out, at, cause.base_index);
    put(out, at, static_cast<std::uint8_t>(ago << 4 | cause.move));
    if (ago == kAgoEscape) put(out, at, static_cast<std::uint8_t>(cause.ago - kAgoEscape));
  }
  for (const ShotCause& cause : causes.shots) {
    const bool is_ray = cause.weapon == game::Weapon::Ray;
    const std::uint8_t ago = is_ray ? kAgoRay : cause.ago;
    put(out, at, cause.base_index);
    put_u16(out, at, static_cast<std::uint16_t>(ago << game::kAimBits | cause.aim));
    if (is_ray) put(out, at, cause.ago);
  }
  for (const TeleportCause& cause : causes.teleports) {
    put(out, at, cause.base_index);
    put(out, at, cause.ago);
    put_u16(out, at, cause.place);
  }
  for (const std::uint8_t base_index : causes.exits) {
    put(out, at, base_index);
  }
  TICKBOX_ASSERT(at == encoded_bytes(causes));
  return ConstBytes{out}.first(at);
}

std::expected<Causes, net::DropReason> decode_causes(ConstBytes bytes, std::uint8_t base_age) {
  Causes causes;
  if (bytes.empty()) return causes;
  Reader reader{bytes};
  const std::uint8_t inputs = reader.byte();
  const std::uint8_t shots = reader.byte();
  const std::uint8_t teleports = reader.byte();
  bool possible = true;
  for (int i = 0; i < inputs && !reader.ended(); ++i) {
    const InputCause cause = read_input(reader);
    possible = possible && cause.move <= game::kMoveDirections;
    causes.inputs.push_back(cause);
  }
  for (int i = 0; i < shots && !reader.ended(); ++i)
    causes.shots.push_back(read_shot(reader));
  for (int i = 0; i < teleports && !reader.ended(); ++i)
    causes.teleports.push_back(read_teleport(reader));
  if (reader.ended() || reader.left() > kViewMembersMax)
    return std::unexpected{net::DropReason::Malformed};
  while (reader.left() > 0)
    causes.exits.push_back(reader.byte());
  const bool exits_ascend =
      std::ranges::adjacent_find(causes.exits, std::ranges::greater_equal{}) == causes.exits.end();
  possible = possible && exits_ascend && !causes.empty() && in_order(causes.inputs, base_age) &&
             in_order(causes.shots, base_age) && in_order(causes.teleports, base_age);
  if (!possible) return std::unexpected{net::DropReason::Malformed};
  return causes;
}

}  // namespace tickbox::protocol
