// Bodies that overlap when a tick begins are put apart along the shortest way out, the penetration
// vector of the Minkowski difference; where that way is not free, along the next, as long as it
// does not lead through a wall. One pass, nobody more than a few times: what cannot be parted stays
// as it is, and is reported.

#include "sim/step/step_run.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tickbox::sim {
namespace {

/// Attempts per body and tick, so that a heap of bodies in one place costs its size.
constexpr std::uint8_t kTurnsPerBody = 8;

Box box_of(const Body& body) {
  return sim::box_of(body.min, body.size);
}

/// How far b has to go along an axis to be out of a.
struct Way {
  Axis axis = 0;
  std::int64_t way = 0;  ///< of b, signed

  [[nodiscard]] std::int64_t length() const { return way < 0 ? -way : way; }
};

/// The shortest first; of equal ones up, down, left, right.
std::array<Way, 4> ways_out(const Box& a, const Box& b) {
  std::array<Way, 4> ways = {Way{1, a.min[1] - b.max[1]}, Way{1, a.max[1] - b.min[1]},
                             Way{0, a.min[0] - b.max[0]}, Way{0, a.max[0] - b.min[0]}};
  for (std::size_t i = 1; i < ways.size(); ++i) {
    for (std::size_t j = i; j > 0 && ways[j].length() < ways[j - 1].length(); --j) {
      std::swap(ways[j], ways[j - 1]);
    }
  }
  return ways;
}

}  // namespace

bool StepRun::part_overlaps() {
  if (report_.overlaps.empty()) return false;
  sort_unique(report_.overlaps);
  if (was_parted_) return false;
  was_parted_ = true;
  bool moved = false;
  for (const BodyPair pair : report_.overlaps) {
    const Body& a = *find_body(pair.low, environment_, movers_);
    const Body& b = *find_body(pair.high, environment_, movers_);
    if (!overlap(box_of(a), box_of(b)) || !part(a, b)) continue;
    report_.separated.push_back(pair);
    moved = true;
  }
  return moved;
}

bool StepRun::has_turns_left(const Body& body) const {
  return body.kind != Kind::Dynamic || turns_of_parting_[index_of(body)] < kTurnsPerBody;
}

bool StepRun::part(const Body& a, const Body& b) {
  if (!has_turns_left(a) || !has_turns_left(b)) return false;
  for (const Body* body : {&a, &b}) {
    if (body->kind == Kind::Dynamic) ++turns_of_parting_[index_of(*body)];
  }
  const auto split = [](std::int64_t whole) {
    const std::int64_t half = whole / 2;
    return std::pair{half, whole - half};
  };
  const auto ways = ways_out(box_of(a), box_of(b));
  for (const Way& out : ways) {
    const bool is_shortest = &out == ways.data();
    if (!is_shortest && out.length() > std::min(a.size[out.axis], b.size[out.axis])) continue;
    if (a.kind == Kind::Dynamic && b.kind == Kind::Dynamic) {
      const auto [of_a, of_b] = split(out.way);
      if (shift(a, b, out.axis, -of_a, of_b)) return true;
    }
    if (b.kind == Kind::Dynamic && shift(a, b, out.axis, 0, out.way)) return true;
    if (a.kind == Kind::Dynamic && shift(a, b, out.axis, -out.way, 0)) return true;
  }
  return false;
}

bool StepRun::shift(const Body& a, const Body& b, Axis axis, std::int64_t way_of_a,
                    std::int64_t way_of_b) {
  if (!may_stand(a, axis, way_of_a, b) || !may_stand(b, axis, way_of_b, a)) return false;
  move_by(a, axis, way_of_a);
  move_by(b, axis, way_of_b);
  return true;
}

bool StepRun::may_stand(const Body& body, Axis axis, std::int64_t way, const Body& partner) {
  if (way == 0) return true;
  const Box before = box_of(body);
  Box after = before;
  after.min[axis] += way;
  after.max[axis] += way;
  if (!contains(kWholeWorld, after)) return false;

  bool free = true;
  const auto look_at = [&](const Body& other) {
    if (other.id == body.id || other.id == partner.id || !stay_apart(body, other)) return;
    const Box box = box_of(other);
    if (!overlap(after, box) || overlap(before, box)) return;
    free = false;
    note_influence(body, other, report_);
  };
  environment_.statics->grid().visit(
      rect_of(after), [&](std::uint32_t wall) { look_at(environment_.statics->bodies()[wall]); });
  candidates_.grid.visit_near(rect_of(after),
                              [&](std::uint32_t mover) { look_at(movers_.bodies[mover]); });
  return free;
}

void StepRun::move_by(const Body& body, Axis axis, std::int64_t way) {
  if (way == 0) return;
  const std::uint32_t mover = index_of(body);
  movers_.bodies[mover].min[axis] += static_cast<std::int32_t>(way);
  if (movers_.meets_movers(mover))
    candidates_.grid.keep_up(mover, rect_of(box_of(movers_.bodies[mover])));
}

}  // namespace tickbox::sim
