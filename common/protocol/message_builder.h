#pragma once
// What the codecs of all messages share. Included by their sources only: it needs FlatBuffers and
// the generated schema.

#include "core/assert.h"
#include "core/bytes.h"
#include "net/packet.h"
#include "net/verified_root.h"
#include "protocol/event_codec.h"
#include "protocol/message_buffer.h"
#include "protocol/snapshot.h"

#include "schema/wire_generated.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::protocol {

struct MessageBuffer::Builder {
  Builder() { events.reserve(event_bytes_max(kSnapshotEventsMax)); }

  /// Adds bytes to the message.
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> add(ConstBytes bytes) {
    return flat.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }

  /// Completes the message and returns it.  Requires: it fits a datagram.
  template <class Root>
  ConstBytes finish(flatbuffers::Offset<Root> root) {
    flat.Finish(root);
    TICKBOX_ASSERT(flat.GetSize() <= net::kMessageBytesMax);
    return net::finished_bytes(flat);
  }

  flatbuffers::FlatBufferBuilder flat{2 * net::kDatagramBytesMax};
  std::vector<std::byte> events;  ///< scratch memory of encode_snapshot()
};

// Snapshots and audits have a report in the head, and a status.

template <class Head>
InputReport decode_report(const Head& wire) {
  return {.tick = wire.tick(),
          .input_tick = wire.input_tick(),
          .margin = wire.margin(),
          .substituted = wire.substituted(),
          .newest_packet = wire.newest_packet()};
}

inline schema::LinkStatus encode_status(const std::optional<LinkStatus>& status) {
  if (!status) return {};
  return {status->newest_packet, status->packets_received, status->late};
}

inline std::optional<LinkStatus> decode_status(const schema::LinkStatus* wire) {
  if (wire == nullptr) return std::nullopt;
  return LinkStatus{.newest_packet = wire->newest_packet(),
                    .packets_received = wire->packets_received(),
                    .late = wire->late()};
}

}  // namespace tickbox::protocol
