#include "sim/step/sensors.h"

#include "sim/box.h"
#include "sim/step/impact.h"

#include <algorithm>

namespace tickbox::sim {
namespace {

/// Sorts the finished pieces by mover and adds the last piece of each, which ends with the tick.
void sort_courses(const Movers& movers, Courses& courses) {
  const std::size_t count = movers.states.size();
  courses.first.assign(count + 1, 1);
  courses.first[count] = 0;
  for (const Piece& piece : movers.pieces) {
    ++courses.first[piece.mover];
  }
  std::uint32_t end = 0;
  for (std::uint32_t& first : courses.first) {
    end += first;
    first = end;
  }
  courses.pieces.resize(end);
  for (std::uint32_t mover = 0; mover < count; ++mover) {
    courses.pieces[--courses.first[mover]] = {mover, kFineSteps, movers.states[mover].motion};
  }
  for (std::size_t i = movers.pieces.size(); i-- > 0;) {
    courses.pieces[--courses.first[movers.pieces[i].mover]] = movers.pieces[i];
  }
}

Rect hull_of_course(std::span<const Piece> course) {
  Box hull = hull_of(course.front().motion, 0, course.front().until);
  for (std::size_t i = 1; i < course.size(); ++i) {
    const Box piece = hull_of(course[i].motion, course[i - 1].until, course[i].until);
    for (Axis axis = 0; axis < kAxes; ++axis) {
      hull.min[axis] = std::min(hull.min[axis], piece.min[axis]);
      hull.max[axis] = std::max(hull.max[axis], piece.max[axis]);
    }
  }
  return rect_of(hull);
}

/// Whether the open interiors meet at some moment from `from` until `until`.
bool meet(const Motion& a, const Motion& b, FineTime from, FineTime until) {
  if (overlap(a, b, from)) return true;
  const auto impact = time_of_impact(a, b, from);
  return impact && impact->at.whole < until;
}

/// Reports each begin and end of an overlap of `a` and `b`.
void compare_courses(const Body& a, std::span<const Piece> a_course, const Body& b,
                     std::span<const Piece> b_course, StepReport& report) {
  const BodyPair pair = ordered_pair(a.id, b.id);
  bool together = overlap(a_course.front().motion, b_course.front().motion, 0);
  FineTime from = 0;
  for (std::size_t i = 0, j = 0; i < a_course.size() && j < b_course.size();) {
    const FineTime until = std::min(a_course[i].until, b_course[j].until);
    const Motion& a_motion = a_course[i].motion;
    const Motion& b_motion = b_course[j].motion;
    const bool is_piece = from < until;  // a body that turns twice at once has an empty piece
    if (is_piece && !together && meet(a_motion, b_motion, from, until)) {
      report.begin.push_back(pair);
      together = true;
    }
    if (is_piece && together && !overlap(a_motion, b_motion, until)) {
      report.end.push_back(pair);
      together = false;
    }
    from = until;
    const bool a_is_done = a_course[i].until == until;
    if (b_course[j].until == until) ++j;
    if (a_is_done) ++i;
  }
  if (together && !overlap(box_of(a.min, a.size), box_of(b.min, b.size))) {
    report.end.push_back(pair);
  }
}

/// `mover` against the static ghosts, and against all statics if it is a ghost.
void compare_with_statics(std::uint32_t mover, const Environment& environment, const Movers& movers,
                          Courses& courses, StepReport& report) {
  const Statics& statics = *environment.statics;
  const Body& body = movers.bodies[mover];
  const Rect hull = courses.hulls[mover];
  courses.statics.clear();
  const auto note = [&](std::uint32_t index) {
    if (may_meet(body, statics.bodies()[index])) courses.statics.push_back(index);
  };
  statics.ghosts().visit(hull, note);
  if (movers.roles[mover] == Role::Ghost) statics.grid().visit(hull, note);
  sort_unique(courses.statics);
  for (const std::uint32_t index : courses.statics) {
    const Body& other = statics.bodies()[index];
    const Piece at_rest{kNoMover, kFineSteps, motion_of(other.min, other.size, {})};
    compare_courses(body, courses.of(mover), other, {&at_rest, 1}, report);
  }
}

}  // namespace

void report_sensors(const Environment& environment, const Movers& movers, Courses& courses,
                    StepReport& report) {
  sort_courses(movers, courses);
  const std::size_t count = movers.bodies.size();
  courses.hulls.resize(count);
  for (std::uint32_t mover = 0; mover < count; ++mover) {
    courses.hulls.set(mover, hull_of_course(courses.of(mover)));
  }
  for (std::uint32_t mover = 0; mover < count; ++mover) {
    compare_with_statics(mover, environment, movers, courses, report);
    if (movers.roles[mover] != Role::Ghost) continue;
    const Body& body = movers.bodies[mover];
    const RectColumns::Probe probe{courses.hulls[mover]};
    courses.hulls.visit_touching(0, count, probe, [&](std::size_t found) {
      const auto other = static_cast<std::uint32_t>(found);
      const bool is_its_turn = movers.roles[other] != Role::Ghost || other > mover;
      if (other == mover || !is_its_turn || !may_meet(body, movers.bodies[other])) return;
      compare_courses(body, courses.of(mover), movers.bodies[other], courses.of(other), report);
    });
  }
}

}  // namespace tickbox::sim
