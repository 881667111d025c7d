// The touching block of an inelastic contact, solved at once.
//
// Pair by pair, a chain of k bodies that are pushed would come to one velocity only after about k²
// log v exchanges of momentum. So the two that meet are taken as one body, and again and again the
// body that runs into it fastest, or that it runs into, joins; all leave with their common velocity
// after one event each.

#include "sim/step/step_run.h"

#include <cstdint>

namespace tickbox::sim {

/// Fills members_ and touches_, adds a contact for each that joined, and returns the velocity of
/// all.
std::int64_t StepRun::gather_block(const Event& event, std::uint32_t low, std::uint32_t high,
                                   std::int64_t approach) {
  const Axis axis = event.axis;
  const FineTime now = event.whole;
  neighbours_.clear();
  std::int64_t mass = 0;
  std::int64_t momentum = 0;
  const auto add = [&](std::uint32_t mover) {
    mass += bodies_[mover].mass;
    momentum += bodies_[mover].mass * flights_[mover].motion.velocity[axis];
    add_member(mover, axis, now);
  };
  add(low);
  add(high);
  touches_.push_back({low, high, approach, friction_of(low, high)});

  const Neighbour* found = nullptr;
  while ((found = fastest_neighbour(axis, momentum / mass)) != nullptr) {
    const auto [joining, member, end] = *found;
    const std::uint32_t below = end == End::High ? member : joining;
    const std::uint32_t above = end == End::High ? joining : member;
    add_contact(event.impact(), bodies_[below].id, bodies_[above].id);
    touches_.push_back(
        {below, above, approach_of(*found, axis, momentum / mass), friction_of(below, above)});
    add(joining);
  }
  for (const std::uint32_t member : members_) {
    is_member_[member] = 0;
  }
  return momentum / mass;
}

void StepRun::add_member(std::uint32_t mover, Axis axis, FineTime now) {
  members_.push_back(mover);
  is_member_[mover] = 1;
  const Motion& motion = flights_[mover].motion;
  const Rect around = rect_of(grown(hull_of(motion, now, now), 1));
  grid_.visit_near(around, [&](std::uint32_t other) {
    const Body& body = bodies_[other];
    if (is_member_[other] != 0 || body.kind != Kind::Dynamic ||
        !may_collide(bodies_[mover], body)) {
      return;
    }
    const Motion& theirs = flights_[other].motion;
    if (!overlap_on(motion, theirs, other_axis(axis), now)) return;
    const Fine above = theirs.low(axis, now) - motion.high(axis, now);
    const Fine below = motion.low(axis, now) - theirs.high(axis, now);
    if (above >= 0 && above < kFineSteps) neighbours_.push_back({other, mover, End::High});
    if (below >= 0 && below < kFineSteps) neighbours_.push_back({other, mover, End::Low});
  });
}

/// How fast the block, at `velocity`, and a neighbour of it come together.
std::int64_t StepRun::approach_of(const Neighbour& neighbour, Axis axis,
                                  std::int64_t velocity) const {
  const std::int64_t theirs = flights_[neighbour.mover].motion.velocity[axis];
  return neighbour.end == End::High ? velocity - theirs : theirs - velocity;
}

const StepRun::Neighbour* StepRun::fastest_neighbour(Axis axis, std::int64_t velocity) {
  std::erase_if(neighbours_, [this](const Neighbour& one) { return is_member_[one.mover] != 0; });
  const Neighbour* best = nullptr;
  std::int64_t best_approach = 0;
  for (const Neighbour& neighbour : neighbours_) {
    const std::int64_t approach = approach_of(neighbour, axis, velocity);
    if (approach <= 0 || approach < best_approach || !can_join(neighbour, axis, approach)) continue;
    const bool is_better = best == nullptr || approach > best_approach ||
                           neighbour.mover < best->mover ||
                           (neighbour.mover == best->mover && neighbour.member < best->member);
    if (!is_better) continue;
    best = &neighbour;
    best_approach = approach;
  }
  return best;
}

bool StepRun::can_join(const Neighbour& neighbour, Axis axis, std::int64_t approach) const {
  const Flight& flight = flights_[neighbour.mover];
  if (flight.is_spent() || flight.is_blocked(axis, neighbour.end)) return false;
  return bounciness_of(bodies_[neighbour.mover]) == 0 || approach <= calm_speed(axis) ||
         is_tired(flight.events, Kind::Dynamic);
}

}  // namespace tickbox::sim
