// Room made in advance, so that a tick asks for no memory: when a world first has more movers than
// ever before, and then for twice as many.
//
// What is bounded by the number of movers gets exactly that. The rest gets what the busiest worlds
// tried have needed, and some more: piles, crowds and platforms full of riders. A world busier than
// that makes its lists grow once.

#include "sim/step/step_run.h"

#include <bit>

namespace tickbox::sim {
namespace {

constexpr std::size_t kContactsPerMover = 4;

}  // namespace

void StepRun::make_room(std::size_t movers) {
  if (movers < room_) return;
  room_ = std::bit_ceil(movers + 1);
  const std::size_t per_mover = room_ + 1;  // some lists of ranges have an end as well
  movers_.reserve(per_mover);
  candidates_.reserve(per_mover);
  walls_.reserve(per_mover);
  memo_.reserve(per_mover);
  rides_.reserve(per_mover);
  impacts_.reserve(per_mover);
  block_.reserve(per_mover);
  courses_.reserve(per_mover);
  depenetration_turns_.reserve(per_mover);
  reserve_all(per_mover, report_.frozen, report_.left, report_.blocked, report_.crushed,
              report_.overlaps, report_.separated, report_.begin, report_.end, report_.influences);
  report_.contacts.reserve(kContactsPerMover * per_mover);
  sorter_.reserve(kContactsPerMover * per_mover);
}

}  // namespace tickbox::sim
