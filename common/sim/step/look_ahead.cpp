// Looking ahead: the impacts that will come if nothing turns anybody.

#include "sim/step/step_run.h"

namespace tickbox::sim {

// Nothing has moved yet, so the candidates found at the start still hold, but for those who were
// turned out of their hull.
void StepRun::find_first_impacts() {
  for (std::size_t i = turned_alone_; i < movers_.turned.size(); ++i) {
    const std::uint32_t mover = movers_.turned[i];
    const Rect hull = hull_of_path(movers_.bodies[mover], movers_.states[mover].motion);
    if (contains(candidates_.hulls[mover], hull)) continue;
    const bool is_listed =
        !walls_.of(mover).empty() || is_near_border(mover) || walls_.is_partial[mover] != 0;
    if (!is_listed) impacts_.undecided.push_back(mover);
    escape(mover, hull);
  }
  for (const Event& event : impacts_.first_on_walls) {
    impacts_.queue.push(event);
  }
  for (const Pair pair : candidates_.pairs) {
    if (!movers_.states[pair.a].has_escaped && !movers_.states[pair.b].has_escaped)
      expect_pair(pair.a, pair.b, 0);
  }
  for (const std::uint32_t mover : impacts_.escaped) {
    if (!movers_.meets_movers(mover)) continue;
    candidates_.grid.visit_near(candidates_.hulls[mover], [&](std::uint32_t other) {
      if (other == mover || (movers_.states[other].has_escaped && other < mover)) return;
      if (may_collide(movers_.bodies[mover], movers_.bodies[other])) expect_pair(mover, other, 0);
    });
  }
  for (const std::uint32_t mover : impacts_.undecided) {
    if (!movers_.meets_movers(mover)) {
      fly_alone(mover);
    } else {
      push(first_wall_of_all(mover), mover);
    }
  }
}

void StepRun::escape(std::uint32_t mover, const Rect& hull) {
  if (movers_.meets_movers(mover)) candidates_.grid.keep_up(mover, hull);
  candidates_.hulls[mover] = hull;
  walls_.is_partial[mover] = 1;
  movers_.states[mover].has_escaped = true;
  impacts_.escaped.push_back(mover);
}

// Nobody will ever meet it, so its whole tick can be played at once.
void StepRun::fly_alone(std::uint32_t mover) {
  for (WallHit hit = first_wall_of_all(mover); hit.found;) {
    handle_wall_event(event_of(hit, mover), environment_, movers_, candidates_.grid, rides_,
                      impacts_, report_);
    impacts_.changed.clear();
    const FineTime now = hit.impact.at.whole;
    hit = first_wall(mover, rect_of(hull_of(movers_.states[mover].motion, now, kFineSteps)), now);
  }
}

/// Of a mover that nothing has moved yet.
WallHit StepRun::first_wall_of_all(std::uint32_t mover) const {
  if (walls_.is_partial[mover] != 0) return first_wall(mover, candidates_.hulls[mover], 0);
  if (is_at_rest(movers_.states[mover].motion)) return {};
  return first_near_wall(mover, hull_of_path(movers_.bodies[mover], movers_.states[mover].motion));
}

void StepRun::look_ahead(std::uint32_t mover, FineTime now) {
  const Rect hull = rect_of(hull_of(movers_.states[mover].motion, now, kFineSteps));
  candidates_.grid.keep_up(mover, hull);
  candidates_.grid.visit_near(hull, [&](std::uint32_t other) {
    if (other != mover && may_collide(movers_.bodies[mover], movers_.bodies[other])) {
      expect_pair(mover, other, now);
    }
  });
  push(first_wall(mover, hull, now), mover);
}

void StepRun::expect_pair(std::uint32_t a, std::uint32_t b, FineTime now) {
  const auto impact = time_of_impact(movers_.states[a].motion, movers_.states[b].motion, now);
  if (impact && counts(*impact, a, b)) impacts_.queue.push(event_of(*impact, a, b));
}

/// Of all that never moves only the first to be met: any event makes the others stale.
WallHit StepRun::first_wall(std::uint32_t mover, const Rect& hull, FineTime now) const {
  const Body& body = movers_.bodies[mover];
  const Motion& motion = movers_.states[mover].motion;
  WallHit first;
  if (is_at_rest(motion)) return first;
  const auto consider = [&](std::uint32_t index) {
    const Body& wall = environment_.statics->bodies()[index];
    const auto impact = time_of_impact(motion, motion_of(wall.min, wall.size, {}), now);
    if (impact) keep_earlier(first, *impact, motion, wall_of(wall, index));
  };
  if (movers_.meets_statics(mover)) {
    environment_.statics->grid().visit_path(
        motion, now, hull,
        [&](std::uint32_t index) {
          if (may_collide(body, environment_.statics->bodies()[index])) consider(index);
        },
        [&](FineTime walked) { return first.found && first.impact.at.whole < walked; });
  }
  if (!contains(kWholeWorld, box_of(hull)) && has_border(mover)) keep_border(first, mover, now);
  return first;
}

bool StepRun::has_border(std::uint32_t mover) const {
  return environment_.settings.border == Border::Solid && movers_.bodies[mover].path == kNoPath;
}

void StepRun::keep_border(WallHit& first, std::uint32_t mover, FineTime now) const {
  for (Axis axis = 0; axis < kAxes; ++axis) {
    const auto impact = time_to_border(movers_.states[mover].motion, axis, now);
    if (impact && is_before(*impact, kWorldBorder, first))
      first = {*impact, kWorldBorder, WallHit::kNoWall, false, true};
  }
}

void StepRun::keep_earlier(WallHit& first, const Impact& impact, const Motion& motion,
                           const Wall& wall) {
  const bool counts = wall.one_way == OneWay::None ||
                      is_from_solid_side(wall.one_way, impact, motion, resting(wall.rect));
  if (counts && is_before(impact, wall.id, first)) {
    first = {impact, wall.id, wall.index, wall.is_dull, true};
  }
}

// The order of the queue. For one mover, ids in the order of pairs are ids in the order of
// partners.
bool StepRun::is_before(const Impact& impact, BodyId id, const WallHit& first) {
  if (!first.found) return true;
  if (const auto order = impact.at <=> first.impact.at; order != 0) return order < 0;
  if (impact.length != first.impact.length) return impact.length > first.impact.length;
  if (id != first.id) return id < first.id;
  if (impact.at.divisor != first.impact.at.divisor) {
    return impact.at.divisor > first.impact.at.divisor;
  }
  return impact.axis > first.impact.axis;
}

Event StepRun::event_of(const WallHit& hit, std::uint32_t mover) const {
  const auto [low_id, high_id] = ordered_pair(movers_.bodies[mover].id, hit.id);
  Event event{.kind = hit.wall == WallHit::kNoWall ? Partner::Border : Partner::Static,
              .low_id = low_id,
              .high_id = high_id,
              .mover = mover,
              .partner = hit.wall,
              .mover_version = movers_.states[mover].version};
  event.set(hit.impact);
  return event;
}

void StepRun::push(const WallHit& hit, std::uint32_t mover) {
  if (hit.found) impacts_.queue.push(event_of(hit, mover));
}

/// Whether an impact of two movers is one for them: not for who is crushed, nor from a side that is
/// not solid.
bool StepRun::counts(const Impact& impact, std::uint32_t a, std::uint32_t b) const {
  const OneWay of_a = movers_.bodies[a].one_way;
  const OneWay of_b = movers_.bodies[b].one_way;
  if (of_a != OneWay::None &&
      !is_from_solid_side(of_a, impact, movers_.states[b].motion, movers_.states[a].motion)) {
    return false;
  }
  if (of_b != OneWay::None &&
      !is_from_solid_side(of_b, impact, movers_.states[a].motion, movers_.states[b].motion)) {
    return false;
  }
  return !ignore_each_other(a, b);
}

bool StepRun::ignore_each_other(std::uint32_t a, std::uint32_t b) const {
  if (!movers_.states[a].is_in_crush || !movers_.states[b].is_in_crush) return false;
  for (const Pair pair : impacts_.crushing) {
    if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return true;
  }
  return false;
}

Event StepRun::event_of(const Impact& impact, std::uint32_t a, std::uint32_t b) const {
  const auto [low_id, high_id] = ordered_pair(movers_.bodies[a].id, movers_.bodies[b].id);
  Event event{.kind = Partner::Mover,
              .low_id = low_id,
              .high_id = high_id,
              .mover = a,
              .partner = b,
              .mover_version = movers_.states[a].version,
              .partner_version = movers_.states[b].version};
  event.set(impact);
  return event;
}

}  // namespace tickbox::sim
