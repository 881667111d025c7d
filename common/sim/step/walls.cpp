// The walls on the path that a mover takes off on, looked up once.
//
// What touches no mover deals with them at once: contacts at the start are its own affair, and the
// first to come goes into the queue. For the others they are kept until that moment has been
// settled.

#include "sim/step/step_run.h"

namespace tickbox::sim {

void StepRun::meet_walls() {
  settling_ = true;
  walls_.walls.clear();
  impacts_.leaning.clear();
  impacts_.undecided.clear();
  impacts_.escaped.clear();
  const std::int64_t long_extent = environment_.statics->grid().long_extent();
  for (std::uint32_t mover = 0; mover < movers_.bodies.size(); ++mover) {
    const auto first = static_cast<std::uint32_t>(walls_.walls.size());
    walls_.first[mover] = first;
    walls_.is_partial[mover] = 0;
    if (movers_.roles[mover] == Role::Full &&
        walls_.cache.is_clear(mover, candidates_.hulls[mover]))
      continue;
    if (rests_again(mover)) {
      come_to_rest(mover, memo_.rests[mover].on);
      continue;
    }
    const auto note = [&](const Wall& wall) { note_wall(movers_.bodies[mover], wall); };
    const std::int64_t extent = extent_of(candidates_.hulls[mover]);
    if (!movers_.meets_statics(mover)) {
      // Nothing but the border is in its way.
    } else if (extent <= long_extent) {
      walls_.cache.visit(mover, candidates_.hulls[mover], extent, note);
    } else {
      // Its walls are looked for along its path; here only those at its start.
      const Rect start = rect_of(box_of(movers_.bodies[mover].min, movers_.bodies[mover].size));
      walls_.is_partial[mover] = 1;
      walls_.cache.visit(mover, start, extent_of(start), note);
    }
    const bool has_any =
        walls_.walls.size() != first || walls_.is_partial[mover] != 0 || is_near_border(mover);
    if (has_any || movers_.roles[mover] == Role::Alone) meet_walls(mover);
  }
  walls_.first[movers_.bodies.size()] = static_cast<std::uint32_t>(walls_.walls.size());
}

void StepRun::note_wall(const Body& body, const Wall& wall) {
  if (!may_meet(body, wall)) return;  // neither is a ghost here, and the body is dynamic
  walls_.walls.push_back(wall);
  if (overlap(rect_of(box_of(body.min, body.size)), wall.rect)) {
    note_overlap(body, environment_.statics->bodies()[wall.index], report_);
  }
}

void StepRun::meet_walls(std::uint32_t mover) {
  walls_.first[mover + 1] = static_cast<std::uint32_t>(walls_.walls.size());
  const bool touches_movers =
      candidates_.first_neighbour[mover] != candidates_.first_neighbour[mover + 1];
  if (movers_.roles[mover] != Role::Full || touches_movers) {
    if (movers_.meets_movers(mover)) impacts_.leaning.push_back(mover);
    impacts_.undecided.push_back(mover);
    return;
  }
  settle_alone(mover);
  if (!is_at_rest(movers_.states[mover].motion)) {
    const Rect hull = hull_of_path(movers_.bodies[mover], movers_.states[mover].motion);
    const bool stays = contains(candidates_.hulls[mover], hull);
    if (!stays) escape(mover, hull);
    if (!stays || walls_.is_partial[mover] != 0) {
      impacts_.undecided.push_back(mover);
      return;
    }
    const WallHit hit = first_near_wall(mover, hull);
    if (hit.found) impacts_.first_on_walls.push_back(event_of(hit, mover));
  }
  walls_.walls.resize(walls_.first[mover]);
}

/// Whether it may get to the border in this tick, as long as nothing makes it faster.
bool StepRun::is_near_border(std::uint32_t mover) const {
  const Rect& hull = candidates_.hulls[mover];
  const std::int64_t reach =
      std::int64_t{hull.x1} - hull.x0 + (std::int64_t{hull.y1} - hull.y0);  // of its corner, amply
  return !contains(kWholeWorld, grown(box_of(hull), reach));
}

/// The first to be met on the path it took off on, or on a part of it.
WallHit StepRun::first_near_wall(std::uint32_t mover, const Rect& hull) const {
  const Motion& motion = movers_.states[mover].motion;
  WallHit first;
  for (const Wall& wall : walls_.of(mover)) {
    if (!overlap(hull, wall.rect)) continue;
    const auto impact = time_of_impact(motion, resting(wall.rect), 0);
    if (impact) keep_earlier(first, *impact, motion, wall);
  }
  if (is_near_border(mover) && has_border(mover)) keep_border(first, mover, 0);
  return first;
}

}  // namespace tickbox::sim
