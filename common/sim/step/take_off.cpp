// The start of a tick: velocities, flights, and who may meet whom on the paths they take off on.

#include "core/assert.h"
#include "sim/step/depenetrate.h"
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
  find_meetings();
  const bool moved =
      depenetrate(environment_, movers_, candidates_.grid, depenetration_turns_, report_);
  if (moved) find_meetings();
}

void StepRun::find_meetings() {
  make_flights();
  if (carry_riders(environment_, movers_, candidates_.grid, rides_, report_)) sort_in_again();
  forget_meetings();
  find_pairs();
  meet_walls();
}

/// What walls and pairs brought about in a first attempt to take off, before bodies were parted.
void StepRun::forget_meetings() {
  report_.contacts.clear();
  report_.crushed.clear();
  report_.overlaps.clear();
  impacts_.queue.clear();
  impacts_.first_on_walls.clear();
  movers_.turned.clear();
  impacts_.changed.clear();
  movers_.pieces.clear();
}

void StepRun::accelerate() {
  const Vec2 gravity = environment_.settings.gravity;
  movers_.kinematics.clear();
  movers_.has_ghosts = !environment_.statics->ghosts().empty();
  movers_.layers = 0;
  movers_.collides_with = 0;
  for (std::uint32_t i = 0; i < movers_.bodies.size(); ++i) {
    Body& body = movers_.bodies[i];
    TICKBOX_ASSERT(is_in_world(body.min.x) && is_in_world(body.min.y));
    if (body.kind == Kind::Kinematic) {
      movers_.kinematics.push_back(i);
      aim(body);
    } else {
      const std::int64_t scale = body.gravity_scale;
      const bool is_whole = scale == kFullGravity;
      const auto share = [&](std::int64_t of) { return is_whole ? of : of * scale / kFullGravity; };
      body.velocity = {clamped(body.velocity.x + share(gravity.x)),
                       clamped(body.velocity.y + share(gravity.y))};
    }
    if (is_ghost(body)) {
      movers_.has_ghosts = true;
    } else {
      movers_.layers |= body.layers;
      movers_.collides_with |= body.collides_with;
    }
  }
}

/// Gives a kinematic body the velocity that takes it to its next place.
void StepRun::aim(Body& body) const {
  Vec2 way = body.velocity;
  if (body.path != kNoPath) {
    const Vec2 next = environment_.statics->paths()[body.path].place_at(body.path_ticks + 1);
    way = {clamped(std::int64_t{next.x} - body.min.x), clamped(std::int64_t{next.y} - body.min.y)};
  }
  body.velocity = {clamped(way.x), clamped(way.y)};
}

Role StepRun::part_of(const Body& body) const {
  if (is_ghost(body)) return Role::Ghost;
  if (body.kind == Kind::Kinematic) return Role::Driven;
  const bool meets_any =
      (body.layers & movers_.collides_with) != 0 && (body.collides_with & movers_.layers) != 0;
  return meets_any ? Role::Full : Role::Alone;
}

void StepRun::make_flights() {
  candidates_.grid.start(movers_.bodies.size());
  for (std::uint32_t i = 0; i < movers_.bodies.size(); ++i) {
    const Body& body = movers_.bodies[i];
    movers_.roles[i] = part_of(body);
    MoverState& flight = movers_.states[i];
    flight = {};
    flight.motion = motion_of(body.min, body.size, body.velocity);
    sort_in(i, body.velocity);
  }
  candidates_.grid.sort(candidates_.hulls);
}

void StepRun::sort_in_again() {
  candidates_.grid.start(movers_.bodies.size());
  for (std::uint32_t i = 0; i < movers_.bodies.size(); ++i) {
    const auto& velocity = movers_.states[i].motion.velocity;
    sort_in(i, {static_cast<std::int32_t>(velocity[0]), static_cast<std::int32_t>(velocity[1])});
  }
  candidates_.grid.sort(candidates_.hulls);
}

void StepRun::sort_in(std::uint32_t mover, Vec2 velocity) {
  const Body& body = movers_.bodies[mover];
  candidates_.hulls[mover] = hull_of_path(body, velocity);
  if (movers_.meets_movers(mover)) candidates_.grid.add(mover, body.min, reach_of(body, velocity));
}

void StepRun::find_pairs() {
  candidates_.pairs.clear();
  candidates_.touching.clear();
  candidates_.grid.visit_pairs([this](std::uint32_t a, std::uint32_t b) {
    const Body& first = movers_.bodies[a];
    const Body& second = movers_.bodies[b];
    if (!may_collide(first, second)) return;
    candidates_.pairs.push_back({a, b});
    const Box box = box_of(first.min, first.size);
    const Box other = box_of(second.min, second.size);
    if (!touch(box, other)) return;
    if (overlap(box, other)) {
      note_overlap(first, second, report_);
    } else {
      candidates_.touching.push_back({a, b});
    }
  });

  candidates_.first_neighbour.assign(movers_.bodies.size() + 1, 0);
  for (const Pair pair : candidates_.touching) {
    ++candidates_.first_neighbour[pair.a];
    ++candidates_.first_neighbour[pair.b];
  }
  for (std::size_t i = 1; i < candidates_.first_neighbour.size(); ++i) {
    candidates_.first_neighbour[i] += candidates_.first_neighbour[i - 1];
  }
  candidates_.neighbours.resize(2 * candidates_.touching.size());
  for (const Pair pair : candidates_.touching) {
    candidates_.neighbours[--candidates_.first_neighbour[pair.a]] = pair.b;
    candidates_.neighbours[--candidates_.first_neighbour[pair.b]] = pair.a;
  }
}

}  // namespace tickbox::sim
