#pragma once
// The content of a snapshot: not where bodies are, but why they are there.
//
// A view is the set of bodies that a client holds at a tick; these are its members. A snapshot for
// tick T names a base: an older view that the client has acknowledged. It has bodies in full: those
// that are new to the view, those that something outside of the view has influenced, and those
// whose causes would take more bytes. For all other bodies it has the causes of their movement from
// the base to T: the client steps them itself. Exits are the members of the base that are no longer
// in the view, except those whose despawn the client computes. Causes and exits name a body by its
// index in the base, whose members are sorted by id.

#include "core/ids.h"
#include "core/inplace_vector.h"
#include "game/entity_state.h"
#include "game/rules.h"
#include "protocol/history_depths.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::protocol {

/// The most bodies in one view: as many as a byte can number.
inline constexpr std::size_t kViewMembersMax = 256;
/// The most causes of one kind in one snapshot.
inline constexpr std::size_t kCausesMax = 255;
/// The most bodies in full in one snapshot: more than a datagram holds.
inline constexpr std::size_t kSnapshotBodiesMax = 72;

/// The range of margins, in 1/16 ticks, that a byte can encode. It is exact below four ticks, has
/// whole ticks from there to 67, and means "at least" at either end.
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

/// Returns the middle of the range that a code covers; for the outermost codes, the end of the
/// range. −128, which is never encoded, is read as the least.
[[nodiscard]] constexpr std::int32_t decode_margin(std::int8_t code) {
  constexpr std::int32_t kHalfTick = 8;
  if (code >= 127) return kMarginMost;
  if (code <= -127) return kMarginLeast;
  if (code >= kMarginExact) return kMarginExact + 16 * (code - kMarginExact) + kHalfTick;
  if (code < -kMarginExact) return -kMarginExact + 16 * (code + kMarginExact) + kHalfTick;
  return code;
}

/// What the head of a snapshot or an audit segment reports on the client's own packets.
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
  std::uint32_t view_hash = 0;  ///< low 32 bits of the sum of the hashes of all members
  std::uint8_t base_age = 0;  ///< ticks from the base to this tick; 0: no base, all bodies in full

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

/// Returns the ticks from the step to `tick` until `now`, as causes count them.
[[nodiscard]] constexpr std::uint8_t ago(Tick now, Tick tick) {
  return static_cast<std::uint8_t>(now - tick);
}

/// A change of a player's stick, in the step to the tick `ago` ticks before the snapshot's. The
/// stick keeps this direction from then on.
struct InputCause {
  std::uint8_t ago = 0;  ///< ticks, 0 to kBaseAgeMax − 1
  std::uint8_t base_index = 0;
  std::uint8_t move = 0;

  friend constexpr auto operator<=>(const InputCause&, const InputCause&) = default;
};

struct ShotCause {
  std::uint8_t ago = 0;
  std::uint8_t base_index = 0;
  std::uint16_t aim = 0;
  game::Weapon weapon = game::Weapon::Gun;

  friend constexpr auto operator<=>(const ShotCause&, const ShotCause&) = default;
};

/// An outcome, which a replay cannot derive: a player's body was teleported to a spawn point.
struct TeleportCause {
  std::uint8_t ago = 0;
  std::uint8_t base_index = 0;
  std::uint16_t place = 0;  ///< index into Map::spawn_points

  friend constexpr auto operator<=>(const TeleportCause&, const TeleportCause&) = default;
};

/// The causes of a snapshot. Each list has one valid order: by tick, the oldest first, then by
/// base index; each body at most once per tick. Exits are sorted.
struct Causes {
  InplaceVector<InputCause, kCausesMax> inputs;
  InplaceVector<ShotCause, kCausesMax> shots;
  InplaceVector<TeleportCause, kCausesMax> teleports;
  InplaceVector<std::uint8_t, kViewMembersMax> exits;  ///< base indices

  [[nodiscard]] bool empty() const {
    return inputs.empty() && shots.empty() && teleports.empty() && exits.empty();
  }

  void clear() {
    inputs.clear();
    shots.clear();
    teleports.clear();
    exits.clear();
  }
};

/// The state of the client's packets at the server; sent from time to time.
struct LinkStatus {
  std::uint32_t newest_packet = 0;     ///< low 32 bits of the newest client sequence that arrived
  std::uint32_t packets_received = 0;  ///< client packets that have arrived in total
  std::uint32_t late = 0;              ///< inputs that arrived after their tick

  friend bool operator==(const LinkStatus&, const LinkStatus&) = default;
};

enum class EventKind : std::uint8_t {
  Hit,    ///< `subject` hit the player in seat `what`
  Score,  ///< `what` is the low 16 bits of the score of `subject`
  Spawn,  ///< `subject` has appeared with a body whose generation has the low 16 bits `what`
};
inline constexpr std::uint8_t kEventKinds = 3;

/// An event of the game that the movement of bodies does not show.
struct Event {
  std::uint16_t number = 0;  ///< consecutive from 1, modulo 2^16
  PlayerId subject;
  std::uint16_t what = 0;
  std::uint8_t ago = 0;  ///< ticks before the snapshot's tick; 255: 255 or more
  EventKind kind = EventKind::Hit;

  friend bool operator==(const Event&, const Event&) = default;
};

/// The most events in one snapshot.
inline constexpr std::size_t kSnapshotEventsMax = 16;
using Events = InplaceVector<Event, kSnapshotEventsMax>;

struct Snapshot {
  SnapshotHead head;
  std::uint16_t receipt = 0;  ///< a client cannot guess it; its acknowledgement repeats it
  Causes causes;
  /// Bodies in full, sorted by id, each once; none of them exits.
  InplaceVector<game::EntityState, kSnapshotBodiesMax> bodies;
  std::optional<LinkStatus> status;
  /// Events with consecutive numbers.
  Events events;
};

}  // namespace tickbox::protocol
