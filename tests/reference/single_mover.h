#pragma once
// One tick of one dynamic body among statics as it truly is: straight lines, and contacts at exact
// fractions of the tick. Slow, and rounds nothing.
//
// What the step may differ by. Let an axis have had n contacts in this tick off which the body came
// with some velocity v on it. The step turns at the floor of the contact's time, and puts the body
// against the face there: both are at the face, but the step earlier, by less than one fine step.
// From a face to the next takes both equally long, so the lead adds up: it stays under n fine
// steps. Hence, with S fine steps to a tick:
//   - a contact on that axis has a time in (t − n/S, t], and exactly t where n = 0: on every axis
//     until the body has bounced there;
//   - at the end the body is within n·|v|/S of where it should be, a quarter of a sub-unit for each
//     contact at most, and rounding adds a half. A body at rest on the axis is at its face: exact.
//   - one that stops at its first contact does so on the other axis too, less than a fine step
//     early: it is within |v|/S there, v being what it had.
// (In a gap of exactly its own width a body goes from face to face in no time at all, at the fine
// step before the moment it came in at: there contacts of one moment need not be reported in
// order.) The order of two contacts on different axes may be another where their times are closer
// than the lead, and so may be what a body grazes. There the solver says that it is unsure, and
// stops. At exact ties without any lead the rules of the step decide, and it follows them.

#include "sim/world.h"
#include "tests/reference/exact.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tickbox::test {

struct ExactContact {
  Instant at;
  BodyId with;
  sim::Axis axis = 0;
  int normal = 0;  ///< along `axis`, from the other body to the mover
};

struct ExactTick {
  std::vector<ExactContact> contacts;  ///< by time, id, axis, normal, slack
  bool unsure = false;                ///< the contacts before the last moment are all that is known
  std::array<Rational, 2> place;      ///< of the minimum corner at the end, in sub-units
  std::array<Rational, 2> tolerance;  ///< how far from it the step may be, but for the rounding
  std::array<std::int64_t, 2> velocity{};  ///< at the end
};

/// Requires: exactly one mover, dynamic, without friction, and overlapping nothing that
/// stays apart from it.
[[nodiscard]] ExactTick exact_tick(const sim::World& world);

}  // namespace tickbox::test
