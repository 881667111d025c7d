#pragma once
// How a stream of bytes comes to an auditing client whole and in order, whatever UDP does to it.
//
// The stream of a session is cut into segments, and runs: each run begins with the whole room
// (audit_codec.h), so that a client that has fallen too far behind, or has found a fault, needs
// nothing of the run before. A segment once cut stays as it is: sent again it is the same bytes.

#include "core/bounded.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::protocol {

/// Bytes of one segment: what fits a datagram beside the packet, the head, a status, and what
/// FlatBuffers add.
inline constexpr std::size_t kAuditSegmentBytesMax = 1'088;

/// Segments that may be on their way at once: what an acknowledgement's bits can tell. A second of
/// one a tick.
inline constexpr std::uint32_t kAuditWindow = 64;

struct AuditHead {
  std::uint16_t tick = 0;  ///< of the room when this was sent; low 16 bits
  // Of the client's own packets, as a snapshot's head.
  std::uint16_t input_tick = 0;
  std::int8_t margin = 0;
  std::uint8_t substituted = 0;
  std::uint8_t newest_packet = 0;

  std::uint8_t run = 0;       ///< low 8 bits of its number
  std::uint16_t segment = 0;  ///< low 16 bits of its number in the run

  friend bool operator==(const AuditHead&, const AuditHead&) = default;
};

struct AuditSegment {
  AuditHead head;
  BoundedVector<std::byte, kAuditSegmentBytesMax> bytes;
  std::optional<LinkStatus> status;
};

/// What has come of a run.
struct AuditAck {
  std::uint64_t bits = 0;   ///< bit i: segment next + 1 + i
  std::uint16_t next = 0;   ///< low 16 bits of the first segment that has not
  std::uint8_t run = 0;     ///< low 8 bits
  bool wants_anew = false;  ///< the run is of no use to the client: another is wanted

  friend bool operator==(const AuditAck&, const AuditAck&) = default;
};

/// The segment nearest to `near` that ends in these 16 bits: 2^15 is far more than a window.
[[nodiscard]] constexpr std::uint64_t expand_segment(std::uint16_t low, std::uint64_t near) {
  const auto ahead = static_cast<std::int16_t>(low - static_cast<std::uint16_t>(near & 0xffff));
  return near + static_cast<std::uint64_t>(std::int64_t{ahead});
}

}  // namespace tickbox::protocol
