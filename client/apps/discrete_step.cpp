#include "client/apps/discrete_step.h"

#include "client/apps/near_pairs.h"
#include "client/apps/solid_side.h"
#include "sim/box.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tickbox::apps {
namespace {

using sim::Axis;
using sim::Body;
using sim::Kind;

std::int32_t clamped(std::int64_t value, std::int64_t limit) {
  return static_cast<std::int32_t>(std::clamp(value, -limit, limit));
}

const Body* find(const sim::World& world, BodyId id) {
  const Body* const mover = world.find(id);
  return mover != nullptr ? mover : world.statics().find(id);
}

sim::Box box_of(const Body& body) {
  return sim::box_of(body.min, body.size);
}

/// How far b has to go to be out of a, along the axis on which that is least.
struct Penetration {
  Axis axis = 0;
  std::int64_t way = 0;
};

/// Of equal depths the first, in the order of the article's code.
Penetration penetration(const sim::Box& a, const sim::Box& b) {
  const std::array<Penetration, 4> ways = {
      Penetration{0, a.min[0] - b.max[0]}, Penetration{0, a.max[0] - b.min[0]},
      Penetration{1, a.max[1] - b.min[1]}, Penetration{1, a.min[1] - b.max[1]}};
  return *std::ranges::min_element(ways, {}, [](const Penetration& p) { return std::abs(p.way); });
}

void push(Body& body, Axis axis, std::int64_t way) {
  body.min[axis] = clamped(body.min[axis] + way, kWorldLimit);
  body.velocity[axis] = 0;
}

/// False where they do not overlap any more.
bool push_apart(sim::World& world, sim::BodyPair pair) {
  const Body* const a = find(world, pair.low);
  const Body* const b = find(world, pair.high);
  if (a == nullptr || b == nullptr || !overlap(box_of(*a), box_of(*b))) return false;
  const auto [axis, way] = penetration(box_of(*a), box_of(*b));
  const bool a_moves = a->kind == Kind::Dynamic;
  const bool b_moves = b->kind == Kind::Dynamic;
  const std::int64_t of_a = !a_moves ? 0 : b_moves ? way / 2 : way;
  if (a_moves) push(*world.find(pair.low), axis, -of_a);
  if (b_moves) push(*world.find(pair.high), axis, way - of_a);
  return true;
}

}  // namespace

void DiscreteStepper::step(sim::World& world) {
  pushed_.clear();
  before_.assign(world.movers().begin(), world.movers().end());
  move(world);
  meet_border(world);
  find_pairs(world);
  for (const sim::BodyPair pair : found_) {
    if (push_apart(world, pair)) pushed_.push_back(pair);
  }
  meet_border(world);
}

void DiscreteStepper::move(sim::World& world) {
  for (Body& body : world.movers()) {
    const Vec2 from = body.min;
    if (body.path != sim::kNoPath) {
      body.path_ticks += 1;
      body.min = world.statics().paths()[body.path].place_at(body.path_ticks);
      body.velocity = {body.min.x - from.x, body.min.y - from.y};
      continue;
    }
    for (Axis axis = 0; axis < sim::kAxes; ++axis) {
      if (body.kind == Kind::Dynamic) {
        const std::int64_t pull =
            std::int64_t{world.settings().gravity[axis]} * body.gravity_scale / sim::kFullGravity;
        body.velocity[axis] = clamped(body.velocity[axis] + pull, kSpeedLimit);
      }
      body.min[axis] += body.velocity[axis];
    }
  }
}

void DiscreteStepper::meet_border(sim::World& world) {
  std::vector<BodyId> outside;
  for (Body& body : world.movers()) {
    for (Axis axis = 0; axis < sim::kAxes; ++axis) {
      const std::int32_t inside =
          std::clamp(body.min[axis], -kWorldLimit, kWorldLimit - body.size[axis]);
      if (inside == body.min[axis]) continue;
      if (world.settings().border == sim::Border::Remove) {
        outside.push_back(body.id);
        break;
      }
      body.min[axis] = inside;
      body.velocity[axis] = 0;
      pushed_.push_back(sim::ordered_pair(body.id, sim::kWorldBorder));
    }
  }
  for (const BodyId id : outside) {
    world.remove(id);
  }
}

void DiscreteStepper::find_pairs(const sim::World& world) {
  found_.clear();
  std::vector<const Body*> bodies;
  std::vector<sim::Box> boxes;
  const auto add = [&](const Body& body) {
    bodies.push_back(&body);
    boxes.push_back(box_of(body));
  };
  std::ranges::for_each(world.movers(), add);
  std::ranges::for_each(world.statics().bodies(), add);
  const auto before = [&](const Body& body) {
    const auto place = std::ranges::lower_bound(before_, body.id, {}, &Body::id);
    return place != before_.end() && place->id == body.id ? box_of(*place) : box_of(body);
  };
  visit_near_pairs(boxes, [&](std::size_t i, std::size_t j) {
    const Body& a = *bodies[i];
    const Body& b = *bodies[j];
    if (!sim::may_collide(a, b) || !overlap(boxes[i], boxes[j])) return;
    const bool held = is_on_solid_side(a.one_way, before(a), before(b)) &&
                      is_on_solid_side(b.one_way, before(b), before(a));
    if (held) found_.push_back(sim::ordered_pair(a.id, b.id));
  });
  std::ranges::sort(found_);
}

}  // namespace tickbox::apps
