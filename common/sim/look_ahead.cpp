// Looking ahead: the impacts that will come if nothing turns anybody.

#include "sim/step_run.h"

namespace tickbox::sim {
namespace {

constexpr Box kWholeWorld = {{-kWorldLimit, -kWorldLimit}, {kWorldLimit, kWorldLimit}};

}  // namespace

// Nothing has moved yet, so the candidates found at the start still hold, but for those who were
// turned out of their hull.
void StepRun::find_first_impacts() {
  escaped_.clear();
  has_escaped_.assign(bodies_.size(), 0);
  for (const std::uint32_t mover : turned_) {
    const Box hull = hull_of_path(bodies_[mover], flights_[mover].motion);
    if (parts_[mover] == Part::Full) grid_.keep_up(mover, hull);
    if (contains(hulls_[mover], hull)) continue;
    hulls_[mover] = hull;
    is_long_[mover] = 1;
    has_escaped_[mover] = 1;
    escaped_.push_back(mover);
  }
  for (const Pair pair : pairs_) {
    if (has_escaped_[pair.a] == 0 && has_escaped_[pair.b] == 0) expect_pair(pair.a, pair.b, 0);
  }
  for (const std::uint32_t mover : escaped_) {
    if (parts_[mover] != Part::Full) continue;
    grid_.visit_near(hulls_[mover], [&](std::uint32_t other) {
      if (other == mover || (has_escaped_[other] != 0 && other < mover)) return;
      if (may_collide(bodies_[mover], bodies_[other])) expect_pair(mover, other, 0);
    });
  }
  for (std::uint32_t mover = 0; mover < bodies_.size(); ++mover) {
    if (parts_[mover] != Part::Full) {
      fly_alone(mover);
    } else if (const auto wall = first_wall(mover, hulls_[mover], 0)) {
      queue_.push(*wall);
    }
  }
}

// Nobody will ever meet it, so its whole tick can be played at once.
void StepRun::fly_alone(std::uint32_t mover) {
  FineTime now = 0;
  Box hull = hulls_[mover];
  while (const auto wall = first_wall(mover, hull, now)) {
    handle_wall(*wall);
    now = wall->whole;
    hull = hull_of(flights_[mover].motion, now, kFineSteps);
    is_long_[mover] = 1;
  }
  unsettled_.clear();
}

void StepRun::look_ahead(std::uint32_t mover, FineTime now) {
  const Box hull = hull_of(flights_[mover].motion, now, kFineSteps);
  grid_.keep_up(mover, hull);
  is_long_[mover] = 1;
  grid_.visit_near(hull, [&](std::uint32_t other) {
    if (other != mover && may_collide(bodies_[mover], bodies_[other])) {
      expect_pair(mover, other, now);
    }
  });
  if (const auto wall = first_wall(mover, hull, now)) queue_.push(*wall);
}

void StepRun::expect_pair(std::uint32_t a, std::uint32_t b, FineTime now) {
  const auto impact = time_of_impact(flights_[a].motion, flights_[b].motion, now);
  if (impact && counts(*impact, a, b)) queue_.push(event_of(*impact, a, b));
}

/// Of all that never moves only the first to be met: any event makes the others stale. On the path
/// that a mover took off on, that is among the walls found then.
std::optional<Event> StepRun::first_wall(std::uint32_t mover, const Box& hull, FineTime now) const {
  const Body& body = bodies_[mover];
  const Motion& motion = flights_[mover].motion;
  std::optional<Event> first;
  if (motion.velocity[0] == 0 && motion.velocity[1] == 0) return first;
  const auto consider = [&](std::uint32_t index) {
    const Body& wall = statics_->bodies()[index];
    const auto impact = time_of_impact(motion, motion_of(wall.min, wall.size, {}), now);
    if (impact) keep_earlier(first, *impact, mover, index);
  };
  if (parts_[mover] == Part::Ghost || body.kind == Kind::Kinematic) {
    // They go through everything but the border.
  } else if (is_long_[mover] == 0) {
    for (std::uint32_t i = first_wall_[mover]; i < first_wall_[mover + 1]; ++i) {
      consider(walls_[i]);
    }
  } else {
    statics_->grid().visit_path(
        motion, now, hull,
        [&](std::uint32_t index) {
          if (may_collide(body, statics_->bodies()[index])) consider(index);
        },
        [&](FineTime walked) { return first && first->whole < walked; });
  }
  if (meets_border(mover, hull)) keep_border(first, mover, now);
  return first;
}

bool StepRun::meets_border(std::uint32_t mover, const Box& hull) const {
  return settings_.border == Border::Solid && !contains(kWholeWorld, hull) &&
         bodies_[mover].path == kNoPath;
}

void StepRun::keep_border(std::optional<Event>& first, std::uint32_t mover, FineTime now) const {
  for (Axis axis = 0; axis < kAxes; ++axis) {
    const auto impact = time_to_border(flights_[mover].motion, axis, now);
    if (!impact) continue;
    Event event{.kind = Partner::Border,
                .low_id = bodies_[mover].id,
                .high_id = kWorldBorder,
                .mover = mover,
                .mover_version = flights_[mover].version};
    event.set(*impact);
    if (!first || is_before(event, *first)) first = event;
  }
}

void StepRun::keep_earlier(std::optional<Event>& first, const Impact& impact, std::uint32_t mover,
                           std::uint32_t wall_index) const {
  const Body& body = bodies_[mover];
  const Body& wall = statics_->bodies()[wall_index];
  if (wall.one_way != OneWay::None &&
      !is_from_solid_side(wall.one_way, impact, flights_[mover].motion,
                          motion_of(wall.min, wall.size, {}))) {
    return;
  }
  const auto [low_id, high_id] = ordered_pair(body.id, wall.id);
  Event event{.kind = Partner::Static,
              .low_id = low_id,
              .high_id = high_id,
              .mover = mover,
              .partner = wall_index,
              .mover_version = flights_[mover].version};
  event.set(impact);
  if (!first || is_before(event, *first)) first = event;
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
  return crushing_.empty() || !ignore_each_other(a, b);
}

bool StepRun::ignore_each_other(std::uint32_t a, std::uint32_t b) const {
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
