#include "sim/step/block.h"

#include "sim/step/contact.h"

namespace tickbox::sim {
namespace {

/// The axis on which a block is solved, and the moment.
struct BlockPlane {
  Axis axis;
  FineTime now;
  std::int64_t calm;  ///< approach speed up to which nothing bounces
};

void add_member(std::uint32_t mover, const BlockPlane& plane, const Movers& movers, Block& block) {
  const auto [axis, now, calm] = plane;
  block.members.push_back(mover);
  block.is_member[mover] = 1;
  const Motion& motion = movers.states[mover].motion;
  const Rect around = rect_of(grown(hull_of(motion, now, now), 1));
  movers.visit_near(around, [&](std::uint32_t other) {
    const Body& body = movers.bodies[other];
    if (block.is_member[other] != 0 || body.kind != Kind::Dynamic ||
        !may_collide(movers.bodies[mover], body)) {
      return;
    }
    const Motion& theirs = movers.states[other].motion;
    if (!overlap_on(motion, theirs, other_axis(axis), now)) return;
    const Fine above = theirs.low(axis, now) - motion.high(axis, now);
    const Fine below = motion.low(axis, now) - theirs.high(axis, now);
    if (above >= 0 && above < kFineSteps) block.neighbours.push_back({other, mover, End::High});
    if (below >= 0 && below < kFineSteps) block.neighbours.push_back({other, mover, End::Low});
  });
}

/// How fast the block, at `velocity`, and a neighbour of it approach each other.
std::int64_t approach_of(const BlockNeighbour& neighbour, Axis axis, std::int64_t velocity,
                         const Movers& movers) {
  const std::int64_t theirs = movers.states[neighbour.mover].motion.velocity[axis];
  return neighbour.end == End::High ? velocity - theirs : theirs - velocity;
}

bool can_join(const BlockNeighbour& neighbour, std::int64_t approach, const BlockPlane& plane,
              const Movers& movers) {
  const MoverState& state = movers.states[neighbour.mover];
  if (state.is_spent() || state.is_blocked(plane.axis, neighbour.end)) return false;
  return bounciness_of(movers.bodies[neighbour.mover]) == 0 || approach <= plane.calm ||
         is_over_bounce_budget(state.events, Kind::Dynamic);
}

/// The neighbour that joins next, or nullptr. Removes from the neighbours those that have joined.
const BlockNeighbour* fastest_neighbour(std::int64_t velocity, const BlockPlane& plane,
                                        const Movers& movers, Block& block) {
  std::erase_if(block.neighbours,
                [&](const BlockNeighbour& one) { return block.is_member[one.mover] != 0; });
  if (!movers.searches->count(block.neighbours.size())) return nullptr;
  const BlockNeighbour* best = nullptr;
  std::int64_t best_approach = 0;
  for (const BlockNeighbour& neighbour : block.neighbours) {
    const std::int64_t approach = approach_of(neighbour, plane.axis, velocity, movers);
    if (approach <= 0 || approach < best_approach) continue;
    if (!can_join(neighbour, approach, plane, movers)) continue;
    const bool is_better = best == nullptr || approach > best_approach ||
                           neighbour.mover < best->mover ||
                           (neighbour.mover == best->mover && neighbour.member < best->member);
    if (!is_better) continue;
    best = &neighbour;
    best_approach = approach;
  }
  return best;
}

}  // namespace

std::int64_t solve_block(const ImpactEvent& event, const Environment& environment,
                         const Movers& movers, Block& block, std::vector<Contact>& contacts) {
  const BlockPlane plane{event.axis, event.whole, calm_speed(environment, event.axis)};
  const Touch first = block.touches.front();
  block.neighbours.clear();
  std::int64_t mass = 0;
  std::int64_t momentum = 0;
  const auto add = [&](std::uint32_t mover) {
    mass += movers.bodies[mover].mass;
    momentum += movers.bodies[mover].mass * movers.states[mover].motion.velocity[plane.axis];
    add_member(mover, plane, movers, block);
  };
  add(first.low);
  add(first.high);

  const BlockNeighbour* found = nullptr;
  while ((found = fastest_neighbour(momentum / mass, plane, movers, block)) != nullptr) {
    const auto [joining, member, end] = *found;
    const std::uint32_t low = end == End::High ? member : joining;
    const std::uint32_t high = end == End::High ? joining : member;
    add_mover_contact(event.impact(), low, high, movers, contacts);
    block.touches.push_back({.low = low,
                             .high = high,
                             .change = approach_of(*found, plane.axis, momentum / mass, movers),
                             .friction = friction_of(low, high, movers)});
    add(joining);
  }
  for (const std::uint32_t member : block.members) {
    block.is_member[member] = 0;
  }
  return momentum / mass;
}

}  // namespace tickbox::sim
