#pragma once
// What a snapshot says: not where bodies are, but why they are there.
//
// A view is the set of bodies that a client holds at a tick. A snapshot for tick T names a base: an
// older view that the client has acknowledged. It tells which of the base's members are gone from
// the view (leaves), which bodies come whole (those that are new to the view, and those that
// something outside of it has influenced), and the causes by which all others move from the base to
// T: the client steps them itself. Members of the base are called by their number in it, by id.

#include "core/bounded.h"
#include "core/ids.h"
#include "game/entity_state.h"
#include "game/rules.h"
#include "protocol/history_depths.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::protocol {

/// Bodies in one view: what a byte can number.
inline constexpr std::size_t kViewMembersMax = 256;
/// Causes of one kind in one snapshot.
inline constexpr std::size_t kCausesMax = 255;
/// Whole bodies in one snapshot: more than a datagram holds.
inline constexpr std::size_t kSnapshotBodiesMax = 72;

/// Margins, in 1/16 ticks, in a byte: exact to four ticks, whole ticks from there to 67, and "at
/// least" at either end.
inline constexpr std::int32_t kMarginExact = 64;
inline constexpr std::int32_t kMarginMost = kMarginExact + 16 * (127 - kMarginExact);
inline constexpr std::int32_t kMarginLeast = -kMarginMost;

/// The nearest that can be told, towards the smaller.
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

/// The middle of what a code stands for; its end for the outermost. −128, which nobody encodes, is
/// read as the least.
[[nodiscard]] constexpr std::int32_t decode_margin(std::int8_t code) {
  constexpr std::int32_t kHalfTick = 8;
  if (code >= 127) return kMarginMost;
  if (code <= -127) return kMarginLeast;
  if (code > kMarginExact) return kMarginExact + 16 * (code - kMarginExact) + kHalfTick;
  if (code < -kMarginExact) return -kMarginExact + 16 * (code + kMarginExact) + kHalfTick;
  return code;
}

struct SnapshotHead {
  std::uint32_t view_hash = 0;     ///< low 32 bits of the sum of the hashes of all members
  std::uint16_t tick = 0;          ///< low 16 bits
  std::uint16_t input_tick = 0;    ///< low 16 bits: every input up to this tick has arrived, or was
                                   ///< given up
  std::uint8_t base_age = 0;       ///< ticks from the base to this one; 0: on nothing, all is whole
  std::int8_t margin = 0;          ///< of encode_margin()
  std::uint8_t substituted = 0;    ///< inputs of this client that had to be made up, modulo 256
  std::uint8_t newest_packet = 0;  ///< low 8 bits of the newest client sequence that arrived: the
                                   ///< margin is its newest input's

  friend bool operator==(const SnapshotHead&, const SnapshotHead&) = default;
};

/// How long before `now` the step was that made `tick`, as causes count.
[[nodiscard]] constexpr std::uint8_t ago(Tick now, Tick tick) {
  return static_cast<std::uint8_t>(now - tick);
}

/// A player's stick has changed: in the step that made the tick so many ticks before the
/// snapshot's, and from then on.
struct InputCause {
  std::uint8_t ago = 0;     ///< ticks, 0 to kBaseAgeMax − 1
  std::uint8_t member = 0;  ///< of the base
  std::uint8_t move = 0;

  friend constexpr auto operator<=>(const InputCause&, const InputCause&) = default;
};

struct ShotCause {
  std::uint8_t ago = 0;
  std::uint8_t member = 0;
  std::uint16_t aim = 0;
  game::Weapon weapon = game::Weapon::Gun;

  friend constexpr auto operator<=>(const ShotCause&, const ShotCause&) = default;
};

/// An outcome: what a replay cannot derive.
struct PlacementCause {
  std::uint8_t ago = 0;
  std::uint8_t member = 0;
  std::uint16_t place = 0;  ///< index into the map's places to appear at

  friend constexpr auto operator<=>(const PlacementCause&, const PlacementCause&) = default;
};

/// Each list in one order only: of the older tick first, then by member; each member at most once a
/// tick. Leaves by member.
struct Causes {
  BoundedVector<InputCause, kCausesMax> inputs;
  BoundedVector<ShotCause, kCausesMax> shots;
  BoundedVector<PlacementCause, kCausesMax> placements;
  BoundedVector<std::uint8_t, kViewMembersMax> leaves;

  [[nodiscard]] bool empty() const {
    return inputs.empty() && shots.empty() && placements.empty() && leaves.empty();
  }

  void clear() {
    inputs.clear();
    shots.clear();
    placements.clear();
    leaves.clear();
  }
};

/// What has become of the client's packets; told now and then.
struct LinkStatus {
  std::uint32_t newest_packet = 0;     ///< low 32 bits of the newest client sequence that arrived
  std::uint32_t packets_received = 0;  ///< client packets that arrived, ever
  std::uint32_t late = 0;              ///< inputs that came after their tick

  friend bool operator==(const LinkStatus&, const LinkStatus&) = default;
};

enum class EventKind : std::uint8_t {
  Hit,    ///< `subject` hit the player in seat `what`
  Score,  ///< `subject` has a score with these low 16 bits
  Spawn,  ///< `subject` has appeared, at the place `what`
};
inline constexpr std::uint8_t kEventKinds = 3;

/// Something that happened beside the movement of bodies.
struct Event {
  std::uint16_t number = 0;  ///< from 1, one after the other, modulo 2^16
  PlayerId subject;
  std::uint16_t what = 0;
  std::uint8_t ago = 0;  ///< ticks before the snapshot's own; 255: or more
  EventKind kind = EventKind::Hit;

  friend bool operator==(const Event&, const Event&) = default;
};

/// Events in one snapshot.
inline constexpr std::size_t kSnapshotEventsMax = 16;
using Events = BoundedVector<Event, kSnapshotEventsMax>;

struct Snapshot {
  SnapshotHead head;
  Causes causes;
  /// Whole, by id, each once; none is a member of the base that leaves.
  BoundedVector<game::EntityState, kSnapshotBodiesMax> bodies;
  std::optional<LinkStatus> status;
  /// One after the other by number.
  Events events;
};

}  // namespace tickbox::protocol
