// The start of a tick: velocities, flights, and who may meet whom on the paths they take off on.

#include "core/assert.h"
#include "sim/step/step_run.h"

#include <algorithm>
#include <cstdlib>

namespace tickbox::sim {
namespace {

std::int32_t clamped(std::int64_t velocity) {
  return static_cast<std::int32_t>(clamped_speed(velocity));
}

bool is_in_world(std::int32_t place) {
  return -kWorldLimit <= place && place <= kWorldLimit;
}

/// How far it gets from its corner, whichever way it turns without getting faster.
std::int64_t reach_of(const Body& body, Vec2 velocity) {
  const std::int32_t way = std::max(std::abs(velocity.x), std::abs(velocity.y));
  return std::int64_t{way} + std::max(body.size.x, body.size.y);
}

}  // namespace

void StepRun::take_off() {
  accelerate();
  turns_of_parting_.assign(bodies_.size(), 0);
  was_parted_ = false;
  do {
    make_flights();
    riders_.clear();
    if (find_riders(RideAt::Start, rides_)) {
      carry();
      sort_in_again();
    }
    forget_meetings();
    find_pairs();
    meet_walls();
  } while (part_overlaps());
}

/// What walls and pairs brought about in a first attempt to take off, before bodies were parted.
void StepRun::forget_meetings() {
  report_.contacts.clear();
  report_.crushed.clear();
  report_.overlaps.clear();
  overlapping_.clear();
  queue_.clear();
  expected_.clear();
  turned_.clear();
  unsettled_.clear();
  pieces_.clear();
}

void StepRun::accelerate() {
  const Vec2 gravity = settings_.gravity;
  kinematics_.clear();
  has_ghosts_ = !statics_->ghosts().empty();
  layers_ = 0;
  collides_with_ = 0;
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    TICKBOX_ASSERT(is_in_world(body.min.x) && is_in_world(body.min.y));
    if (body.kind == Kind::Kinematic) {
      kinematics_.push_back(i);
      aim(body);
    } else {
      const std::int64_t scale = body.gravity_scale;
      const bool is_whole = scale == kFullGravity;
      const auto share = [&](std::int64_t of) { return is_whole ? of : of * scale / kFullGravity; };
      body.velocity = {clamped(body.velocity.x + share(gravity.x)),
                       clamped(body.velocity.y + share(gravity.y))};
    }
    if (is_ghost(body)) {
      has_ghosts_ = true;
    } else {
      layers_ |= body.layers;
      collides_with_ |= body.collides_with;
    }
  }
}

/// Gives a kinematic body the velocity that takes it to its next place.
void StepRun::aim(Body& body) const {
  Vec2 way = body.velocity;
  if (body.path != kNoPath) {
    const Vec2 next = statics_->paths()[body.path].place_at(body.path_ticks + 1);
    way = {clamped(std::int64_t{next.x} - body.min.x), clamped(std::int64_t{next.y} - body.min.y)};
  }
  body.velocity = {clamped(way.x), clamped(way.y)};
}

StepRun::Part StepRun::part_of(const Body& body) const {
  if (is_ghost(body)) return Part::Ghost;
  if (body.kind == Kind::Kinematic) return Part::Driven;
  const bool meets_any = (body.layers & collides_with_) != 0 && (body.collides_with & layers_) != 0;
  return meets_any ? Part::Full : Part::Alone;
}

void StepRun::make_flights() {
  grid_.start(bodies_.size());
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    parts_[i] = part_of(body);
    Flight& flight = flights_[i];
    flight = {};
    flight.motion = motion_of(body.min, body.size, body.velocity);
    sort_in(i, body.velocity);
  }
  grid_.sort(hulls_);
}

void StepRun::sort_in_again() {
  grid_.start(bodies_.size());
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    const auto& velocity = flights_[i].motion.velocity;
    sort_in(i, {static_cast<std::int32_t>(velocity[0]), static_cast<std::int32_t>(velocity[1])});
  }
  grid_.sort(hulls_);
}

void StepRun::sort_in(std::uint32_t mover, Vec2 velocity) {
  const Body& body = bodies_[mover];
  hulls_[mover] = hull_of_path(body, velocity);
  if (meets_movers(mover)) grid_.add(mover, body.min, reach_of(body, velocity));
}

void StepRun::find_pairs() {
  pairs_.clear();
  touching_.clear();
  grid_.visit_pairs([this](std::uint32_t a, std::uint32_t b) {
    const Body& first = bodies_[a];
    const Body& second = bodies_[b];
    if (!may_collide(first, second)) return;
    pairs_.push_back({a, b});
    const Box box = box_of(first.min, first.size);
    const Box other = box_of(second.min, second.size);
    if (!touch(box, other)) return;
    if (overlap(box, other)) {
      note_overlap(first, second);
    } else {
      touching_.push_back({a, b});
    }
  });

  first_neighbour_.assign(bodies_.size() + 1, 0);
  for (const Pair pair : touching_) {
    ++first_neighbour_[pair.a];
    ++first_neighbour_[pair.b];
  }
  for (std::size_t i = 1; i < first_neighbour_.size(); ++i) {
    first_neighbour_[i] += first_neighbour_[i - 1];
  }
  neighbours_at_start_.resize(2 * touching_.size());
  for (const Pair pair : touching_) {
    neighbours_at_start_[--first_neighbour_[pair.a]] = pair.b;
    neighbours_at_start_[--first_neighbour_[pair.b]] = pair.a;
  }
}

void StepRun::note_influence(const Body& a, const Body& b) {
  const bool are_movers = a.kind != Kind::Static && b.kind != Kind::Static;
  if (are_movers) report_.influences.push_back(ordered_pair(a.id, b.id));
}

void StepRun::note_overlap(const Body& a, const Body& b) {
  if (!stay_apart(a, b)) return;
  note_influence(a, b);
  if (crushes(a) || crushes(b)) {
    report_.crushed.push_back(crushes(a) ? b.id : a.id);
  } else {
    overlapping_.push_back(ordered_pair(a.id, b.id));
  }
}

}  // namespace tickbox::sim
