#include "client/commands/sim/comparison.h"

#include "sim/box.h"
#include "sim/response.h"
#include "sim/step/overlaps.h"
#include "sim/step/sweep.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

namespace tickbox::commands {
namespace {

using sim::Axis;
using sim::Body;
using sim::Box;
using sim::Motion;

const Body* find_body(const sim::World& world, BodyId id) {
  const Body* const mover = world.find(id);
  return mover != nullptr ? mover : world.statics().find(id);
}

Box box_of(const Body& body) {
  return sim::box_of(body.min, body.size);
}

void move(sim::World& world) {
  for (Body& body : world.movers()) {
    if (body.path != sim::kNoPath) {
      const Vec2 to = world.statics().paths()[body.path].place_at(++body.path_ticks);
      body.velocity = {to.x - body.min.x, to.y - body.min.y};
    }
    for (Axis axis = 0; axis < sim::kAxes; ++axis) {
      const std::int64_t pull =
          body.kind == sim::Kind::Dynamic ? world.settings().gravity[axis] : 0;
      const std::int64_t fallen =
          body.velocity[axis] + pull * body.gravity_scale / sim::kFullGravity;
      if (pull != 0) body.velocity[axis] = static_cast<std::int32_t>(sim::clamped_speed(fallen));
      body.min[axis] += body.velocity[axis];
    }
  }
}

void meet_border(sim::World& world, std::vector<sim::BodyPair>& pushed) {
  std::vector<BodyId> outside;
  for (Body& body : world.movers()) {
    if (sim::contains(sim::kWholeWorld, box_of(body))) continue;
    outside.push_back(body.id);
    pushed.push_back(sim::ordered_pair(body.id, sim::kWorldBorder));
    for (Axis axis = 0; axis < sim::kAxes; ++axis) {
      const auto place = std::clamp(body.min[axis], -kWorldLimit, kWorldLimit - body.size[axis]);
      if (place != body.min[axis]) body.velocity[axis] = 0;
      body.min[axis] = place;
    }
  }
  if (world.settings().border == sim::Border::Remove) world.remove(outside);
}

/// The solid face of a one-way body.
Passage solid_face(sim::OneWay solid) {
  return {.axis = solid == sim::OneWay::Left || solid == sim::OneWay::Right ? Axis{0} : Axis{1},
          .from_low = solid == sim::OneWay::Left || solid == sim::OneWay::Up};
}

/// Whether `body` lies wholly before that face of `other`.
bool is_before(const Box& body, const Box& other, Passage face) {
  return face.from_low ? body.max[face.axis] <= other.min[face.axis]
                       : body.min[face.axis] >= other.max[face.axis];
}

bool is_on_solid_side(const Body& one_way, const Body& body) {
  return one_way.one_way == sim::OneWay::None ||
         is_before(box_of(body), box_of(one_way), solid_face(one_way.one_way));
}

/// False where they do not overlap any more.
bool push_apart(sim::World& world, sim::BodyPair pair) {
  const Body a = *find_body(world, pair.low);
  const Body b = *find_body(world, pair.high);
  const Box box = box_of(a);
  const Box other = box_of(b);
  if (!sim::overlap(box, other)) return false;
  // How far b has to go to be out of a; of equal ways the first, in the order of the article.
  const auto [way, axis] =
      std::ranges::min({std::pair{box.min[0] - other.max[0], Axis{0}},
                        {box.max[0] - other.min[0], 0},
                        {box.max[1] - other.min[1], 1},
                        {box.min[1] - other.max[1], 1}},
                       {}, [](const auto& each) { return std::abs(each.first); });
  const std::int64_t of_a = b.kind == sim::Kind::Dynamic ? way / 2 : way;
  const std::int64_t of_b = a.kind == sim::Kind::Dynamic ? way - of_a : way;
  for (const auto& [id, by] : {std::pair{a.id, -of_a}, {b.id, of_b}}) {
    Body* const pushed = world.find(id);
    if (pushed == nullptr || pushed->kind != sim::Kind::Dynamic) continue;
    pushed->min[axis] = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(pushed->min[axis] + by, -kWorldLimit, kWorldLimit));
    pushed->velocity[axis] = 0;
  }
  return true;
}

/// Whether a body that came in by `face` is out of `through` on the other side, or gone.
bool is_beyond(const sim::World& world, BodyId id, BodyId through, Passage face) {
  const Body* const body = find_body(world, id);
  const Body* const other = find_body(world, through);
  return body == nullptr || (other != nullptr &&
                             is_before(box_of(*body), box_of(*other), {face.axis, !face.from_low}));
}

/// Whether one of the two met a third body, or was turned.
bool is_bent(const TickNotes& notes, sim::BodyPair pair) {
  const auto is_one = [&](BodyId id) { return id == pair.low || id == pair.high; };
  return std::ranges::any_of(notes.turned, is_one) ||
         std::ranges::any_of(notes.met, [&](const sim::BodyPair& met) {
           return met != pair && (is_one(met.low) || is_one(met.high));
         });
}

std::string document_of(const ComparedSide& side) {
  const auto text_of = [](const Crossing& each) {
    return fmt::format(R"({{"tick":{},"id":{},"through":{}}})", each.tick.value, each.body.value,
                       each.through.value);
  };
  return fmt::format(
      R"({{"crossings":{},"pushed_through":{},"beyond":[{}],"overlaps_left":{},"first":[{}]}})",
      side.unseen, side.pushed, fmt::join(side.beyond | std::views::transform(&BodyId::value), ","),
      side.overlaps_left, fmt::join(side.first | std::views::transform(text_of), ","));
}

std::string summary_of(std::string_view name, const ComparedSide& side) {
  std::string text = fmt::format(
      "{:15}{} tunnelled unseen, {} pushed through, {} ended beyond, {} overlaps left\n", name,
      side.unseen, side.pushed, side.beyond.size(), side.overlaps_left);
  constexpr std::size_t kCrossingsTold = 5;
  for (const Crossing& each : side.first | std::views::take(kCrossingsTold)) {
    text += fmt::format("{:15}tick {}: body {} through body {}\n", "", each.tick.value,
                        each.body.value, each.through.value);
  }
  return text;
}

}  // namespace

