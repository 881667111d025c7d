#pragma once
// Who came through whom, tick by tick, told by places alone: the same count for any stepper.
//
// Between ticks a body's course is taken for straight. So a pair is judged only where neither of
// the two met a third body in that tick, nor was turned or moved in another way: their courses
// relative to each other are then straight, or bent at each other, and a swept step has no way to
// the far side.

#include "client/apps/passage.h"
#include "sim/step.h"
#include "sim/world.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tickbox::apps {

/// One body that came through another.
struct Crossing {
  Tick tick{};
  BodyId body{};  ///< the dynamic one; of two, the lower id
  BodyId through{};

  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// Crossings that are kept one by one; the others are only counted.
inline constexpr std::size_t kCrossingsKept = 32;

struct CrossingCounts {
  std::uint64_t unseen = 0;       ///< came through, and the stepper saw nothing of the two
  std::uint64_t pushed = 0;       ///< was seen, and put on the far side all the same
  std::vector<Crossing> first{};  ///< of both, up to kCrossingsKept
};

/// What a stepper says of a tick.
struct TickNotes {
  std::vector<sim::BodyPair> met{};  ///< in no order
  std::vector<BodyId> turned{};      ///< whose course was not straight for another reason
};

class CrossingCounter {
 public:
  /// Takes down where everybody is before a tick.
  void before(const sim::World& world);

  /// Looks at who is where after it. Who left the world in it is not looked at.
  void after(Tick tick, const sim::World& world, const TickNotes& notes);

  [[nodiscard]] const CrossingCounts& counts() const { return counts_; }

  /// Who, of those that came through somebody, is on the far side of him now, or has left the world
  /// since; by id.
  [[nodiscard]] std::vector<BodyId> beyond(const sim::World& world) const;

 private:
  struct Mover {
    sim::Body body;
    Course course;
  };

  /// Whether a, which is dynamic, came through b.
  void judge(Tick tick, const Mover& a, const Mover& b);
  [[nodiscard]] bool met_only(BodyId id, BodyId other) const;

  std::vector<sim::Body> before_;
  std::map<BodyId, BodyId> met_;                          ///< with whom; kNoBody for several
  std::vector<Crossing> found_;                           ///< of this tick
  std::map<std::pair<BodyId, BodyId>, Passage> entered_;  ///< who, through whom: the first time
  CrossingCounts counts_;
};

}  // namespace tickbox::apps
