#pragma once
// The step against one tick of one dynamic body among statics as it truly is: straight lines, and
// contacts at exact fractions of the tick. Slow, and rounds nothing.
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

#include "sim/step.h"
#include "sim/world.h"

#include <cstddef>
#include <string>

namespace tickbox::test {

struct Comparison {
  std::string difference;    ///< what the step does that the exact tick does not allow, or empty
  bool unsure = false;       ///< compared are only the contacts before the solver was unsure
  std::size_t contacts = 0;  ///< compared
  std::size_t led_contacts = 0;  ///< of these, on an axis on which the body had bounced
};

/// Requires: exactly one mover before, dynamic, without friction, and overlapping nothing that
/// stays apart from it; `after` is what the step made of it.
[[nodiscard]] Comparison compare_with_exact(const sim::World& before, const sim::StepReport& report,
                                            const sim::Body& after);

}  // namespace tickbox::test
