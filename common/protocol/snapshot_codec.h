#pragma once
// Snapshots as messages: head, causes (cause_codec.h), bodies in full, status, events
// (event_codec.h). Causes and bodies may take what kSnapshotFrameBytes and the events leave of a
// datagram.

#include "core/bytes.h"
#include "game/entity_state.h"
#include "net/drop_reason.h"
#include "protocol/message_buffer.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <expected>

namespace tickbox::protocol {

/// The most bytes of a snapshot's datagram beyond its causes, bodies and events: seal 23, mask 1,
/// head 12, receipt 2, status 12, and the counts of causes 2 and of both kinds of bodies 1 each.
inline constexpr std::size_t kSnapshotFrameBytes = 54;

/// Returns the bytes of a body in full.
[[nodiscard]] std::size_t encoded_bytes(const game::EntityState& body);

/// Requires: causes and bodies in their order, small enough for a datagram with
/// kSnapshotFrameBytes.
[[nodiscard]] ConstBytes encode_snapshot(const Snapshot& snapshot, MessageBuffer& buffer);

/// Verifies the FlatBuffer, then the meaning: ranges, orders, counts, kinds. Fails: Malformed.
[[nodiscard]] std::expected<Snapshot, net::DropReason> decode_snapshot(ConstBytes message);

}  // namespace tickbox::protocol
