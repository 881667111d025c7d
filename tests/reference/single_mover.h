#pragma once
// The step against the exact tick of one dynamic body among statics: straight lines, and contacts
// at exact fractions of the tick. The exact tick is slow and rounds nothing.
//
// The allowed deviation of the step: let an axis have had n contacts in this tick after which the
// body had some velocity v on it. The step turns the body at the floor of the contact's time, and
// snaps it to the face there. In both ticks it is at the face, but in the step earlier, by less
// than one fine step. The way from face to face takes equally long in both, so the lead adds up. It
// stays under n fine steps. So, with S fine steps per tick:
//   - A contact on that axis has a time in (t − n/S, t]. It is exactly t if n = 0: on every axis
//     until the body has bounced on it.
//   - At the end the body is within n·|v|/S of its exact position. At the speed limit that is a
//     quarter of a sub-unit per contact, and rounding adds a half. A body at rest on the axis is
//     exactly at its face.
//   - A body that stops at its first contact stops on the other axis too, less than a fine step
//     early. It is within |v|/S there, where v is its earlier velocity.
// (In a gap of exactly its own width, a body moves from face to face in no time, at the fine step
// before the moment of its entry. Contacts of one such moment need not be reported in order.) Two
// contacts on different axes may change their order if their times are closer than the lead. A
// graze may differ too. The solver then reports that it is unsure, and stops. At exact ties without
// a lead the rules of the step decide, and the solver follows them.

#include "sim/step.h"
#include "sim/world.h"

#include <cstddef>
#include <string>

namespace tickbox::test {

struct Comparison {
  std::string difference;    ///< what the step does that the exact tick does not allow; or empty
  bool unsure = false;       ///< only the contacts before the solver was unsure are compared
  std::size_t contacts = 0;  ///< compared contacts
  std::size_t led_contacts = 0;  ///< of these, those on an axis on which the body had bounced
};

/// Compares contacts, their times and velocities, and where the mover ends.
/// Requires: exactly one mover before the step, dynamic, without friction, that overlaps no body
/// from which it stays apart; `after` is the mover after the step.
[[nodiscard]] Comparison compare_with_exact(const sim::PhysicsWorld& before,
                                            const sim::StepReport& report, const sim::Body& after);

}  // namespace tickbox::test
