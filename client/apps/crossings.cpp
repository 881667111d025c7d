#include "client/apps/crossings.h"

#include "client/apps/near_pairs.h"
#include "client/apps/solid_side.h"

#include <algorithm>

namespace tickbox::apps {
namespace {

using sim::Body;
using sim::Kind;

sim::Box box_of(const Body& body) {
  return sim::box_of(body.min, body.size);
}

sim::Box hull_of(const Course& course) {
  sim::Box hull = course.from;
  for (sim::Axis axis = 0; axis < sim::kAxes; ++axis) {
    hull.min[axis] = std::min(hull.min[axis], course.to.min[axis]);
    hull.max[axis] = std::max(hull.max[axis], course.to.max[axis]);
  }
  return hull;
}

const Body* find(const sim::World& world, BodyId id) {
  const Body* const mover = world.find(id);
  return mover != nullptr ? mover : world.statics().find(id);
}

}  // namespace

void CrossingCounter::before(const sim::World& world) {
  before_.assign(world.movers().begin(), world.movers().end());
}

void CrossingCounter::after(Tick tick, const sim::World& world, const TickNotes& notes) {
  met_.clear();
  found_.clear();
  const auto note = [this](BodyId id, BodyId with) {
    const auto [place, is_first] = met_.emplace(id, with);
    if (!is_first && place->second != with) place->second = sim::kNoBody;
  };
  for (const sim::BodyPair& pair : notes.met) {
    note(pair.low, pair.high);
    note(pair.high, pair.low);
  }
  for (const BodyId id : notes.turned) {
    met_[id] = sim::kNoBody;
  }

  std::vector<Mover> movers;
  std::vector<sim::Box> hulls;
  const auto add = [&](const Body& from, const Body& to) {
    movers.push_back({from, {box_of(from), box_of(to)}});
    hulls.push_back(hull_of(movers.back().course));
  };
  for (const Body& body : before_) {
    const Body* const now = world.find(body.id);
    if (now != nullptr) add(body, *now);
  }
  for (const Body& body : world.statics().bodies()) {
    add(body, body);
  }
  visit_near_pairs(hulls, [&](std::size_t i, std::size_t j) {
    if (!sim::may_collide(movers[i].body, movers[j].body)) return;
    const bool in_order =
        movers[i].body.kind == Kind::Dynamic &&
        (movers[j].body.kind != Kind::Dynamic || movers[i].body.id < movers[j].body.id);
    judge(tick, movers[in_order ? i : j], movers[in_order ? j : i]);
  });
  // The sweep finds them along x.
  std::ranges::sort(found_, {},
                    [](const Crossing& each) { return std::pair{each.body, each.through}; });
  for (const Crossing& crossing : found_) {
    if (counts_.first.size() < kCrossingsKept) counts_.first.push_back(crossing);
  }
}

void CrossingCounter::judge(Tick tick, const Mover& a, const Mover& b) {
  if (!met_only(a.body.id, b.body.id) || !met_only(b.body.id, a.body.id)) return;
  if (!is_on_solid_side(b.body.one_way, b.course.from, a.course.from)) return;
  const auto passage = passage_through(a.course, b.course);
  if (!passage || !is_solid_along(b.body.one_way, passage->axis)) return;
  const bool seen = met_.contains(a.body.id) && met_.contains(b.body.id);
  // Who was pushed out by another face than the one it came in by is where it belongs.
  if (seen && !is_beyond(*passage, a.course.to, b.course.to)) return;
  ++(seen ? counts_.pushed : counts_.unseen);
  found_.push_back({tick, a.body.id, b.body.id});
  entered_.emplace(std::pair{a.body.id, b.body.id}, *passage);
}

std::vector<BodyId> CrossingCounter::beyond(const sim::World& world) const {
  std::vector<BodyId> ids;
  for (const auto& [who, passage] : entered_) {
    const Body* const body = world.find(who.first);
    const Body* const through = find(world, who.second);
    const bool is_out = body == nullptr ||
                        (through != nullptr && is_beyond(passage, box_of(*body), box_of(*through)));
    if (is_out && (ids.empty() || ids.back() != who.first)) ids.push_back(who.first);
  }
  return ids;
}

bool CrossingCounter::met_only(BodyId id, BodyId other) const {
  const auto place = met_.find(id);
  return place == met_.end() || place->second == other;
}

}  // namespace tickbox::apps
