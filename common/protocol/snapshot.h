#pragma once
// A snapshot: the view of a tick for one client, not where bodies are, but why they are there.
//
// A view is the set of entities that a client holds at a tick; these are its members. A snapshot
// for tick T names a base: an older view that the client has acknowledged. Its content
// (views/content.h) makes the view of T from the base. A snapshot also has events (views/events.h).
// Content and events are bits, so code that only carries them does not need the game.

#include "core/bytes.h"
#include "core/ids.h"
#include "net/reasons.h"
#include "protocol/history_depths.h"
#include "protocol/message_buffer.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

namespace tickbox::protocol {

/// The range of margins, in 1/16 ticks, that a byte can encode. Early or late, the code is exact
/// below four ticks, and has whole ticks from four to 67. Its last value stands for all beyond.
inline constexpr std::int32_t kMarginExact = 64;
inline constexpr std::int32_t kMarginMost = kMarginExact + 16 * (127 - kMarginExact);
inline constexpr std::int32_t kMarginLeast = -kMarginMost;

/// Returns the code of the range that holds the margin; beyond the ranges, of the nearest end.
[[nodiscard]] constexpr std::int8_t encode_margin(std::int64_t sixteenths) {
  const std::int64_t within = std::clamp<std::int64_t>(sixteenths, kMarginLeast, kMarginMost);
  if (within > kMarginExact) {
    return static_cast<std::int8_t>(kMarginExact + (within - kMarginExact) / 16);
  }
  if (within < -kMarginExact) {
    return static_cast<std::int8_t>(-kMarginExact - (-within - kMarginExact + 15) / 16);
  }
  return static_cast<std::int8_t>(within);
}

/// Returns the middle of the range that a code covers. For the outermost codes it is kMarginMost or
/// kMarginLeast. −128, which is never encoded, is read as kMarginLeast.
[[nodiscard]] constexpr std::int32_t decode_margin(std::int8_t code) {
  constexpr std::int32_t kHalfTick = 8;
  if (code >= 127) return kMarginMost;
  if (code <= -127) return kMarginLeast;
  if (code >= kMarginExact) return kMarginExact + 16 * (code - kMarginExact) + kHalfTick;
  if (code < -kMarginExact) return -kMarginExact + 16 * (code + kMarginExact) + kHalfTick;
  return code;
}

/// What the head of a snapshot reports on the client's own packets.
struct InputReport {
  std::uint16_t tick = 0;        ///< the room's tick when this was sent; low 16 bits
  std::uint16_t input_tick = 0;  ///< low 16 bits; all inputs up to it have arrived or are given up
  std::int8_t margin = 0;        ///< of the newest packet with inputs; a code of encode_margin()
  std::uint8_t substituted = 0;  ///< inputs of this client that the server replaced, modulo 256
  std::uint8_t newest_packet = 0;  ///< low 8 bits of the newest client sequence that arrived

  friend bool operator==(const InputReport&, const InputReport&) = default;
};

struct SnapshotHead {
  InputReport report;           ///< its tick is that of the view
  std::uint32_t view_hash = 0;  ///< low 32 bits
  std::uint8_t base_age = 0;    ///< ticks from the base to this tick; 0: no base, all rows in full

  friend bool operator==(const SnapshotHead&, const SnapshotHead&) = default;
};

/// Returns the bits of a tick that are sent.
[[nodiscard]] constexpr std::uint16_t low_bits(Tick tick) {
  return static_cast<std::uint16_t>(tick.value & 0xffff);
}

/// Returns the tick nearest to `near` whose low 16 bits are `low`, of two the earlier; 0 in place
/// of a tick before 0.
[[nodiscard]] constexpr Tick expand_tick(std::uint16_t low, Tick near) {
  const auto ahead = static_cast<std::int16_t>(low - low_bits(near));
  return {static_cast<std::uint32_t>(std::max<std::int64_t>(0, near - Tick{} + ahead))};
}

/// The state of the client's packets at the server; sent from time to time.
struct LinkStatus {
  std::uint32_t newest_packet = 0;     ///< low 32 bits of the newest client sequence that arrived
  std::uint32_t packets_received = 0;  ///< client packets that have arrived in this session
  std::uint32_t late = 0;              ///< inputs that arrived after their tick

  friend bool operator==(const LinkStatus&, const LinkStatus&) = default;
};

struct Snapshot {
  SnapshotHead head;
  std::uint16_t receipt = 0;  ///< a client cannot guess it; its acknowledgement repeats it
  std::vector<std::byte> content;
  std::optional<LinkStatus> status;
  std::vector<std::byte> events;  ///< empty: none
  /// The number of the newest command taken, in answer to a message with commands.
  std::optional<std::uint16_t> commands = std::nullopt;
};

/// The most bytes of a snapshot's datagram beside its content and events: seal 23, mask 1, head 12,
/// receipt 2, status 12, answer to commands 2, and the length of the content 2.
inline constexpr std::size_t kSnapshotFrameBytes = 54;

/// Returns a snapshot as a message: head, receipt, content, status, events, answer to commands.
/// Requires: content and events fit a datagram beside kSnapshotFrameBytes.
[[nodiscard]] ConstBytes encode_snapshot(const Snapshot& snapshot, MessageBuffer& buffer);

/// Verifies the FlatBuffer, and reads it into `snapshot`, which keeps its memory. Content and
/// events are not read. Fails: Malformed.
[[nodiscard]] std::expected<void, net::DropReason> decode_snapshot(ConstBytes message,
                                                                   Snapshot& snapshot);

}  // namespace tickbox::protocol
