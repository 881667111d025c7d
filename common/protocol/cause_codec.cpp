#include "protocol/cause_codec.h"

#include "core/assert.h"
#include "core/numbers.h"
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

InputCause read_input(NumberReader& reader) {
  InputCause cause;
  cause.base_index = reader.fixed<std::uint8_t>();
  const std::uint8_t both = reader.fixed<std::uint8_t>();
  cause.move = both & 0x0f;
  cause.ago = both >> 4;
  if (cause.ago == kAgoEscape) {
    const std::uint8_t more = reader.fixed<std::uint8_t>();
    cause.ago = static_cast<std::uint8_t>(kAgoEscape + std::min<int>(more, 0xff - kAgoEscape));
  }
  return cause;
}

ShotCause read_shot(NumberReader& reader) {
  ShotCause cause;
  cause.base_index = reader.fixed<std::uint8_t>();
  const std::uint16_t both = reader.fixed<std::uint16_t>();
  cause.ago = static_cast<std::uint8_t>(both >> game::kAimBits);
  cause.aim = both & ((1U << game::kAimBits) - 1);
  if (cause.ago == kAgoRay) {
    cause.weapon = game::Weapon::Ray;
    cause.ago = reader.fixed<std::uint8_t>();
  }
  return cause;
}

TeleportCause read_teleport(NumberReader& reader) {
  TeleportCause cause;
  cause.base_index = reader.fixed<std::uint8_t>();
  cause.ago = reader.fixed<std::uint8_t>();
  cause.place = reader.fixed<std::uint16_t>();
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
  NumberReader reader{bytes};
  const std::uint8_t inputs = reader.fixed<std::uint8_t>();
  const std::uint8_t shots = reader.fixed<std::uint8_t>();
  const std::uint8_t teleports = reader.fixed<std::uint8_t>();
  bool possible = true;
  for (int i = 0; i < inputs && !reader.failed(); ++i) {
    const InputCause cause = read_input(reader);
    possible = possible && cause.move <= game::kMoveDirections;
    causes.inputs.push_back(cause);
  }
  for (int i = 0; i < shots && !reader.failed(); ++i)
    causes.shots.push_back(read_shot(reader));
  for (int i = 0; i < teleports && !reader.failed(); ++i)
    causes.teleports.push_back(read_teleport(reader));
  if (reader.failed() || reader.left() > kViewMembersMax)
    return std::unexpected{net::DropReason::Malformed};
  while (reader.left() > 0)
    causes.exits.push_back(reader.fixed<std::uint8_t>());
  const bool exits_ascend =
      std::ranges::adjacent_find(causes.exits, std::ranges::greater_equal{}) == causes.exits.end();
  possible = possible && exits_ascend && !causes.empty() && in_order(causes.inputs, base_age) &&
             in_order(causes.shots, base_age) && in_order(causes.teleports, base_age);
  if (!possible) return std::unexpected{net::DropReason::Malformed};
  return causes;
}

}  // namespace tickbox::protocol
