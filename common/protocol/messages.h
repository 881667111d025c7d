#pragma once
// The messages in sealed packets: inputs to the server, snapshots to the client, DISCONNECT and
// parts of views in both directions. Each message has its encode and decode functions here.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/inplace_vector.h"
#include "game/entity_state.h"
#include "game/input.h"
#include "net/handshake.h"
#include "protocol/audit_codec.h"
#include "protocol/history_depths.h"
#include "protocol/snapshot.h"
#include "protocol/view_parts.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>

namespace tickbox::protocol {

struct InputMessage {
  std::uint64_t ack_bits = 0;  ///< bit i: the client made the view of tick newest_snapshot − 1 − i
  Tick newest_snapshot;        ///< tick of the newest view that the client holds; 0: none
  std::uint32_t mismatches = 0;
  std::uint16_t events = 0;  ///< number of the newest received event before which none is missing
  Tick first_tick;           ///< tick of inputs[0]; the others are for the ticks after it
  InplaceVector<game::Input, kInputsPerMessageMax> inputs;
  std::optional<AuditAck> audit = std::nullopt;  ///< only from a client that audits
};

/// The most bytes of a snapshot's datagram beyond its causes, bodies and events: seal, head,
/// status, and the overhead of FlatBuffers. The encoder checks it.
inline constexpr std::size_t kSnapshotFrameBytes = 108;

/// Returns the most bytes that events add to a snapshot if they take `bytes` by themselves.
[[nodiscard]] constexpr std::size_t event_part_bytes(std::size_t bytes) {
  return bytes == 0 ? 0 : 12 + bytes;
}

/// The most bytes of a view part beyond its bodies. The encoder checks it.
inline constexpr std::size_t kViewPartFrameBytes = 48;

/// Returns the most bytes of a view part with `bodies` bodies.
[[nodiscard]] constexpr std::size_t view_part_bytes(std::size_t bodies) {
  constexpr std::size_t kBodyBytes = 24;
  return kViewPartFrameBytes + bodies * kBodyBytes;
}

/// Returns the bytes of a body in full.
[[nodiscard]] std::size_t encoded_bytes(const game::EntityState& body);

/// An encoder of messages. Keeps its memory: no allocation once warm.   The returned bytes are
/// valid until the next call.
class MessageEncoder {
 public:
  MessageEncoder();
  ~MessageEncoder();
  MessageEncoder(MessageEncoder&&) noexcept;
  MessageEncoder& operator=(MessageEncoder&&) noexcept;

  ConstBytes input(const InputMessage& message);
  /// Requires: causes and bodies in their order, small enough for a datagram with
  /// kSnapshotFrameBytes.
  ConstBytes snapshot(const Snapshot& snapshot);
  /// Requires: 1 to kAuditSegmentBytesMax bytes.
  ConstBytes audit(const AuditHead& head, ConstBytes bytes,
                   const std::optional<LinkStatus>& status);
  ConstBytes disconnect(net::DisconnectReason reason);
  /// Encodes a CHALLENGE or its RESPONSE.
  ConstBytes path_check(std::uint64_t data);
  /// Encodes a DESYNC_REPORT or a DESYNC_STATE.
  ConstBytes view_part(const ViewPart& part);

 private:
  struct Builder;
  std::unique_ptr<Builder> builder_;
};

/// Each function verifies the FlatBuffer, then the meaning (ranges, counts, kinds); no unverified
/// data is read. Fails: Malformed.
[[nodiscard]] std::expected<InputMessage, net::DropReason> decode_input(ConstBytes message);
[[nodiscard]] std::expected<Snapshot, net::DropReason> decode_snapshot(ConstBytes message);
[[nodiscard]] std::expected<AuditSegment, net::DropReason> decode_audit(ConstBytes message);
[[nodiscard]] std::expected<net::DisconnectReason, net::DropReason> decode_disconnect(
    ConstBytes message);
[[nodiscard]] std::expected<std::uint64_t, net::DropReason> decode_path_check(ConstBytes message);
[[nodiscard]] std::expected<ViewPart, net::DropReason> decode_view_part(ConstBytes message);

}  // namespace tickbox::protocol
