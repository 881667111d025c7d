#pragma once
// A world stepped twice: by the simulation, and by a plain discrete method beside it. Bodies that
// came through others are counted in both in the same way, from places alone.

#include "sim/step.h"
#include "sim/world.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::commands {

/// Moves everything its whole way, then pushes each pair that overlaps apart, once, by the
/// penetration vector of the Minkowski difference; of two dynamic bodies each goes half the way. A
/// push ends the velocity along it. No responses, friction, riders or waiting. Returns the pairs
/// pushed apart, and the bodies at the border with it; in no order.
/// Source: Hamaluik, Simple AABB Collision Detection Using the Minkowski Difference (2014).
std::vector<sim::BodyPair> step_discretely(sim::World& world);

/// The face by which a box went into another.
struct Passage {
  sim::Axis axis = 0;
  bool from_low = false;  ///< by the face with the lower coordinate

  friend bool operator==(const Passage&, const Passage&) = default;
};

/// How `body` came through `other` within a tick: apart before and after, and inside in between. By
/// a corner, it is the axis of larger speed, then y. Nothing for those that only touch, or move by
/// more than the world's width relative to each other.
[[nodiscard]] std::optional<Passage> passage_through(const sim::Motion& body,
                                                     const sim::Motion& other);

/// One body that came through another.
struct Crossing {
  Tick tick{};
  BodyId body{};  ///< the dynamic one; of two, the lower id
  BodyId through{};

  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// Crossings that are kept one by one; the others are only counted.
inline constexpr std::size_t kCrossingsKept = 32;

/// The crossings of one way of stepping.
struct ComparedSide {
  std::uint64_t unseen = 0;       ///< came through, and the stepper saw nothing of the two
  std::uint64_t pushed = 0;       ///< was seen, and put on the far side all the same
  std::vector<Crossing> first{};  ///< of both, up to kCrossingsKept
  std::vector<BodyId> beyond{};   ///< came through, and is on the far side now or left; by id
  std::size_t overlaps_left = 0;
};

/// What a stepper says of a tick.
struct TickNotes {
  std::vector<sim::BodyPair> met{};  ///< in no order
  std::vector<BodyId> turned{};      ///< bodies with a course bent for another reason
};

/// Counts the crossings of one way of stepping. Between ticks a course is taken for straight, so a
/// pair is judged only where neither met a third body in that tick, nor was turned.
class CrossingCounter {
 public:
  void before(const sim::World& world) { before_ = {world.movers().begin(), world.movers().end()}; }

  [[nodiscard]] const std::vector<sim::Body>& bodies_before() const { return before_; }

  /// Compares with before(); bodies that left the world in between are not judged.
  void after(Tick tick, const sim::World& world, const TickNotes& notes);

  [[nodiscard]] ComparedSide result(const sim::World& world) const;

 private:
  std::vector<sim::Body> before_;
  std::map<std::pair<BodyId, BodyId>, Passage> entered_;  ///< body and the one it crossed: first
  ComparedSide counts_;
};

struct Compared {
  ComparedSide discrete{};
  ComparedSide tickbox{};
};

/// Steps a copy of a world beside it, and counts in both. Each tick: change both worlds,
/// before_step(), step `world`, after_step().
class Comparison {
 public:
  explicit Comparison(const sim::World& world) : discrete_(world) {}

  [[nodiscard]] sim::World& discrete_world() { return discrete_; }

  void before_step(const sim::World& world) {
    ours_.before(world);
    theirs_.before(discrete_);
  }

  void after_step(Tick tick, const sim::World& world, const sim::StepReport& report);

  [[nodiscard]] Compared result(const sim::World& world) const {
    return {.discrete = theirs_.result(discrete_), .tickbox = ours_.result(world)};
  }

 private:
  sim::World discrete_;
  CrossingCounter ours_;
  CrossingCounter theirs_;
};

/// `{"with":"discrete","discrete":{…},"tickbox":{…}}`
[[nodiscard]] std::string comparison_document(const Compared& compared);

/// Some lines for people.
[[nodiscard]] std::string comparison_summary(const Compared& compared);

}  // namespace tickbox::commands
