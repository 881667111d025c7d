#pragma once
// Snapshots as messages: head, receipt, content, status, events, answer to commands. Content and
// events are bits of views/content.h and views/events.h, which their receiver reads.

#include "core/bytes.h"
#include "net/drop_reason.h"
#include "protocol/message_buffer.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <expected>

namespace tickbox::protocol {

/// The most bytes of a snapshot's datagram beside its content and events: seal 23, mask 1, head 12,
/// receipt 2, status 12, answer to commands 2, and the length of the content 2.
inline constexpr std::size_t kSnapshotFrameBytes = 54;

/// Requires: content and events fit a datagram beside kSnapshotFrameBytes.
[[nodiscard]] ConstBytes encode_snapshot(const Snapshot& snapshot, MessageBuffer& buffer);

/// Verifies the FlatBuffer, and reads it into `snapshot`, which keeps its memory. Content and
/// events are not read. Fails: Malformed.
[[nodiscard]] std::expected<void, net::DropReason> decode_snapshot(ConstBytes message,
                                                                   Snapshot& snapshot);

}  // namespace tickbox::protocol