std::vector<sim::BodyPair> step_discretely(sim::World& world) {
  const sim::World before = world;
  std::vector<sim::BodyPair> pushed;
  move(world);
  meet_border(world, pushed);
  const auto collide = [&](const Body& a, const Body& b) {
    const Body& a_before = *find_body(before, a.id);
    const Body& b_before = *find_body(before, b.id);
    return sim::may_collide(a, b) && is_on_solid_side(a_before, b_before) &&
           is_on_solid_side(b_before, a_before);
  };
  std::ranges::copy_if(sim::find_overlaps(world, collide), std::back_inserter(pushed),
                       [&](const sim::BodyPair& pair) { return push_apart(world, pair); });
  meet_border(world, pushed);
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

void CrossingCounter::after(Tick tick, const sim::World& world, const TickNotes& notes) {
  struct Course {
    const Body* body;
    Motion motion;
    Box hull;
  };

  std::vector<Course> courses;
  const auto add = [&](const Body& body, Vec2 to) {
    const Motion motion =
        sim::motion_of(body.min, body.size, {to.x - body.min.x, to.y - body.min.y});
    courses.push_back({&body, motion, sim::hull_of(motion, 0, sim::kFineSteps)});
  };
  for (const Body& body : before_) {
    if (const Body* const now = world.find(body.id)) add(body, now->min);
  }
  for (const Body& body : world.statics().bodies()) {
    add(body, body.min);
  }
  std::ranges::sort(courses, {}, [](const Course& each) { return each.hull.min[0]; });

  std::vector<Crossing> found;
  const auto judge = [&](const Course& a, const Course& b) {
    const BodyId id = a.body->id;
    const BodyId through = b.body->id;
    const sim::BodyPair pair = sim::ordered_pair(id, through);
    const auto solid = b.body->one_way;
    const auto face =
        sim::may_collide(*a.body, *b.body) ? passage_through(a.motion, b.motion) : std::nullopt;
    if (!face || (solid != sim::OneWay::None && *face != solid_face(solid))) return;
    const bool seen = std::ranges::find(notes.met, pair) != notes.met.end();
    // A body pushed out by another face than the one it came in by is where it belongs.
    if (is_bent(notes, pair) || (seen && !is_beyond(world, id, through, *face))) return;
    ++(seen ? counts_.pushed : counts_.unseen);
    found.push_back({tick, id, through});
    entered_.emplace(std::pair{id, through}, *face);
  };
  const auto rank = [](const Course& each) {
    return std::pair{each.body->kind != sim::Kind::Dynamic, each.body->id};
  };
  for (auto a = courses.begin(); a != courses.end(); ++a) {
    for (auto b = a + 1; b != courses.end() && b->hull.min[0] <= a->hull.max[0]; ++b) {
      if (!sim::touch(a->hull, b->hull)) continue;
      rank(*a) < rank(*b) ? judge(*a, *b) : judge(*b, *a);
    }
  }
  std::ranges::sort(found, {}, [](const auto& each) { return std::pair{each.body, each.through}; });
  found.resize(std::min(found.size(), kCrossingsKept - counts_.first.size()));
  counts_.first.insert(counts_.first.end(), found.begin(), found.end());
}

ComparedSide CrossingCounter::result(const sim::World& world) const {
  ComparedSide side = counts_;
  for (const auto& [pair, face] : entered_) {
    const bool is_new = side.beyond.empty() || side.beyond.back() != pair.first;
    if (is_new && is_beyond(world, pair.first, pair.second, face)) {
      side.beyond.push_back(pair.first);
    }
  }
  side.overlaps_left = sim::find_overlaps(world).size();
  return side;
}

void Comparison::after_step(Tick tick, const sim::World& world, const sim::StepReport& report) {
  TickNotes notes{.met = {}, .turned = report.blocked};
  for (const sim::Contact& contact : report.contacts) {
    notes.met.push_back(sim::ordered_pair(contact.a, contact.b));
  }
  // Bent without a contact: those put apart, blocked or crushed, and those that lost their carrier.
  const auto note = [&](BodyId id) { notes.turned.push_back(id); };
  std::ranges::for_each(report.crushed, note);
  for (const auto& [low, high] : report.separated) {
    note(low);
    note(high);
  }
  for (const Body& body : ours_.bodies_before()) {
    if (!report.blocked.empty() && body.carrier != sim::kNoBody) note(body.id);
  }
  ours_.after(tick, world, notes);
  theirs_.after(tick, discrete_, {.met = step_discretely(discrete_)});
}

std::string comparison_document(const Compared& compared) {
  return R"({"with":"discrete","discrete":)" + document_of(compared.discrete) + R"(,"tickbox":)" +
         document_of(compared.tickbox) + "}";
}

std::string comparison_summary(const Compared& compared) {
  return summary_of("discrete", compared.discrete) + summary_of("tickbox", compared.tickbox);
}

}  // namespace tickbox::commands
