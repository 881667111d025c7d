#include "sim/step/sensors.h"

#include "sim/box.h"
#include "sim/step/impact.h"

#include <algorithm>

namespace tickbox::sim {
namespace {

/// Sorts the finished pieces by mover and adds the last piece of each, which ends with the tick.
void sort_courses(const Movers& movers, Courses& courses) {
  const std::size_t count = movers.bodies.size();
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

/// Lists the immovable ghosts that `mover` may cross, and all immovable bodies if it is a ghost.
void list_crossings(std::uint32_t mover, const Environment& environment, const Movers& movers,
                    Candidates& candidates, Courses& courses) {
  const Immovables& immovables = environment.immovables;
  const Body& body = movers.bodies[mover];
  const Rect& hull = candidates.hulls[mover];
  const auto add = [&](std::uint32_t index) {
    if (may_meet(body, immovables[index])) courses.crossings.push_back({mover, index});
  };
  if (movers.roles[mover] == Role::Ghost) immovables.visit(Solidity::Solid, hull, add);
  if (!immovables.has(Solidity::Ghost)) return;
  const std::int64_t extent = extent_of(hull);
  if (extent > immovables.long_extent(Solidity::Ghost)) {
    immovables.visit(Solidity::Ghost, hull, extent, add);
  } else {
    candidates.known->ghosts.visit(mover, hull, extent, [&](const Wall& wall) { add(wall.index); });
  }
}

void compare_with_immovables(const Environment& environment, const Movers& movers,
                             const Courses& courses, StepReport& report) {
  for (const auto [mover, immovable] : courses.crossings) {
    const Body& other = environment.immovables[immovable];
    const Piece at_rest{kNoMover, kFineSteps, motion_of(other.min, other.size, {})};
    if (!movers.searches->count(courses.of(mover).size())) return;
    compare_courses(movers.bodies[mover], courses.of(mover), other, {&at_rest, 1}, report);
  }
}

/// Each ghost against all movers that it may cross.
void compare_with_movers(const Movers& movers, const Candidates& candidates, Courses& courses,
                         StepReport& report) {
  const std::size_t count = movers.bodies.size();
  courses.hulls.resize(count);
  for (std::uint32_t mover = 0; mover < count; ++mover) {
    courses.hulls.set(mover, candidates.hulls[mover]);
  }
  for (const std::uint32_t ghost : courses.ghosts) {
    const Body& body = movers.bodies[ghost];
    const RectColumns::Probe probe{candidates.hulls[ghost]};
    courses.hulls.visit_touching(0, count, probe, [&](std::size_t found) {
      const auto other = static_cast<std::uint32_t>(found);
      const bool is_its_turn = movers.roles[other] != Role::Ghost || other > ghost;
      const std::size_t pieces = courses.of(ghost).size() + courses.of(other).size();
      if (!movers.searches->count(pieces) || other == ghost || !is_its_turn ||
          !may_meet(body, movers.bodies[other]))
        return;
      compare_courses(body, courses.of(ghost), movers.bodies[other], courses.of(other), report);
    });
  }
}

}  // namespace

void report_sensors(const Environment& environment, const Movers& movers, Candidates& candidates,
                    Courses& courses, StepReport& report) {
  courses.ghosts.clear();
  courses.crossings.clear();
  const bool are_all_clear = !environment.immovables.has(Solidity::Ghost);
  for (std::uint32_t mover = 0; mover < movers.bodies.size(); ++mover) {
    const bool is_clear =
        are_all_clear || candidates.known->ghosts.is_clear(mover, candidates.hulls[mover]);
    const bool is_mover_ghost = movers.roles[mover] == Role::Ghost;
    if (is_mover_ghost) courses.ghosts.push_back(mover);
    if (is_clear && !is_mover_ghost) continue;
    list_crossings(mover, environment, movers, candidates, courses);
  }
  if (courses.crossings.empty() && courses.ghosts.empty()) return;
  sort_unique(courses.crossings);
  sort_courses(movers, courses);
  compare_with_immovables(environment, movers, courses, report);
  if (!courses.ghosts.empty()) compare_with_movers(movers, candidates, courses, report);
}

}  // namespace tickbox::sim
