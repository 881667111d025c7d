#include "protocol/audit_codec.h"

#include "core/assert.h"
#include "core/numbers.h"
#include "protocol/message_builder.h"

#include <algorithm>

namespace tickbox::protocol {

ConstBytes encode_audit(const AuditHead& head, ConstBytes bytes, const AuditExtras& extras,
                        MessageBuffer& buffer) {
  TICKBOX_ASSERT(!bytes.empty() && bytes.size() <= kAuditSegmentBytesMax);
  auto& builder = buffer.begin();
  const auto bytes_at = builder.add(bytes);
  const InputReport& report = head.report;
  const schema::AuditHead wire{report.tick,        report.input_tick,    report.margin,
                               report.substituted, report.newest_packet, head.run,
                               head.segment};
  const schema::LinkStatus status = encode_status(extras.status);
  const schema::CommandAck commands{extras.commands.value_or(0)};
  return builder.finish(schema::CreateAudit(builder.flat, &wire, bytes_at,
                                            extras.status ? &status : nullptr,
                                            extras.commands ? &commands : nullptr));
}

std::expected<AuditSegment, net::DropReason> decode_audit(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::Audit>();
  const bool whole = wire != nullptr && wire->head() != nullptr && wire->bytes() != nullptr;
  if (!whole || wire->bytes()->size() == 0 || wire->bytes()->size() > kAuditSegmentBytesMax) {
    return std::unexpected{net::DropReason::Malformed};
  }
  const schema::AuditHead& head = *wire->head();
  AuditSegment decoded{
      .head = {.report = decode_report(head), .run = head.run(), .segment = head.segment()},
      .bytes = {},
      .extras = {.status = decode_status(wire->status()),
                 .commands = decode_commands(wire->commands())}};
  for (const std::uint8_t byte : *wire->bytes()) {
    decoded.bytes.push_back(std::byte{byte});
  }
  return decoded;
}

std::size_t entry_bytes_max(const GameTable& game, std::size_t seats) {
  return std::max(engine::keyframe_bytes_max(game, seats),
                  sizeof(std::uint64_t) + engine::kTickBytesMax);
}

std::size_t tick_entry_bytes_of(const GameTable& game, std::size_t seats) {
  const std::size_t bytes = sizeof(std::uint64_t) + engine::tick_bytes_of(game, seats);
  return number_bytes(static_cast<std::uint32_t>(bytes)) + bytes;
}

void encode_keyframe_entry(ConstBytes keyframe, std::vector<std::byte>& out) {
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

std::expected<std::optional<ConstBytes>, net::DropReason> take_entry(ConstBytes& stream,
                                                                     std::size_t bytes_max) {
  constexpr std::size_t kLengthBytesMax = number_bytes(UINT32_MAX);
  const ConstBytes front = stream.first(std::min(stream.size(), kLengthBytesMax));
  const bool ends = std::ranges::any_of(
      front, [](std::byte byte) { return std::to_integer<std::uint32_t>(byte) < kMoreFollow; });
  if (!ends && front.size() < kLengthBytesMax) return std::nullopt;
  NumberReader reader{front};
  const std::uint32_t length = reader.number();
  if (reader.failed() || length == 0 || length > bytes_max) {
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
