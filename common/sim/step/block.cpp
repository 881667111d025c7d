// The touching block of an inelastic contact, solved at once.
//
// Pair by pair, a chain of k bodies that are pushed would come to one velocity only after about k²
// log v exchanges of momentum. So the two that meet are taken as one body, and again and again the
// body that runs into it fastest, or that it runs into, joins; all leave with their common velocity
// after one event each.

#include "sim/step/step_run.h"

#include <cstdint>

namespace tickbox::sim {

/// Fills block_.members and block_.touches, adds a contact for each that joined, and returns the
/// velocity of all.
std::int64_t StepRun::gather_block(const Event& event, std::uint32_t low, std::uint32_t high,
                                   std::int64_t approach) {
  const Axis axis = event.axis;
  const FineTime now = event.whole;
  block_.neighbours.clear();
  std::int64_t mass = 0;
  std::int64_t momentum = 0;
  const auto add = [&](std::uint32_t mover) {
    mass += movers_.bodies[mover].mass;
    momentum += movers_.bodies[mover].mass * movers_.states[mover].motion.velocity[axis];
    add_member(mover, axis, now);
  };
  add(low);
  add(high);
  block_.touches.push_back({low, high, approach, friction_of(low, high)});

  const BlockNeighbour* found = nullptr;
  while ((found = fastest_neighbour(axis, momentum / mass)) != nullptr) {
    const auto [joining, member, end] = *found;
    const std::uint32_t below = end == End::High ? member : joining;
    const std::uint32_t above = end == End::High ? joining : member;
    add_contact(event.impact(), movers_.bodies[below].id, movers_.bodies[above].id);
    block_.touches.push_back(
        {below, above, approach_of(*found, axis, momentum / mass), friction_of(below, above)});
    add(joining);
  }
  for (const std::uint32_t member : block_.members) {
    block_.is_member[member] = 0;
  }
  return momentum / mass;
}

void StepRun::add_member(std::uint32_t mover, Axis axis, FineTime now) {
  block_.members.push_back(mover);
  block_.is_member[mover] = 1;
  const Motion& motion = movers_.states[mover].motion;
  const Rect around = rect_of(grown(hull_of(motion, now, now), 1));
  candidates_.grid.visit_near(around, [&](std::uint32_t other) {
    const Body& body = movers_.bodies[other];
    if (block_.is_member[other] != 0 || body.kind != Kind::Dynamic ||
        !may_collide(movers_.bodies[mover], body)) {
      return;
    }
    const Motion& theirs = movers_.states[other].motion;
    if (!overlap_on(motion, theirs, other_axis(axis), now)) return;
    const Fine above = theirs.low(axis, now) - motion.high(axis, now);
    const Fine below = motion.low(axis, now) - theirs.high(axis, now);
    if (above >= 0 && above < kFineSteps) block_.neighbours.push_back({other, mover, End::High});
    if (below >= 0 && below < kFineSteps) block_.neighbours.push_back({other, mover, End::Low});
  });
}

/// How fast the block, at `velocity`, and a neighbour of it come together.
std::int64_t StepRun::approach_of(const BlockNeighbour& neighbour, Axis axis,
                                  std::int64_t velocity) const {
  const std::int64_t theirs = movers_.states[neighbour.mover].motion.velocity[axis];
  return neighbour.end == End::High ? velocity - theirs : theirs - velocity;
}

const BlockNeighbour* StepRun::fastest_neighbour(Axis axis, std::int64_t velocity) {
  std::erase_if(block_.neighbours,
                [this](const BlockNeighbour& one) { return block_.is_member[one.mover] != 0; });
  const BlockNeighbour* best = nullptr;
  std::int64_t best_approach = 0;
  for (const BlockNeighbour& neighbour : block_.neighbours) {
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

bool StepRun::can_join(const BlockNeighbour& neighbour, Axis axis, std::int64_t approach) const {
  const MoverState& flight = movers_.states[neighbour.mover];
  if (flight.is_spent() || flight.is_blocked(axis, neighbour.end)) return false;
  return bounciness_of(movers_.bodies[neighbour.mover]) == 0 ||
         approach <= calm_speed(environment_, axis) || is_tired(flight.events, Kind::Dynamic);
}

}  // namespace tickbox::sim
