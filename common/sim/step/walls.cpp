// The walls on the path that a mover takes off on, looked up once.
//
// What touches no mover deals with them at once: contacts at the start are its own affair, and the
// first to come goes into the queue. For the others they are kept until that moment has been
// settled.

#include "sim/step/step_run.h"

namespace tickbox::sim {

void StepRun::meet_walls() {
  settling_ = true;
  walls_.clear();
  leaning_.clear();
  undecided_.clear();
  escaped_.clear();
  has_escaped_.assign(bodies_.size(), 0);
  const std::int64_t long_extent = statics_->grid().long_extent();
  for (std::uint32_t mover = 0; mover < bodies_.size(); ++mover) {
    const auto first = static_cast<std::uint32_t>(walls_.size());
    first_wall_[mover] = first;
    walks_[mover] = 0;
    if (parts_[mover] == Part::Full && neighbour_cache_.is_clear(mover, hulls_[mover])) continue;
    if (rests_again(mover)) {
      come_to_rest(mover, rests_[mover].on);
      continue;
    }
    const auto note = [&](const Wall& wall) { note_wall(bodies_[mover], wall); };
    const std::int64_t extent = extent_of(hulls_[mover]);
    if (!meets_statics(mover)) {
      // Nothing but the border is in its way.
    } else if (extent <= long_extent) {
      neighbour_cache_.visit(mover, hulls_[mover], extent, note);
    } else {
      // Its walls are looked for along its path; here only those at its start.
      const Rect start = rect_of(box_of(bodies_[mover].min, bodies_[mover].size));
      walks_[mover] = 1;
      neighbour_cache_.visit(mover, start, extent_of(start), note);
    }
    const bool has_any = walls_.size() != first || walks_[mover] != 0 || is_near_border(mover);
    if (has_any || parts_[mover] == Part::Alone) meet_walls(mover);
  }
  first_wall_[bodies_.size()] = static_cast<std::uint32_t>(walls_.size());
}

void StepRun::note_wall(const Body& body, const Wall& wall) {
  if (!may_meet(body, wall)) return;  // neither is a ghost here, and the body is dynamic
  walls_.push_back(wall);
  if (overlap(rect_of(box_of(body.min, body.size)), wall.rect)) {
    note_overlap(body, statics_->bodies()[wall.index]);
  }
}

void StepRun::meet_walls(std::uint32_t mover) {
  first_wall_[mover + 1] = static_cast<std::uint32_t>(walls_.size());
  const bool touches_movers = first_neighbour_[mover] != first_neighbour_[mover + 1];
  if (parts_[mover] != Part::Full || touches_movers) {
    if (meets_movers(mover)) leaning_.push_back(mover);
    undecided_.push_back(mover);
    return;
  }
  settle_alone(mover);
  if (!is_at_rest(flights_[mover].motion)) {
    const Rect hull = hull_of_path(bodies_[mover], flights_[mover].motion);
    const bool stays = contains(hulls_[mover], hull);
    if (!stays) escape(mover, hull);
    if (!stays || walks_[mover] != 0) {
      undecided_.push_back(mover);
      return;
    }
    const WallHit hit = first_near_wall(mover, hull);
    if (hit.found) expected_.push_back(event_of(hit, mover));
  }
  walls_.resize(first_wall_[mover]);
}

/// Whether it may get to the border in this tick, as long as nothing makes it faster.
bool StepRun::is_near_border(std::uint32_t mover) const {
  const Rect& hull = hulls_[mover];
  const std::int64_t reach =
      std::int64_t{hull.x1} - hull.x0 + (std::int64_t{hull.y1} - hull.y0);  // of its corner, amply
  return !contains(kWholeWorld, grown(box_of(hull), reach));
}

std::span<const Wall> StepRun::walls_of(std::uint32_t mover) const {
  const std::uint32_t first = first_wall_[mover];
  return std::span{walls_}.subspan(first, first_wall_[mover + 1] - first);
}

/// The first to be met on the path it took off on, or on a part of it.
StepRun::WallHit StepRun::first_near_wall(std::uint32_t mover, const Rect& hull) const {
  const Motion& motion = flights_[mover].motion;
  WallHit first;
  for (const Wall& wall : walls_of(mover)) {
    if (!overlap(hull, wall.rect)) continue;
    const auto impact = time_of_impact(motion, resting(wall.rect), 0);
    if (impact) keep_earlier(first, *impact, motion, wall);
  }
  if (is_near_border(mover) && has_border(mover)) keep_border(first, mover, 0);
  return first;
}

}  // namespace tickbox::sim
