#include "sim/step/sweep.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tickbox::sim {
namespace {

/// Puts the impact of two movers into the queue, if they meet from `now` on.
void push_pair(std::uint32_t a, std::uint32_t b, FineTime now, const Movers& movers,
               Impacts& impacts) {
  const auto impact = time_of_impact(movers.states[a].motion, movers.states[b].motion, now);
  if (impact && counts(*impact, a, b, movers, impacts.crushing)) {
    impacts.queue.push(event_of(*impact, a, b, movers));
  }
}

/// The pairs found at the tick's start are still all that may meet, except for the movers that have
/// escaped from their hulls.
void push_pairs(const Movers& movers, const Candidates& candidates, Impacts& impacts) {
  const auto& states = movers.states;
  visit_counted(candidates.pairs, *movers.searches, [&](const Pair pair) {
    if (states[pair.a].has_escaped || states[pair.b].has_escaped) return;
    push_pair(pair.a, pair.b, 0, movers, impacts);
  });
  for (const std::uint32_t mover : impacts.escaped) {
    if (!movers.meets_movers(mover)) continue;
    movers.visit_near(candidates.hulls[mover], [&](std::uint32_t other) {
      if (other == mover || (states[other].has_escaped && other < mover)) return;
      if (!may_collide(movers.bodies[mover], movers.bodies[other])) return;
      push_pair(mover, other, 0, movers, impacts);
    });
  }
}

/// The first wall that a mover meets after the tick's start.
WallHit first_wall(std::uint32_t mover, const Environment& environment, const Movers& movers,
                   const Candidates& candidates) {
  if (candidates.walls.is_partial[mover] != 0) {
    return first_wall_on_path(mover, candidates.hulls[mover], 0, environment, movers);
  }
  const Motion& motion = movers.states[mover].motion;
  if (is_at_rest(motion)) return {};
  const Rect hull = hull_of_path(movers.bodies[mover], motion);
  return first_wall_near(mover, hull, environment, movers, candidates.walls);
}

/// What a mover covers from `now` to the tick's end.
Rect hull_from(std::uint32_t mover, FineTime now, const Movers& movers) {
  return rect_of(hull_of(movers.states[mover].motion, now, kFineSteps));
}

/// Returns what hull_from() returns, and adds it to the hull of the mover's course if there are
/// ghosts.
Rect hull_of_rest(std::uint32_t mover, FineTime now, const Movers& movers, Candidates& candidates) {
  const Rect hull = hull_from(mover, now, movers);
  if (movers.has_ghosts) candidates.hulls[mover] = united(candidates.hulls[mover], hull);
  return hull;
}

/// Puts the impacts of a mover from `now` on into the queue: on other movers, and on its first
/// wall.
// NOLINTNEXTLINE(readability-function-size): each argument is read or changed in every search
void search_again(std::uint32_t mover, FineTime now, const Environment& environment, Movers& movers,
                  Candidates& candidates, Impacts& impacts) {
  const Rect hull = hull_of_rest(mover, now, movers, candidates);
  movers.grid.update(mover, hull);
  std::uint64_t visits = 0;
  const std::size_t queued = impacts.queue.size();
  movers.grid.visit_near(hull, [&](std::uint32_t other) {
    ++visits;
    if (other == mover || !may_collide(movers.bodies[mover], movers.bodies[other])) return;
    push_pair(mover, other, now, movers, impacts);
  });
  if (movers.states[mover].is_in_crush) movers.searches->count(visits * impacts.crushing.size());
  movers.searches->count_again(visits);
  movers.searches->count(kSearchesPerImpact * (impacts.queue.size() - queued));
  push(first_wall_on_path(mover, hull, now, environment, movers), mover, movers, impacts);
}

/// Makes every dynamic body immovable: its next event stops it until the tick ends.
void spend_all(Movers& movers) {
  for (std::size_t mover = 0; mover < movers.bodies.size(); ++mover) {
    MoverState& state = movers.states[mover];
    if (movers.bodies[mover].kind == Kind::Dynamic) {
      state.events = std::max(state.events, kEventLimit);
    }
  }
}

}  // namespace

void sweep(const Environment& environment, Movers& movers, Candidates& candidates, Impacts& impacts,
           StepReport& report) {
  const auto handle = [&](const ImpactEvent& event) {
    handle_event(event, environment, movers, impacts, report);
  };
  for (const ImpactEvent& event : impacts.on_walls) {
    impacts.queue.push(event);
  }
  push_pairs(movers, candidates, impacts);
  for (const std::uint32_t mover : impacts.undecided) {
    WallHit hit = first_wall(mover, environment, movers, candidates);
    if (movers.meets_movers(mover)) {
      push(hit, mover, movers, impacts);
      continue;
    }
    // The whole tick of a mover that meets no movers is handled at once.
    while (hit.found && !movers.searches->ends_step()) {
      handle(event_of(hit, mover, movers));
      impacts.changed.clear();
      const FineTime now = hit.impact.at.whole;
      const Rect hull = hull_of_rest(mover, now, movers, candidates);
      hit = first_wall_on_path(mover, hull, now, environment, movers);
    }
  }
  bool are_spent = false;
  while (!impacts.queue.empty() && !movers.searches->ends_step()) {
    const ImpactEvent event = impacts.queue.pop();
    if (!is_current(event, movers, impacts.crushing)) continue;
    handle(event);
    for (const std::uint32_t mover : impacts.changed) {
      search_again(mover, event.whole, environment, movers, candidates, impacts);
    }
    impacts.changed.clear();
    if (movers.searches->is_spent() && !std::exchange(are_spent, true)) spend_all(movers);
  }
}

}  // namespace tickbox::sim
