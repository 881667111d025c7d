#include "client/commands/sim/comparison.h"

#include "sim/box.h"
#include "sim/step/impact.h"
#include "sim/step/overlaps.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tickbox::commands {
namespace {

using sim::Axis;
using sim::Body;
using sim::Box;
using sim::Motion;

const Body& body_of(const sim::PhysicsWorld& world, BodyId id) {
  const Body* const mover = world.find(id);
  return mover != nullptr ? *mover : *world.statics().find(id);
}

Box box_of(const Body& body) {
  return sim::box_of(body.min, body.size);
}

/// Moves the body to a position, at most to the border. Returns false if the border stops it.
bool move_to(Body& body, Axis axis, std::int64_t place) {
  const auto inside = std::clamp<std::int64_t>(place, -kWorldLimit, kWorldLimit - body.size[axis]);
  body.min[axis] = static_cast<std::int32_t>(inside);
  if (inside != place) body.velocity[axis] = 0;
  return inside == place;
}

void move(sim::PhysicsWorld& world) {
  std::vector<BodyId> outside;
  for (Body& body : world.movers()) {
    if (body.path != sim::kNoPath) {
      const Vec2 to = world.statics().paths()[body.path].place_at(++body.path_ticks);
      body.velocity = {to.x - body.min.x, to.y - body.min.y};
    }
    const std::int64_t scale = body.kind == sim::Kind::Dynamic ? body.gravity_scale : 0;
    for (Axis axis = 0; axis < sim::kAxes; ++axis) {
      const std::int64_t pull = world.settings().gravity[axis] * scale / sim::kFullGravity;
      const std::int64_t velocity = sim::clamped_speed(body.velocity[axis] + pull);
      body.velocity[axis] = static_cast<std::int32_t>(velocity);
      if (!move_to(body, axis, body.min[axis] + velocity)) outside.push_back(body.id);
    }
  }
  if (world.settings().border == sim::Border::Remove) world.remove(outside);
}

/// Returns the solid face of a one-way body.
Passage solid_face(sim::OneWay solid) {
  return {.axis = solid == sim::OneWay::Left || solid == sim::OneWay::Right ? Axis{0} : Axis{1},
          .from_low = solid == sim::OneWay::Left || solid == sim::OneWay::Up};
}

/// Returns whether the whole `body` is in front of that face of `other`.
bool is_before(const Body& body, const Body& other, Passage face) {
  const Box box = box_of(body);
  const Box block = box_of(other);
  return face.from_low ? box.max[face.axis] <= block.min[face.axis]
                       : box.min[face.axis] >= block.max[face.axis];
}

bool is_on_solid_side(const Body& one_way, const Body& body) {
  return one_way.one_way == sim::OneWay::None ||
         is_before(body, one_way, solid_face(one_way.one_way));
}

/// Pushes a pair apart. Returns false if the bodies no longer overlap.
bool push_apart(sim::PhysicsWorld& world, sim::BodyPair pair) {
  const Body a = body_of(world, pair.low);
  const Body b = body_of(world, pair.high);
  const Box box = box_of(a);
  const Box other = box_of(b);
  if (!sim::overlap(box, other)) return false;
  // The ways for b to leave a. Of equal lengths the first is taken, in the order of the article.
  const std::pair<std::int64_t, Axis> ways[] = {{box.min[0] - other.max[0], 0},
                                                {box.max[0] - other.min[0], 0},
                                                {box.max[1] - other.min[1], 1},
                                                {box.min[1] - other.max[1], 1}};
  const auto [way, axis] =
      std::ranges::min(ways, {}, [](const auto& each) { return std::abs(each.first); });
  const std::int64_t of_a = b.kind == sim::Kind::Dynamic ? way / 2 : way;
  const std::int64_t of_b = a.kind == sim::Kind::Dynamic ? way - of_a : way;
  for (const auto& [body, by] : {std::pair{&a, -of_a}, {&b, of_b}}) {
    if (body->kind != sim::Kind::Dynamic) continue;
    world.find_mover(body->id)->velocity[axis] = 0;
    move_to(*world.find_mover(body->id), axis, body->min[axis] + by);
  }
  return true;
}

bool met_a_third(std::span<const sim::BodyPair> met, sim::BodyPair pair) {
  const auto is_one = [&](BodyId id) { return id == pair.low || id == pair.high; };
  return std::ranges::any_of(met, [&](const sim::BodyPair& other) {
    return other != pair && (is_one(other.low) || is_one(other.high));
  });
}

/// Returns whether the body's motion equals its velocity.
bool went_straight(const Body& body, const Motion& course) {
  return course.velocity[0] == body.velocity.x && course.velocity[1] == body.velocity.y;
}

}  // namespace

