#include "sim/step_run.h"

#include "core/assert.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace tickbox::sim {
namespace {

std::int32_t accelerated(std::int32_t velocity, std::int32_t gravity, std::uint16_t scale) {
  const std::int64_t sum = velocity + std::int64_t{gravity} * scale / kFullGravity;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(sum, -std::int64_t{kSpeedLimit}, std::int64_t{kSpeedLimit}));
}

/// Room made in advance: the busiest worlds tried, piles and crowds, have one or two contacts a
/// body.
constexpr std::size_t kContactsPerBody = 4;

constexpr Box kWholeWorld = {{-kWorldLimit, -kWorldLimit}, {kWorldLimit, kWorldLimit}};

bool is_reported_before(const Contact& a, const Contact& b) {
  const Moment a_at{a.time, a.time_rest, a.time_divisor};
  const Moment b_at{b.time, b.time_rest, b.time_divisor};
  if (const auto order = a_at <=> b_at; order != 0) return order < 0;
  if (a.a != b.a) return a.a < b.a;
  if (a.b != b.b) return a.b < b.b;
  if (a.normal_x != b.normal_x) return a.normal_x < b.normal_x;
  if (a.normal_y != b.normal_y) return a.normal_y < b.normal_y;
  return a.time_divisor < b.time_divisor;
}

}  // namespace

void StepRun::run(World& world) {
  take_off(world);
  find_first_events();
  while (!queue_.empty()) {
    const Event event = queue_.pop();
    if (is_current(event)) handle(event);
  }
  land(world);
}

void StepRun::take_off(World& world) {
  settings_ = world.settings();
  bodies_ = world.movers();
  statics_ = &world.statics();
  report_.contacts.clear();
  report_.contacts.reserve(kContactsPerBody * std::bit_ceil(bodies_.size()));
  report_.frozen.clear();
  report_.left.clear();
  report_.overlaps.clear();
  queue_.clear();
  flights_.resize(bodies_.size());
  is_member_.assign(bodies_.size(), 0);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    TICKBOX_ASSERT(is_within_limits(body));
    for (Axis axis = 0; axis < kAxes; ++axis) {
      body.velocity[axis] =
          accelerated(body.velocity[axis], settings_.gravity[axis], body.gravity_scale);
    }
    flights_[i] = Flight{.motion = motion_of(body.min, body.size, body.velocity)};
  }
  grid_.build(bodies_);
}

void StepRun::find_first_events() {
  grid_.visit_pairs([this](std::uint32_t a, std::uint32_t b) {
    if (may_meet(bodies_[a], bodies_[b])) expect_pair(a, b, 0);
  });
  for (std::uint32_t mover = 0; mover < bodies_.size(); ++mover) {
    expect_immovable(mover, grid_.hull_at_start(mover), 0);
  }
}

bool StepRun::is_current(const Event& event) const {
  return flights_[event.mover].version == event.mover_version &&
         (event.kind != Partner::Mover || flights_[event.partner].version == event.partner_version);
}

void StepRun::look_ahead(std::uint32_t mover, FineTime now) {
  const Box hull = hull_of(flights_[mover].motion, now, kFineSteps);
  grid_.keep_up(mover, hull);
  grid_.visit_near(hull, [&](std::uint32_t other) {
    if (other != mover && may_meet(bodies_[mover], bodies_[other])) expect_pair(mover, other, now);
  });
  expect_immovable(mover, hull, now);
}

void StepRun::expect_pair(std::uint32_t a, std::uint32_t b, FineTime now) {
  const auto impact = time_of_impact(flights_[a].motion, flights_[b].motion, now);
  if (!impact) {
    note_overlap(a, bodies_[b].id, flights_[b].motion, now);
    return;
  }
  const auto [low_id, high_id] = ordered_pair(bodies_[a].id, bodies_[b].id);
  queue_.push(
      {*impact, low_id, high_id, a, b, flights_[a].version, flights_[b].version, Partner::Mover});
}

void StepRun::note_overlap(std::uint32_t mover, BodyId id, const Motion& motion, FineTime now) {
  if (!overlap(flights_[mover].motion, motion, now)) return;
  report_.overlaps.push_back(ordered_pair(bodies_[mover].id, id));
}

// Of all that never moves only the first to be met is expected: any event makes the others stale.
void StepRun::expect_immovable(std::uint32_t mover, const Box& hull, FineTime now) {
  const Body& body = bodies_[mover];
  const Flight& flight = flights_[mover];
  bool found = false;
  Event first;
  const auto consider = [&](const std::optional<Impact>& impact, BodyId id, std::uint32_t index,
                            Partner kind) {
    if (!impact) return;
    const auto [low_id, high_id] = ordered_pair(body.id, id);
    const Event event{*impact, low_id, high_id, mover, index, flight.version, 0, kind};
    if (!found || sim::is_before(event, first)) first = event;
    found = true;
  };

  statics_->grid().visit_path(
      flight.motion, now, hull,
      [&](std::uint32_t index) {
        const Body& wall = statics_->bodies()[index];
        if (!may_meet(body, wall)) return;
        const Motion resting = motion_of(wall.min, wall.size, {});
        note_overlap(mover, wall.id, resting, now);
        consider(time_of_impact(flight.motion, resting, now), wall.id, index, Partner::Static);
      },
      [&](FineTime walked) { return found && first.impact.at.whole < walked; });
  if (settings_.border == Border::Solid && !contains(kWholeWorld, hull)) {
    for (Axis axis = 0; axis < kAxes; ++axis) {
      consider(time_to_border(flight.motion, axis, now), kWorldBorder, 0, Partner::Border);
    }
  }
  if (found) queue_.push(first);
}

void StepRun::land(World& world) {
  report_.events_max = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Flight& flight = flights_[i];
    for (Axis axis = 0; axis < kAxes; ++axis) {
      const Fine end = flight.motion.low(axis, kFineSteps);
      bodies_[i].min[axis] = static_cast<std::int32_t>(round_to_sub_unit(end));
      bodies_[i].velocity[axis] = static_cast<std::int32_t>(flight.motion.velocity[axis]);
    }
    report_.events_max = std::max(report_.events_max, static_cast<std::uint32_t>(flight.events));
    if (flight.events > kEventBudget) report_.frozen.push_back(bodies_[i].id);
  }
  std::sort(report_.contacts.begin(), report_.contacts.end(), is_reported_before);
  report_.events = static_cast<std::uint32_t>(report_.contacts.size());
  if (settings_.border == Border::Remove) remove_who_left(world);
  keep_overlaps(world);
}

void StepRun::remove_who_left(World& world) {
  for (const Body& body : bodies_) {
    if (!contains(kWholeWorld, box_of(body.min, body.size))) report_.left.push_back(body.id);
  }
  for (const BodyId id : report_.left) {
    world.remove(id);
  }
  bodies_ = world.movers();
}

// What did not overlap when the tick began does not now, so only the pairs noted then are looked at
// again.
void StepRun::keep_overlaps(const World& world) {
  const auto find = [&](BodyId id) {
    const Body* mover = world.find(id);
    return mover != nullptr ? mover : world.statics().find(id);
  };
  std::vector<BodyPair>& pairs = report_.overlaps;
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::erase_if(pairs, [&](const BodyPair& pair) {
    const Body* a = find(pair.low);
    const Body* b = find(pair.high);
    return a == nullptr || b == nullptr ||
           !overlap(box_of(a->min, a->size), box_of(b->min, b->size));
  });
}

std::int64_t StepRun::calm_speed(Axis axis) const {
  return 2 * std::abs(std::int64_t{settings_.gravity[axis]});
}

}  // namespace tickbox::sim
