#pragma once
// The stream to an auditing client: the tick log of its room (engine/log/tick_log.h), as entries.
// The first entry is the keyframe of the whole room; then each tick after it follows.
//
//   entry         length as in core/numbers.h, then as many bytes
//   keyframe      the log's bytes
//   tick          state hash u64, the log's bytes
//
// The stream arrives complete and in order, although UDP loses and reorders packets. It is cut into
// segments, and into runs. Each run begins with the whole room. So a client that is too far behind,
// or has found a fault, needs nothing of the run before. A segment never changes after it is cut: a
// repeat has the same bytes.

#include "core/bytes.h"
#include "core/inplace_vector.h"
#include "engine/log/tick_log.h"
#include "net/drop_reason.h"
#include "protocol/message_buffer.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

namespace tickbox::protocol {

/// The most bytes of one segment: a datagram minus the packet's overhead, the head, a status, an
/// answer to commands, and the overhead of FlatBuffers.
inline constexpr std::size_t kAuditSegmentBytesMax = 1'088;

/// The most segments that may be unacknowledged at once: as many as an acknowledgement has bits
/// for. At 60 Hz and one segment per tick they take about a second.
inline constexpr std::uint32_t kAuditWindow = 64;

struct AuditHead {
  InputReport report;
  std::uint8_t run = 0;       ///< low 8 bits of the run's number
  std::uint16_t segment = 0;  ///< low 16 bits of the segment's number in the run

  friend bool operator==(const AuditHead&, const AuditHead&) = default;
};

/// What a message of an audit has from time to time.
struct AuditExtras {
  std::optional<LinkStatus> status = std::nullopt;
  std::optional<std::uint16_t> commands = std::nullopt;  ///< as Snapshot::commands
};

struct AuditSegment {
  AuditHead head;
  InplaceVector<std::byte, kAuditSegmentBytesMax> bytes;
  AuditExtras extras;
};

/// The segments of a run that have arrived.
struct AuditAck {
  std::uint64_t bits = 0;      ///< bit i: segment next + 1 + i has arrived
  std::uint16_t next = 0;      ///< low 16 bits of the first segment that has not arrived
  std::uint8_t run = 0;        ///< low 8 bits
  bool wants_new_run = false;  ///< the client cannot use this run and requests another

  friend bool operator==(const AuditAck&, const AuditAck&) = default;
};

/// Encodes a segment as a message. Requires: 1 to kAuditSegmentBytesMax bytes.
[[nodiscard]] ConstBytes encode_audit(const AuditHead& head, ConstBytes bytes,
                                      const AuditExtras& extras, MessageBuffer& buffer);

/// Verifies the FlatBuffer, then the size of the segment. Fails: Malformed.
[[nodiscard]] std::expected<AuditSegment, net::DropReason> decode_audit(ConstBytes message);

/// Returns the segment nearest to `near` whose low 16 bits are `low`. A window is far smaller than
/// 2^15.
[[nodiscard]] constexpr std::uint64_t expand_segment(std::uint16_t low, std::uint64_t near) {
  const auto ahead = static_cast<std::int16_t>(low - static_cast<std::uint16_t>(near & 0xffff));
  return near + static_cast<std::uint64_t>(std::int64_t{ahead});
}

/// Returns the most bytes of one entry of a match, without its length.
[[nodiscard]] std::size_t entry_bytes_max(const GameTable& game, std::size_t seats);

/// Returns enough bytes for the entry of a usual tick, with its length: what to reserve.
[[nodiscard]] std::size_t tick_entry_bytes_of(const GameTable& game, std::size_t seats);

/// Writes an entry into `out` and replaces its content. Requires: bytes of the log.
/// Cost: no allocation if `out` has enough capacity.
void encode_keyframe_entry(ConstBytes keyframe, std::vector<std::byte>& out);
void encode_tick_entry(std::uint64_t state_hash, ConstBytes tick, std::vector<std::byte>& out);

/// Removes the next entry from the front of `stream`, and returns it without its length. Returns
/// nothing while the entry is incomplete. Fails: Malformed, for a length that is 0, is above
/// `bytes_max` (entry_bytes_max()), or is not in its shortest form.
[[nodiscard]] std::expected<std::optional<ConstBytes>, net::DropReason> take_entry(
    ConstBytes& stream, std::size_t bytes_max);

/// A tick's entry; the log's bytes are not decoded yet.
struct AuditTick {
  std::uint64_t state_hash = 0;
  ConstBytes bytes;
};

/// Decodes a tick's entry. Fails: Malformed, if it is too short for a hash.
[[nodiscard]] std::expected<AuditTick, net::DropReason> decode_tick_entry(ConstBytes entry);

}  // namespace tickbox::protocol
