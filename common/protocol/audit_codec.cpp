#include "protocol/audit_codec.h"

#include "core/assert.h"
#include "core/numbers.h"

#include <algorithm>

namespace tickbox::protocol {

void encode_keyframe_entry(ConstBytes keyframe, std::vector<std::byte>& out) {
  TICKBOX_ASSERT(keyframe.size() <= kAuditEntryBytesMax);
  out.clear();
  NumberWriter writer{out};
  writer.number(static_cast<std::uint32_t>(keyframe.size()));
  writer.bytes(keyframe);
}

void encode_tick_entry(std::uint64_t state_hash, ConstBytes tick, std::vector<std::byte>& out) {
  out.clear();
  NumberWriter writer{out};
  writer.number(static_cast<std::uint32_t>(sizeof state_hash + tick.size()));
  writer.fixed(state_hash);
  writer.bytes(tick);
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

std::expected<AuditTick, net::DropReason> decode_tick_entry(ConstBytes entry) {
  NumberReader reader{entry};
  AuditTick tick{.state_hash = reader.fixed<std::uint64_t>(), .bytes = {}};
  tick.bytes = reader.bytes(reader.left());
  if (reader.failed()) return std::unexpected{net::DropReason::Malformed};
  return tick;
}

}  // namespace tickbox::protocol
