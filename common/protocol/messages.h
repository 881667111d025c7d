#pragma once
// What sealed packets carry: inputs up, snapshots down, goodbye and parts of views both ways.
// Encode stands beside decode.

#include "core/bounded.h"
#include "core/bytes.h"
#include "core/ids.h"
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
  std::uint64_t ack_bits = 0;  ///< bit i: the view of tick newest_snapshot − 1 − i was made
  Tick newest_snapshot;        ///< the tick of the newest view that is held; 0: none
  std::uint32_t mismatches = 0;
  std::uint16_t events = 0;  ///< number of the newest event that has come, with all before it
  Tick first_tick;           ///< the tick of inputs[0]; the others follow one by one
  BoundedVector<game::Input, kInputsPerMessageMax> inputs;
  std::optional<AuditAck> audit = std::nullopt;  ///< of a client that audits
};

/// The most that a snapshot's datagram takes beside its causes, bodies and events: seal, head,
/// status, and what FlatBuffers add; checked where it is encoded.
inline constexpr std::size_t kSnapshotFrameBytes = 108;

/// What events that take so many bytes by themselves add at most.
[[nodiscard]] constexpr std::size_t event_part_bytes(std::size_t bytes) {
  return bytes == 0 ? 0 : 12 + bytes;
}

/// The most that a part of a view takes beside its bodies; checked where it is encoded.
inline constexpr std::size_t kViewPartFrameBytes = 48;

/// The most that a part of a view with so many bodies takes.
[[nodiscard]] constexpr std::size_t view_part_bytes(std::size_t bodies) {
  constexpr std::size_t kBodyBytes = 24;
  return kViewPartFrameBytes + bodies * kBodyBytes;
}

/// What a whole body takes.
[[nodiscard]] std::size_t encoded_bytes(const game::EntityState& body);

/// Writes messages. Keeps its memory: no allocation once warm.   The bytes returned last until the
/// next call.
class MessageEncoder {
 public:
  MessageEncoder();
  ~MessageEncoder();
  MessageEncoder(MessageEncoder&&) noexcept;
  MessageEncoder& operator=(MessageEncoder&&) noexcept;

  ConstBytes input(const InputMessage& message);
  /// Requires: causes and bodies that fit a datagram with kSnapshotFrameBytes, in their order.
  ConstBytes snapshot(const Snapshot& snapshot);
  /// Requires: 1 to kAuditSegmentBytesMax bytes.
  ConstBytes audit(const AuditHead& head, ConstBytes bytes,
                   const std::optional<LinkStatus>& status);
  ConstBytes disconnect(net::DisconnectReason reason);
  /// Of a CHALLENGE, and of its RESPONSE.
  ConstBytes path_check(std::uint64_t data);
  /// Of a TRACE, and of a TRACED.
  ConstBytes view_part(const ViewPart& part);

 private:
  struct Builder;
  std::unique_ptr<Builder> builder_;
};

/// Each verifies the FlatBuffers, then the meaning (ranges, counts, kinds); nothing else is ever
/// read. Fails: Malformed.
[[nodiscard]] std::expected<InputMessage, net::DropReason> decode_input(ConstBytes message);
[[nodiscard]] std::expected<Snapshot, net::DropReason> decode_snapshot(ConstBytes message);
[[nodiscard]] std::expected<AuditSegment, net::DropReason> decode_audit(ConstBytes message);
[[nodiscard]] std::expected<net::DisconnectReason, net::DropReason> decode_disconnect(
    ConstBytes message);
[[nodiscard]] std::expected<std::uint64_t, net::DropReason> decode_path_check(ConstBytes message);
[[nodiscard]] std::expected<ViewPart, net::DropReason> decode_view_part(ConstBytes message);

}  // namespace tickbox::protocol
