#pragma once
// What flows to an auditing client, as bytes: first the whole room after some tick, then of each
// tick what entered it, and the hash of what came of it.
//
//   entry         length, then so many bytes
//   keyframe      tick u32, state hash u64, random u64,
//                 seats n, n × (generation << 1 | taken, score),
//                 entities n, n × (id u32, x, y, vx, vy i32, move u8, timer u8)
//   tick          state hash u64; nothing more, or
//                 lists u8 (1: leaves, 2: joins), each list that is there n, n × seat;
//                 inputs, to the end: seat, what u8, and what it says:
//                   what & 15: where the stick is from now on, or 15: where it was
//                   what & 16: buttons << 10 | aim u16
//                   what & 32: with buttons only: the body u32 of the player whom its ray strikes
//
// Numbers without a width are of 7 bits a byte, the lowest first, the high bit saying that more
// follow; in the shortest form only. Seats of a list rise, and each but the first is told as the
// gap to the one before, less one.
//
// A player of whom a tick tells nothing does as it did: its stick stays, no button is pressed. Aim
// is told with a button only; without one it means nothing.

#include "core/bounded.h"
#include "core/bytes.h"
#include "core/ids.h"
#include "game/entity_state.h"
#include "game/input.h"
#include "game/world.h"
#include "net/drop_reason.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

namespace tickbox::protocol {

// How a stream of bytes comes to an auditing client whole and in order, whatever UDP does to it.
//
// The stream of a session is cut into segments, and runs: each run begins with the whole room
// (audit_codec.h), so that a client that has fallen too far behind, or has found a fault, needs
// nothing of the run before. A segment once cut stays as it is: sent again it is the same bytes.

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

/// Entities of one keyframe: of a room of 4,096 players, each with two bullets in flight, and
/// as many crates.
inline constexpr std::size_t kAuditEntitiesMax = std::size_t{4} * game::kSeatsMax;

/// Of one keyframe without its length: all of that.
inline constexpr std::size_t kAuditEntryBytesMax =
    32 + std::size_t{8} * game::kSeatsMax + 22 * kAuditEntitiesMax;

/// Of one tick with its length, whatever so many seats do in it: a gap, what, a button and a
/// strike.
[[nodiscard]] constexpr std::size_t tick_entry_bytes_max(std::size_t seats) {
  return 32 + (2 + 2 + 9) * seats;
}

static_assert(tick_entry_bytes_max(game::kSeatsMax) <= kAuditEntryBytesMax);

struct AuditKeyframe {
  Tick tick;
  std::uint64_t state_hash = 0;
  std::uint64_t random = 0;  ///< state of the world's random sequence
  std::vector<game::Seat> seats;
  std::vector<game::EntityState> entities;  ///< by id, no id twice

  friend bool operator==(const AuditKeyframe&, const AuditKeyframe&) = default;
};

/// What an input changes.
struct AuditInput {
  PlayerId player;
  std::optional<std::uint8_t> move;  ///< where the stick is from now on, if it is elsewhere
  std::uint8_t buttons = 0;
  std::uint16_t aim = 0;          ///< 0 where there is no button
  std::optional<BodyId> strikes;  ///< a player's, where there is a button

  friend bool operator==(const AuditInput&, const AuditInput&) = default;
};

/// What `input` tells of a player whose stick is at `held`; nothing where it tells nothing.
[[nodiscard]] std::optional<AuditInput> news_of(const game::PlayerInput& input, std::uint8_t held);

struct AuditTick {
  std::uint64_t state_hash = 0;
  // By seat, no seat twice in a list.
  std::vector<PlayerId> leaves;
  std::vector<PlayerId> joins;
  std::vector<AuditInput> inputs;

  void clear();

  friend bool operator==(const AuditTick&, const AuditTick&) = default;
};

/// Appends an entry.  Requires: lists in their order, values in their ranges, at most
/// kAuditEntitiesMax entities.  Cost: no allocation where `out` has room.
void encode_keyframe(const AuditKeyframe& keyframe, std::vector<std::byte>& out);
void encode_tick(const AuditTick& tick, std::vector<std::byte>& out);

/// Takes the next entry off the front of `stream`, and returns it without its length; nothing as
/// long as it is not whole.  Fails: Malformed, for a length that none has.
[[nodiscard]] std::expected<std::optional<ConstBytes>, net::DropReason> take_entry(
    ConstBytes& stream);

/// Of the bytes of one entry.  Fails: Malformed, for any other bytes than are written of what they
/// say.
[[nodiscard]] std::expected<AuditKeyframe, net::DropReason> decode_keyframe(ConstBytes entry);

/// The same, into `tick`, which keeps its memory.
[[nodiscard]] std::expected<void, net::DropReason> decode_tick(ConstBytes entry, AuditTick& tick);

}  // namespace tickbox::protocol
