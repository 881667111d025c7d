#pragma once
// What a step reports: contacts, and pairs of bodies.

#include "core/fixed.h"
#include "core/ids.h"
#include "sim/step/motion.h"

#include <compare>
#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// The limit of events of a body in one tick. A body that has used it up is immovable; a further
/// event freezes it at rest until the tick ends.
inline constexpr std::uint32_t kEventLimit = 64;

/// One handled event, or a body that joined the block of that event. Sorted by time, then lower id,
/// then higher id; repeats included. Small, since a step sorts many.
///
/// The relative velocity includes this tick's gravity: for a body that rests on a floor it is the
/// gravity of one tick, in every tick. It also includes what a platform gives to its riders, and
/// the changes by earlier contacts of the tick. Static bodies and the border have velocity 0. For a
/// body that joins a block it is often 0: the block approaches the body, and the member that
/// touches it may not.
struct Contact {
  BodyId a;                  ///< the lower id
  BodyId b;                  ///< the higher id; kWorldBorder for a side of the world
  std::int8_t normal_x = 0;  ///< points from b to a
  std::int8_t normal_y = 0;
  std::int32_t time = 0;       ///< whole fine steps, 0 to kFineSteps − 1
  std::int32_t time_rest = 0;  ///< the exact time is time + time_rest / time_divisor
  std::int32_t time_divisor = 1;
  Vec2 relative_velocity{};  ///< of a minus that of b just before the contact, sub-units per tick

  friend bool operator==(const Contact&, const Contact&) = default;
};

static_assert(kFineSteps <= INT32_MAX && 2 * std::int64_t{kSpeedLimit} <= INT32_MAX);
static_assert(sizeof(Contact) == 40);

/// Two bodies, the one with the lower id first.
struct BodyPair {
  BodyId low;
  BodyId high;

  friend constexpr auto operator<=>(const BodyPair&, const BodyPair&) = default;
};

[[nodiscard]] constexpr BodyPair ordered_pair(BodyId a, BodyId b) {
  return a < b ? BodyPair{a, b} : BodyPair{b, a};
}

/// The events of a step. Valid until the next step of the same PhysicsStepper.
struct StepReport {
  std::vector<Contact> contacts;
  std::vector<BodyId> frozen;  ///< bodies over their budget of events, by id
  std::vector<BodyId> left;    ///< bodies removed at the border, by id
  /// Pairs that no depenetration separated and that still overlap; by ids.
  std::vector<BodyPair> overlaps;
  std::vector<BodyPair> separated;  ///< pairs separated when the tick began, by ids
  std::vector<BodyId> blocked;      ///< kinematic bodies that waited, by id
  std::vector<BodyId> crushed;      ///< bodies crushed by a kinematic body, by id
  /// Pairs of a ghost and another body that began to overlap; by ids, repeats included.
  std::vector<BodyPair> begin;
  /// Pairs of a ghost and another body that ceased to overlap; by ids, repeats included.
  std::vector<BodyPair> end;
  /// Pairs of a mover and another mover or a fixed body of which one changed the other, or may
  /// have, without a contact. These are a rider and its carrier, two bodies that must stay apart
  /// (stay_apart()) but overlapped when the tick began, and two bodies of which one hindered the
  /// separation or the snap of the other. By ids, each once. A body that neither these nor contacts
  /// join with any other moves as it would alone on the statics.
  std::vector<BodyPair> influences;
  std::uint32_t events = 0;      ///< number of contacts
  std::uint32_t events_max = 0;  ///< most events of one dynamic body
};

}  // namespace tickbox::sim