std::vector<sim::BodyPair> step_discretely(sim::PhysicsWorld& world) {
  const sim::PhysicsWorld before = world;
  move(world);
  const auto collide = [&](const Body& a, const Body& b) {
    const Body& a_before = body_of(before, a.id);
    const Body& b_before = body_of(before, b.id);
    return sim::may_collide(a, b) && is_on_solid_side(a_before, b_before) &&
           is_on_solid_side(b_before, a_before);
  };
  std::vector<sim::BodyPair> pushed = sim::find_overlaps(world, collide);
  std::erase_if(pushed, [&](const sim::BodyPair& pair) { return !push_apart(world, pair); });
  return pushed;
}

std::optional<Passage> passage_through(const Motion& body, const Motion& other) {
  for (Axis axis = 0; axis < sim::kAxes; ++axis) {
    if (std::abs(body.velocity[axis] - other.velocity[axis]) > INT32_MAX) return std::nullopt;
  }
  const auto impact = sim::time_of_impact(other, body, 0);
  if (!impact || sim::overlap(body, other, sim::kFineSteps)) return std::nullopt;
  return Passage{impact->axis, body.low(impact->axis, 0) < other.low(impact->axis, 0)};
}

void ComparedSide::go_on(Tick tick, const sim::PhysicsWorld& next,
                         std::span<const sim::BodyPair> met) {
  std::map<BodyId, Motion> courses;
  sim::PhysicsWorld hulls = next;  // a passage is possible only where whole courses overlap
  for (const Body& was : world.movers()) {
    Body* const hull = hulls.find_mover(was.id);
    if (hull == nullptr) continue;
    Motion& course = courses[was.id] = sim::motion_of(was.min, was.size, {});
    for (Axis axis = 0; axis < sim::kAxes; ++axis) {
      const std::int64_t way = std::int64_t{hull->min[axis]} - was.min[axis];
      course.velocity[axis] = way;
      hull->size[axis] = static_cast<std::int32_t>(
          std::min<std::int64_t>(was.size[axis] + std::abs(way), INT32_MAX));
      hull->min[axis] = std::min(hull->min[axis], was.min[axis]);
    }
  }
  for (const sim::BodyPair& pair : sim::find_overlaps(hulls, &sim::may_collide)) {
    const bool low_moves = body_of(next, pair.low).kind == sim::Kind::Dynamic;
    const Body& body = body_of(next, low_moves ? pair.low : pair.high);
    const Body& other = body_of(next, low_moves ? pair.high : pair.low);
    courses.try_emplace(other.id, sim::motion_of(other.min, other.size, {}));
    const auto face = passage_through(courses[body.id], courses[other.id]);
    const sim::OneWay one_way = other.one_way;
    if (!face || (one_way != sim::OneWay::None && *face != solid_face(one_way))) continue;
    const bool seen = std::ranges::find(met, pair) != met.end();
    // A detected pair counts only if the body ended beyond the opposite face.
    const bool judged =
        seen ? !met_a_third(met, pair) && is_before(body, other, {face->axis, !face->from_low})
             : went_straight(body, courses[body.id]) && went_straight(other, courses[other.id]);
    if (judged) ++(seen ? pushed : unseen);
    if (judged && first.size() < kCrossingsKept) first.push_back({tick, body.id, other.id});
  }
  world = next;
}

void Comparison::after_step(Tick tick, const sim::PhysicsWorld& world,
                            const sim::StepReport& report) {
  std::vector<sim::BodyPair> met;
  met.reserve(report.contacts.size());
  for (const sim::Contact& contact : report.contacts) {
    met.push_back(sim::ordered_pair(contact.a, contact.b));
  }
  tickbox.go_on(tick, world, met);
  sim::PhysicsWorld next = discrete.world;
  met = step_discretely(next);
  discrete.go_on(tick, next, met);
}

}  // namespace tickbox::commands
