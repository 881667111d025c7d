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

constexpr std::size_t kContactsPerBody = 4;
constexpr std::size_t kImpactsPerBody = 8;
constexpr std::size_t kPairsPerBody = 8;
constexpr std::size_t kTouchesPerBody = 4;
constexpr std::size_t kWallsPerBody = 8;
constexpr std::size_t kPiecesPerBody = 8;

/// Lists of one kind each, all to the same capacity.
template <class... Lists>
void reserve_all(std::size_t capacity, Lists&... lists) {
  (lists.reserve(capacity), ...);
}

}  // namespace

void StepRun::make_room(std::size_t movers) {
  if (movers < room_) return;
  room_ = std::bit_ceil(movers + 1);
  const std::size_t per_mover = room_ + 1;  // some lists of ranges have an end as well
  reserve_all(per_mover, flights_, parts_, kinematics_, hulls_, first_neighbour_, first_wall_,
              walks_, rests_, has_rest_, undecided_, turns_of_parting_, expected_, leaning_,
              turned_, escaped_, has_escaped_, rides_, rides_at_end_, riders_, wave_, next_wave_,
              members_, is_member_, has_left_, first_piece_);
  reserve_all(per_mover, report_.frozen, report_.left, report_.blocked, report_.crushed,
              report_.overlaps, report_.separated, report_.begin, report_.end, report_.influences,
              overlapping_, crushing_);
  reserve_all(kPairsPerBody * room_, pairs_, neighbours_at_start_, neighbours_);
  reserve_all(kTouchesPerBody * room_, touching_, touches_, unsettled_);
  walls_.reserve(kWallsPerBody * room_);
  reserve_all(kPiecesPerBody * room_, pieces_, courses_);
  report_.contacts.reserve(kContactsPerBody * room_);
  queue_.reserve(kImpactsPerBody * room_);
  sorter_.reserve(kContactsPerBody * room_);
  grid_.reserve(room_);
  neighbour_cache_.reserve(room_);
  course_hulls_.reserve(room_);
  ghost_statics_.reserve(room_);
}

}  // namespace tickbox::sim
