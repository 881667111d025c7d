#pragma once
// One tick of physics: every box moves along its path, meets what it meets in the exact order of
// time, and nothing overlaps.

#include "sim/step/motion.h"
#include "sim/world.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

namespace tickbox::sim {

/// Events a body may have in one tick; past it, it is frozen: put to rest, and immovable until the
/// tick ends.
inline constexpr std::uint32_t kEventBudget = 64;

/// One handled event, or a body that joined a block by it. Sorted by time, then lower id, then
/// higher id; repeats included.
struct Contact {
  BodyId a;                  ///< the lower id
  BodyId b;                  ///< kWorldBorder where a side of the world was hit
  std::int8_t normal_x = 0;  ///< points from b to a
  std::int8_t normal_y = 0;
  std::int64_t time = 0;       ///< whole fine steps, 0 to kFineSteps − 1
  std::int64_t time_rest = 0;  ///< the exact time is time + time_rest / time_divisor
  std::int64_t time_divisor = 1;

  friend bool operator==(const Contact&, const Contact&) = default;
};

/// Two bodies, the one with the lower id first.
struct BodyPair {
  BodyId low;
  BodyId high;

  friend constexpr auto operator<=>(const BodyPair&, const BodyPair&) = default;
};

[[nodiscard]] constexpr BodyPair ordered_pair(BodyId a, BodyId b) {
  return a < b ? BodyPair{a, b} : BodyPair{b, a};
}

/// What a step did, beside moving. Valid until the next step of the same Stepper.
struct StepReport {
  std::vector<Contact> contacts;
  std::vector<BodyId> frozen;  ///< by id
  std::vector<BodyId> left;    ///< removed at the border, by id
  std::vector<BodyPair>
      overlaps;  ///< could not be parted when the tick began, and still overlap; by ids
  std::vector<BodyPair> separated;  ///< were parted when the tick began, by ids
  std::vector<BodyId> blocked;      ///< kinematic bodies that waited, by id
  std::vector<BodyId> crushed;      ///< by a kinematic body, by id
  std::vector<BodyPair>
      begin;  ///< of a ghost and another: began to overlap; by ids, repeats included
  std::vector<BodyPair>
      end;  ///< of a ghost and another: no longer overlap; by ids, repeats included
  /// Movers of which one changed the other, or may have, without a contact: who rides and on what,
  /// who overlapped when the tick began, who was in the way of parting them or of a snap. By ids,
  /// each once. So bodies that neither these nor contacts join with any other move as they would
  /// alone.
  std::vector<BodyPair> influences;
  std::uint32_t events = 0;      ///< handled in all, one for each contact
  std::uint32_t events_max = 0;  ///< of one dynamic body
};

/// Steps worlds. Holds only scratch memory, so one Stepper serves any number of worlds, one after
/// the other, and the result never depends on what it stepped before. Cost: no allocation once
/// warm.
class Stepper {
 public:
  Stepper();
  ~Stepper();
  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;

  /// Moves `world` by one tick. Bodies that overlap when it begins are parted; where that cannot be
  /// done, they do not collide with each other until they are apart. Requires: every mover within
  /// the limits of Body. Source: the swept AABB against the Minkowski difference, on a time
  /// lattice.
  const StepReport& step(World& world);

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace tickbox::sim
