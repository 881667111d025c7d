#pragma once
// What flows to an auditing client: the tick log of its room (game/tick_log.h), as entries. First
// the keyframe of the whole room, then each tick after it.
//
//   entry         length as in core/numbers.h, then so many bytes
//   keyframe      the log's bytes
//   tick          state hash u64, the log's bytes
//
// The stream of entries comes whole and in order, whatever UDP does to it. It is cut into segments,
// and runs: each run begins with the whole room, so that a client that has fallen too far behind,
// or has found a fault, needs nothing of the run before. A segment once cut stays as it is: sent
// again it is the same bytes.

#include "core/bounded.h"
#include "core/bytes.h"
#include "game/tick_log.h"
#include "net/drop_reason.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

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

/// Of one entry without its length.
inline constexpr std::size_t kAuditEntryBytesMax = game::kKeyframeBytesMax;

/// Of the entry of one tick with its length, whatever so many seats do in it.
[[nodiscard]] constexpr std::size_t tick_entry_bytes_max(std::size_t seats) {
  return 3 + sizeof(std::uint64_t) + game::tick_bytes_max(seats);
}

static_assert(tick_entry_bytes_max(game::kSeatsMax) <= kAuditEntryBytesMax);

/// Writes an entry into `out`, in place of what is there.  Requires: bytes of the log.
/// Cost: no allocation where `out` has room.
void encode_keyframe_entry(ConstBytes keyframe, std::vector<std::byte>& out);
void encode_tick_entry(std::uint64_t state_hash, ConstBytes tick, std::vector<std::byte>& out);

/// Takes the next entry off the front of `stream`, and returns it without its length; nothing as
/// long as it is not whole.  Fails: Malformed, for a length that none has.
[[nodiscard]] std::expected<std::optional<ConstBytes>, net::DropReason> take_entry(
    ConstBytes& stream);

/// A tick's entry, of which the log's bytes are still to be read.
struct AuditTick {
  std::uint64_t state_hash = 0;
  ConstBytes bytes;
};

/// Fails: Malformed, where it is too short for a hash.
[[nodiscard]] std::expected<AuditTick, net::DropReason> decode_tick_entry(ConstBytes entry);

}  // namespace tickbox::protocol
