#include "sim/step/resolve_resting.h"

namespace tickbox::sim {
namespace {

constexpr Motion kAtRest{};

Box box_at_start(std::uint32_t mover, const Movers& movers) {
  const Body& body = movers.bodies[mover];
  return box_of(body.min, body.size);
}

/// The first wall that a mover meets at the exact start.
WallHit first_touching_wall(std::uint32_t mover, const Environment& environment,
                            const Movers& movers, const Candidates& candidates) {
  const Motion& motion = movers.states[mover].motion;
  WallHit first;
  if (is_at_rest(motion)) return first;
  const Box box = box_at_start(mover, movers);
  const std::span walls = candidates.walls.of(mover);
  movers.searches->count(walls.size());
  for (const Wall& wall : walls) {
    const auto impact = impact_at_start(box, motion, box_of(wall.rect), kAtRest);
    if (impact) keep_earlier(first, *impact, motion, wall);
  }
  if (is_near_border(candidates.hulls[mover]) && meets_border(movers.bodies[mover], environment)) {
    keep_border(first, motion, 0);
    first.found = first.found && first.impact.at == Moment{};
  }
  return first;
}

/// Whether nothing but the velocity into the wall changes. Most contacts are such.
bool is_plain_rest(std::uint32_t mover, const WallHit& hit, const Movers& movers) {
  if (!hit.is_dull) return false;
  const Body& body = movers.bodies[mover];
  return body.response == Response::Slide && body.friction == 0 && !movers.states[mover].is_spent();
}

/// handle_wall_event() of a plain rest at the tick's start.
void come_to_rest(std::uint32_t mover, const WallHit& hit, Movers& movers, StepReport& report) {
  MoverState& state = movers.states[mover];
  const Axis axis = hit.impact.axis;
  const End end = add_wall_contact(hit.impact, mover, hit.id, movers, report.contacts);
  mark_turned(movers, mover);
  ++state.events;
  state.motion.velocity[axis] = 0;
  state.unblock(axis);
  state.block(axis, opposite(end));
  state.mark_changed(axis);
}

bool rests_again(std::uint32_t mover, const Movers& movers, const Candidates& candidates) {
  return candidates.known->memo.has_rest[mover] != 0 && movers.roles[mover] == Role::Full &&
         !candidates.has_neighbours(mover) &&
         movers.bodies[mover] == candidates.known->memo.rests[mover].body;
}

/// Whether the rest is all that happens to a mover, and depends on nothing but the mover.
bool is_lasting_rest(std::uint32_t mover, const Movers& movers, const Candidates& candidates,
                     const StepReport& report) {
  const MoverState& state = movers.states[mover];
  return is_at_rest(state.motion) && state.events == 1 &&
         !is_near_border(candidates.hulls[mover]) && candidates.walls.is_partial[mover] == 0 &&
         report.overlaps.empty();
}

/// Resolves all contacts at the exact start of a mover that touches no other.
void resolve_alone(std::uint32_t mover, const Environment& environment, Movers& movers,
                   Candidates& candidates, StepReport& report) {
  candidates.known->memo.has_rest[mover] = 0;
  for (;;) {
    const WallHit hit = first_touching_wall(mover, environment, movers, candidates);
    if (!hit.found) return;
    if (!is_plain_rest(mover, hit, movers)) {
      const ImpactEvent event = event_of(hit, mover, movers);
      handle_wall_event(event, environment, movers, report);
      continue;
    }
    come_to_rest(mover, hit, movers, report);
    if (is_lasting_rest(mover, movers, candidates, report)) {
      candidates.known->memo.rests[mover] = {movers.bodies[mover], hit};
      candidates.known->memo.has_rest[mover] = 1;
    }
  }
}

/// Notes that a mover has left the hull of its first path and covers `hull` from now on.
void escape(std::uint32_t mover, const Rect& hull, Movers& movers, Candidates& candidates,
            Impacts& impacts) {
  if (movers.meets_movers(mover)) movers.grid.update(mover, hull);
  candidates.hulls[mover] = hull;
  candidates.walls.is_partial[mover] = 1;
  movers.states[mover].has_escaped = true;
  impacts.escaped.push_back(mover);
}

/// Lets a mover escape if its contacts at the start have turned it out of the hull of its path.
void escape_if_outside(std::uint32_t mover, Movers& movers, Candidates& candidates,
                       Impacts& impacts) {
  const Rect hull = hull_of_path(movers.bodies[mover], movers.states[mover].motion);
  const Rect& before = candidates.hulls[mover];
  if (contains(before, hull)) return;
  const bool is_listed = !candidates.walls.of(mover).empty() || is_near_border(before) ||
                         candidates.walls.is_partial[mover] != 0;
  if (!is_listed) impacts.undecided.push_back(mover);
  escape(mover, hull, movers, candidates, impacts);
}

/// Finds the first wall of a mover whose contacts at the start are resolved.
void decide_first_wall(std::uint32_t mover, const Environment& environment, Movers& movers,
                       Candidates& candidates, Impacts& impacts) {
  if (is_at_rest(movers.states[mover].motion)) return;
  const Rect hull = hull_of_path(movers.bodies[mover], movers.states[mover].motion);
  const bool stays = contains(candidates.hulls[mover], hull);
  if (!stays) escape(mover, hull, movers, candidates, impacts);
  if (candidates.walls.is_partial[mover] != 0) {
    impacts.undecided.push_back(mover);
    return;
  }
  const WallHit hit = first_wall_near(mover, hull, environment, movers, candidates.walls);
  if (hit.found) impacts.on_walls.push_back(event_of(hit, mover, movers));
}

/// Lists the walls near the first path of a mover. Where the path is long, it lists only those at
/// its start: the sweep looks for the others along the path.
void list_walls(std::uint32_t mover, const Environment& environment, const Movers& movers,
                Candidates& candidates, StepReport& report) {
  if (!movers.meets_statics(mover)) return;
  const Body& body = movers.bodies[mover];
  const auto note = [&](const Wall& wall) {
    if (!may_meet(body, wall)) return;  // neither is a ghost here, and the body is dynamic
    candidates.walls.walls.push_back(wall);
    if (overlap(rect_of(box_of(body.min, body.size)), wall.rect)) {
      record_overlap(body, environment.immovables[wall.index], report);
    }
  };
  const Rect& hull = candidates.hulls[mover];
  const std::int64_t extent = extent_of(hull);
  if (extent <= environment.immovables.long_extent(Solidity::Solid)) {
    candidates.known->cache.visit(mover, hull, extent, note);
    return;
  }
  const Rect start = rect_of(box_of(body.min, body.size));
  candidates.walls.is_partial[mover] = 1;
  candidates.known->cache.visit(mover, start, extent_of(start), note);
}

void push_touching_pair(std::uint32_t a, std::uint32_t b, const Movers& movers, Impacts& impacts) {
  const auto impact = impact_at_start(box_at_start(a, movers), movers.states[a].motion,
                                      box_at_start(b, movers), movers.states[b].motion);
  if (impact && counts(*impact, a, b, movers, impacts.crushing)) {
    impacts.queue.push(event_of(*impact, a, b, movers));
  }
}

}  // namespace

void meet_walls(const Environment& environment, Movers& movers, Candidates& candidates,
                Impacts& impacts, StepReport& report) {
  candidates.walls.walls.clear();
  for (std::uint32_t mover = 0; mover < movers.bodies.size(); ++mover) {
    const Role role = movers.roles[mover];
    const Rect& hull = candidates.hulls[mover];
    const auto first = static_cast<std::uint32_t>(candidates.walls.walls.size());
    candidates.walls.first[mover] = first;
    candidates.walls.is_partial[mover] = 0;
    if (role == Role::Full && candidates.known->cache.is_clear(mover, hull)) continue;
    if (rests_again(mover, movers, candidates)) {
      come_to_rest(mover, candidates.known->memo.rests[mover].on, movers, report);
      continue;
    }
    list_walls(mover, environment, movers, candidates, report);
    candidates.walls.first[mover + 1] = static_cast<std::uint32_t>(candidates.walls.walls.size());
    const bool has_any = candidates.walls.walls.size() != first ||
                         candidates.walls.is_partial[mover] != 0 || is_near_border(hull);
    if (!has_any && role != Role::Alone) continue;
    if (role != Role::Full || candidates.has_neighbours(mover)) {
      if (movers.meets_movers(mover)) impacts.leaning.push_back(mover);
      impacts.undecided.push_back(mover);
      continue;
    }
    resolve_alone(mover, environment, movers, candidates, report);
    decide_first_wall(mover, environment, movers, candidates, impacts);
    candidates.walls.walls.resize(first);
  }
  candidates.walls.first[movers.bodies.size()] =
      static_cast<std::uint32_t>(candidates.walls.walls.size());
}

void resolve_resting(const Environment& environment, Movers& movers, Candidates& candidates,
                     Impacts& impacts, StepReport& report) {
  const std::size_t turned_before = movers.turned.size();
  const auto push_wall = [&](std::uint32_t mover) {
    push(first_touching_wall(mover, environment, movers, candidates), mover, movers, impacts);
  };
  for (const std::uint32_t mover : impacts.leaning) {
    push_wall(mover);
  }
  visit_counted(candidates.touching, *movers.searches,
                [&](const Pair pair) { push_touching_pair(pair.a, pair.b, movers, impacts); });
  while (!impacts.queue.empty() && movers.searches->count(kSearchesPerImpact)) {
    const ImpactEvent event = impacts.queue.pop();
    if (!is_current(event, movers, impacts.crushing)) continue;
    handle_event(event, environment, movers, impacts, report);
    for (const std::uint32_t mover : impacts.changed) {
      push_wall(mover);
      const std::span neighbours = candidates.neighbours_of(mover);
      movers.searches->count(neighbours.size());
      for (const std::uint32_t neighbour : neighbours) {
        push_touching_pair(mover, neighbour, movers, impacts);
      }
    }
    impacts.changed.clear();
  }
  for (std::size_t i = turned_before; i < movers.turned.size(); ++i) {
    escape_if_outside(movers.turned[i], movers, candidates, impacts);
  }
}

}  // namespace tickbox::sim
