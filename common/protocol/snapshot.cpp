#include "protocol/snapshot.h"

#include "protocol/message_builder.h"

namespace tickbox::protocol {
namespace {

schema::SnapshotHead encode_head(const SnapshotHead& head) {
  const InputReport& report = head.report;
  return {head.view_hash, report.tick,        report.input_tick,   head.base_age,
          report.margin,  report.substituted, report.newest_packet};
}

SnapshotHead decode_head(const schema::SnapshotHead& wire) {
  return {.report = {.tick = wire.tick(),
                     .input_tick = wire.input_tick(),
                     .margin = wire.margin(),
                     .substituted = wire.substituted(),
                     .newest_packet = wire.newest_packet()},
          .view_hash = wire.view_hash(),
          .base_age = wire.base_age()};
}

schema::LinkStatus encode_status(const std::optional<LinkStatus>& status) {
  if (!status) return {};
  return {status->newest_packet, status->packets_received, status->late};
}

std::optional<LinkStatus> decode_status(const schema::LinkStatus* wire) {
  if (wire == nullptr) return std::nullopt;
  return LinkStatus{.newest_packet = wire->newest_packet(),
                    .packets_received = wire->packets_received(),
                    .late = wire->late()};
}

std::optional<std::uint16_t> decode_commands(const schema::CommandAck* wire) {
  if (wire == nullptr) return std::nullopt;
  return wire->newest();
}

}  // namespace

ConstBytes encode_snapshot(const Snapshot& snapshot, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  const auto content = builder.add(snapshot.content);
  const auto events = builder.add(snapshot.events);
  const schema::SnapshotHead head = encode_head(snapshot.head);
  const schema::Receipt receipt{snapshot.receipt};
  const schema::LinkStatus status = encode_status(snapshot.status);
  const schema::CommandAck commands{snapshot.commands.value_or(0)};
  return builder.finish(CompactMessage::Snapshot,
                        schema::CreateSnapshot(builder.flat, &head, &receipt, content,
                                               snapshot.status ? &status : nullptr, events,
                                               snapshot.commands ? &commands : nullptr));
}

std::expected<void, net::DropReason> decode_snapshot(ConstBytes message, Snapshot& snapshot) {
  const RestoredMessage received{CompactMessage::Snapshot, message};
  const auto* wire = received.root<schema::Snapshot>();
  if (wire == nullptr || wire->head() == nullptr || wire->receipt() == nullptr) {
    return std::unexpected{net::DropReason::Malformed};
  }
  const std::optional<ConstBytes> content = bytes_of(wire->content());
  const std::optional<ConstBytes> events = bytes_of(wire->events());
  if (!content || !events || wire->head()->base_age() > kBaseAgeMax) {
    return std::unexpected{net::DropReason::Malformed};
  }
  snapshot.head = decode_head(*wire->head());
  snapshot.receipt = wire->receipt()->number();
  snapshot.content.assign(content->begin(), content->end());
  snapshot.status = decode_status(wire->status());
  snapshot.events.assign(events->begin(), events->end());
  snapshot.commands = decode_commands(wire->commands());
  return {};
}

}  // namespace tickbox::protocol
