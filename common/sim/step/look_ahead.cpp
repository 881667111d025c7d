// Looking ahead: the impacts that will come if nothing turns anybody.

#include "sim/step/step_run.h"

namespace tickbox::sim {

// Nothing has moved yet, so the candidates found at the start still hold, but for those who were
// turned out of their hull.
void StepRun::find_first_impacts() {
  for (std::size_t i = turned_alone_; i < turned_.size(); ++i) {
    const std::uint32_t mover = turned_[i];
    const Rect hull = hull_of_path(bodies_[mover], flights_[mover].motion);
    if (contains(hulls_[mover], hull)) continue;
    const bool is_listed = !walls_of(mover).empty() || is_near_border(mover) || walks_[mover] != 0;
    if (!is_listed) undecided_.push_back(mover);
    escape(mover, hull);
  }
  for (const Event& event : expected_) {
    queue_.push(event);
  }
  for (const Pair pair : pairs_) {
    if (has_escaped_[pair.a] == 0 && has_escaped_[pair.b] == 0) expect_pair(pair.a, pair.b, 0);
  }
  for (const std::uint32_t mover : escaped_) {
    if (!meets_movers(mover)) continue;
    grid_.visit_near(hulls_[mover], [&](std::uint32_t other) {
      if (other == mover || (has_escaped_[other] != 0 && other < mover)) return;
      if (may_collide(bodies_[mover], bodies_[other])) expect_pair(mover, other, 0);
    });
  }
  for (const std::uint32_t mover : undecided_) {
    if (!meets_movers(mover)) {
      fly_alone(mover);
    } else {
      push(first_wall_of_all(mover), mover);
    }
  }
}

void StepRun::escape(std::uint32_t mover, const Rect& hull) {
  if (meets_movers(mover)) grid_.keep_up(mover, hull);
  hulls_[mover] = hull;
  walks_[mover] = 1;
  has_escaped_[mover] = 1;
  escaped_.push_back(mover);
}

// Nobody will ever meet it, so its whole tick can be played at once.
void StepRun::fly_alone(std::uint32_t mover) {
  for (WallHit hit = first_wall_of_all(mover); hit.found;) {
    handle_wall(event_of(hit, mover));
    unsettled_.clear();
    const FineTime now = hit.impact.at.whole;
    hit = first_wall(mover, rect_of(hull_of(flights_[mover].motion, now, kFineSteps)), now);
  }
}

/// Of a mover that nothing has moved yet.
StepRun::WallHit StepRun::first_wall_of_all(std::uint32_t mover) const {
  if (walks_[mover] != 0) return first_wall(mover, hulls_[mover], 0);
  if (is_at_rest(flights_[mover].motion)) return {};
  return first_near_wall(mover, hull_of_path(bodies_[mover], flights_[mover].motion));
}

void StepRun::look_ahead(std::uint32_t mover, FineTime now) {
  const Rect hull = rect_of(hull_of(flights_[mover].motion, now, kFineSteps));
  grid_.keep_up(mover, hull);
  grid_.visit_near(hull, [&](std::uint32_t other) {
    if (other != mover && may_collide(bodies_[mover], bodies_[other])) {
      expect_pair(mover, other, now);
    }
  });
  push(first_wall(mover, hull, now), mover);
}

void StepRun::expect_pair(std::uint32_t a, std::uint32_t b, FineTime now) {
  const auto impact = time_of_impact(flights_[a].motion, flights_[b].motion, now);
  if (impact && counts(*impact, a, b)) queue_.push(event_of(*impact, a, b));
}

/// Of all that never moves only the first to be met: any event makes the others stale.
StepRun::WallHit StepRun::first_wall(std::uint32_t mover, const Rect& hull, FineTime now) const {
  const Body& body = bodies_[mover];
  const Motion& motion = flights_[mover].motion;
  WallHit first;
  if (is_at_rest(motion)) return first;
  const auto consider = [&](std::uint32_t index) {
    const Body& wall = statics_->bodies()[index];
    const auto impact = time_of_impact(motion, motion_of(wall.min, wall.size, {}), now);
    if (impact) keep_earlier(first, *impact, motion, wall_of(wall, index));
  };
  if (meets_statics(mover)) {
    statics_->grid().visit_path(
        motion, now, hull,
        [&](std::uint32_t index) {
          if (may_collide(body, statics_->bodies()[index])) consider(index);
        },
        [&](FineTime walked) { return first.found && first.impact.at.whole < walked; });
  }
  if (!contains(kWholeWorld, box_of(hull)) && has_border(mover)) keep_border(first, mover, now);
  return first;
}

bool StepRun::has_border(std::uint32_t mover) const {
  return settings_.border == Border::Solid && bodies_[mover].path == kNoPath;
}

void StepRun::keep_border(WallHit& first, std::uint32_t mover, FineTime now) const {
  for (Axis axis = 0; axis < kAxes; ++axis) {
    const auto impact = time_to_border(flights_[mover].motion, axis, now);
    if (impact && is_before(*impact, kWorldBorder, first))
      first = {*impact, kWorldBorder, kNobody, false, true};
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
  const auto [low_id, high_id] = ordered_pair(bodies_[mover].id, hit.id);
  Event event{.kind = hit.wall == kNobody ? Partner::Border : Partner::Static,
              .low_id = low_id,
              .high_id = high_id,
              .mover = mover,
              .partner = hit.wall,
              .mover_version = flights_[mover].version};
  event.set(hit.impact);
  return event;
}

void StepRun::push(const WallHit& hit, std::uint32_t mover) {
  if (hit.found) queue_.push(event_of(hit, mover));
}

/// Whether an impact of two movers is one for them: not for who is crushed, nor from a side that is
/// not solid.
bool StepRun::counts(const Impact& impact, std::uint32_t a, std::uint32_t b) const {
  const OneWay of_a = bodies_[a].one_way;
  const OneWay of_b = bodies_[b].one_way;
  if (of_a != OneWay::None &&
      !is_from_solid_side(of_a, impact, flights_[b].motion, flights_[a].motion)) {
    return false;
  }
  if (of_b != OneWay::None &&
      !is_from_solid_side(of_b, impact, flights_[a].motion, flights_[b].motion)) {
    return false;
  }
  return !ignore_each_other(a, b);
}

bool StepRun::ignore_each_other(std::uint32_t a, std::uint32_t b) const {
  if (!flights_[a].is_in_crush || !flights_[b].is_in_crush) return false;
  for (const Pair pair : crushing_) {
    if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return true;
  }
  return false;
}

Event StepRun::event_of(const Impact& impact, std::uint32_t a, std::uint32_t b) const {
  const auto [low_id, high_id] = ordered_pair(bodies_[a].id, bodies_[b].id);
  Event event{.kind = Partner::Mover,
              .low_id = low_id,
              .high_id = high_id,
              .mover = a,
              .partner = b,
              .mover_version = flights_[a].version,
              .partner_version = flights_[b].version};
  event.set(impact);
  return event;
}

}  // namespace tickbox::sim
