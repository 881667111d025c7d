// Ghosts, sensors and bodies that pass, change nothing: so who overlaps them is looked at when the
// tick is over, along the finished courses. A course is a body's straight pieces between its turns,
// and is kept only where there are ghosts. Nothing crosses a ghost unseen, as each piece is looked
// at with the exact time of impact.

#include "sim/step/step_run.h"

#include <algorithm>

namespace tickbox::sim {
namespace {

/// Whether the open interiors meet at some moment from `from` until `until`.
bool meet(const Motion& a, const Motion& b, FineTime from, FineTime until) {
  if (overlap(a, b, from)) return true;
  const auto impact = time_of_impact(a, b, from);
  return impact && impact->at.whole < until;
}

}  // namespace

/// The pieces of each mover one after the other, in the order of time, the last up to the tick's
/// end.
void StepRun::sort_courses() {
  for (std::uint32_t mover = 0; mover < movers_.states.size(); ++mover) {
    movers_.pieces.push_back({mover, kFineSteps, movers_.states[mover].motion});
  }
  courses_.first.assign(movers_.states.size() + 1, 0);
  for (const Piece& piece : movers_.pieces) {
    ++courses_.first[piece.mover];
  }
  for (std::size_t i = 1; i < courses_.first.size(); ++i) {
    courses_.first[i] += courses_.first[i - 1];
  }
  courses_.pieces.resize(movers_.pieces.size());
  for (std::size_t i = movers_.pieces.size(); i-- > 0;) {
    courses_.pieces[--courses_.first[movers_.pieces[i].mover]] = movers_.pieces[i];
  }
}

std::span<const Piece> StepRun::course_of(std::uint32_t mover) const {
  const std::uint32_t first = courses_.first[mover];
  return std::span{courses_.pieces}.subspan(first, courses_.first[mover + 1] - first);
}

Rect StepRun::hull_of_course(std::uint32_t mover) const {
  const auto course = course_of(mover);
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

void StepRun::report_ghosts() {
  const std::size_t count = movers_.bodies.size();
  courses_.hulls.resize(count);
  for (std::uint32_t mover = 0; mover < count; ++mover) {
    courses_.hulls.set(mover, hull_of_course(mover));
  }
  for (std::uint32_t mover = 0; mover < count; ++mover) {
    const Body& body = movers_.bodies[mover];
    const Rect hull = courses_.hulls[mover];
    courses_.statics.clear();
    const auto note = [&](std::uint32_t index) {
      if (may_meet(body, environment_.statics->bodies()[index])) courses_.statics.push_back(index);
    };
    environment_.statics->ghosts().visit(hull, note);
    if (movers_.roles[mover] == Role::Ghost) environment_.statics->grid().visit(hull, note);
    sort_unique(courses_.statics);
    for (const std::uint32_t index : courses_.statics) {
      const Body& ghost = environment_.statics->bodies()[index];
      const Piece resting{kNoMover, kFineSteps, motion_of(ghost.min, ghost.size, {})};
      follow(body, course_of(mover), ghost, {&resting, 1});
    }
    if (movers_.roles[mover] != Role::Ghost) continue;
    courses_.hulls.visit_touching(0, count, RectColumns::Probe{hull}, [&](std::size_t found) {
      const auto other = static_cast<std::uint32_t>(found);
      const bool is_its_turn = movers_.roles[other] != Role::Ghost || other > mover;
      if (other == mover || !is_its_turn || !may_meet(body, movers_.bodies[other])) return;
      follow(body, course_of(mover), movers_.bodies[other], course_of(other));
    });
  }
}

void StepRun::follow(const Body& a, std::span<const Piece> a_course, const Body& b,
                     std::span<const Piece> b_course) {
  const BodyPair pair = ordered_pair(a.id, b.id);
  bool together = overlap(a_course.front().motion, b_course.front().motion, 0);
  FineTime from = 0;
  for (std::size_t i = 0, j = 0; i < a_course.size() && j < b_course.size();) {
    const FineTime until = std::min(a_course[i].until, b_course[j].until);
    const Motion& a_motion = a_course[i].motion;
    const Motion& b_motion = b_course[j].motion;
    const bool is_piece = from < until;  // where it turns twice at once, it is nowhere in between
    if (is_piece && !together && meet(a_motion, b_motion, from, until)) {
      report_.begin.push_back(pair);
      together = true;
    }
    if (is_piece && together && !overlap(a_motion, b_motion, until)) {
      report_.end.push_back(pair);
      together = false;
    }
    from = until;
    const bool a_is_done = a_course[i].until == until;
    if (b_course[j].until == until) ++j;
    if (a_is_done) ++i;
  }
  if (together && !overlap(box_of(a.min, a.size), box_of(b.min, b.size))) {
    report_.end.push_back(pair);
  }
}

}  // namespace tickbox::sim
