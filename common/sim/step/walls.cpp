#include "sim/step/walls.h"

#include "sim/response.h"

#include <bit>

namespace tickbox::sim {
namespace {

/// The order of the event queue. Among the pairs of one mover, the order of ids is that of the
/// partners' ids.
bool is_earlier(const Impact& impact, BodyId id, const WallHit& first) {
  if (!first.found) return true;
  if (const auto order = impact.at <=> first.impact.at; order != 0) return order < 0;
  if (impact.length != first.impact.length) return impact.length > first.impact.length;
  if (id != first.id) return id < first.id;
  if (impact.at.divisor != first.impact.at.divisor) {
    return impact.at.divisor > first.impact.at.divisor;
  }
  return impact.axis > first.impact.axis;
}

/// Drops what is known near bodies that have been added or removed.
void invalidate_near(std::span<const FixedChange> changes, KnownWalls& known) {
  for (const FixedChange& change : changes) {
    if (change.is_ghost) {
      known.ghosts.invalidate_near(change.rect);
    } else {
      known.cache.invalidate_near(change.rect);
      known.memo.invalidate_near(change.rect);
    }
  }
}

}  // namespace

void RestMemo::invalidate_near(const Rect& area) {
  for (std::size_t mover = 0; mover < has_rest.size(); ++mover) {
    const Body& body = rests[mover].body;
    if (has_rest[mover] != 0 && touch(hull_of_path(body, body.velocity), area)) has_rest[mover] = 0;
  }
}

void KnownWalls::start(const PhysicsWorld& world) {
  const std::size_t movers = world.movers().size();
  if (movers >= capacity) {
    capacity = std::bit_ceil(movers + 1);
    cache.reserve(capacity);
    ghosts.reserve(capacity);
    memo.reserve(capacity);
  }
  const auto changes = fixed.poll(world.shared_fixed());
  if (!changes || statics != world.shared_statics()) {
    statics = world.shared_statics();
    cache.invalidate();
    ghosts.invalidate();
    memo.invalidate();
  } else {
    invalidate_near(*changes, *this);
  }
  const Immovables immovables = world.immovables();
  cache.start(immovables, movers);
  ghosts.start(immovables, immovables.has(Solidity::Ghost) ? movers : 0);
  memo.start(movers);
}

void keep_earlier(WallHit& first, const Impact& impact, const Motion& motion, const Wall& wall) {
  const bool counts = wall.one_way == OneWay::None ||
                      is_from_solid_side(wall.one_way, impact, motion, resting(wall.rect));
  if (counts && is_earlier(impact, wall.id, first)) {
    first = {impact, wall.id, wall.index, wall.is_dull, true};
  }
}

void keep_border(WallHit& first, const Motion& motion, FineTime now) {
  for (Axis axis = 0; axis < kAxes; ++axis) {
    const auto impact = time_to_border(motion, axis, now);
    if (impact && is_earlier(*impact, kWorldBorder, first)) {
      first = {*impact, kWorldBorder, WallHit::kNoWall, false, true};
    }
  }
}

WallHit first_wall_near(std::uint32_t mover, const Rect& hull, const Environment& environment,
                        const Movers& movers, const WallsNear& walls) {
  const Motion& motion = movers.states[mover].motion;
  WallHit first;
  for (const Wall& wall : walls.of(mover)) {
    if (!overlap(hull, wall.rect)) continue;
    const auto impact = time_of_impact(motion, resting(wall.rect), 0);
    if (impact) keep_earlier(first, *impact, motion, wall);
  }
  if (is_near_border(hull) && meets_border(movers.bodies[mover], environment)) {
    keep_border(first, motion, 0);
  }
  return first;
}

WallHit first_wall_on_path(std::uint32_t mover, const Rect& hull, FineTime now,
                           const Environment& environment, const Movers& movers) {
  const Immovables& immovables = environment.immovables;
  const Body& body = movers.bodies[mover];
  const Motion& motion = movers.states[mover].motion;
  WallHit first;
  if (is_at_rest(motion)) return first;
  if (movers.meets_statics(mover)) {
    std::uint64_t visits = 0;
    const auto consider = [&](std::uint32_t index) {
      ++visits;
      const Body& wall = immovables[index];
      if (!may_collide(body, wall)) return;
      const auto impact = time_of_impact(motion, motion_of(wall.min, wall.size, {}), now);
      if (impact) keep_earlier(first, *impact, motion, wall_of(wall, index));
    };
    immovables.visit_path(Solidity::Solid, {motion, now, hull}, consider, [&](FineTime walked) {
      return first.found && first.impact.at.whole < walked;
    });
    movers.searches->count(visits);
  }
  if (!contains(kWholeWorld, box_of(hull)) && meets_border(body, environment)) {
    keep_border(first, motion, now);
  }
  return first;
}

}  // namespace tickbox::sim
