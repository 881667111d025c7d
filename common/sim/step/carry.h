#pragma once
// Carries bodies that stand on a kinematic body, directly or in a stack.
//
// Riders are found in waves: the kinematic bodies, then the bodies that stand on them, then the
// bodies that stand on those. Each is given the displacement of the kinematic body at the bottom,
// as a velocity for this tick. It is swept like any other body and loses that velocity at the end.
// So a rider's own velocity is relative to its platform. A body that lands on a platform or leaves
// it turns the one kind of velocity into the other.

#include "sim/step/pairs.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// What a mover stands on, and the velocity that this gives it.
struct Ride {
  std::uint32_t wave = kNoMover;  ///< 0: a kinematic body; kNoMover: rides on nothing
  std::uint32_t on = kNoMover;
  std::uint32_t root = kNoMover;  ///< the kinematic body at the bottom
  std::int64_t length = 0;        ///< of the contact with `on`
  Vec2 given;
};

/// A body that rides, and the kinematic body at the bottom.
struct Rider {
  std::uint32_t root = 0;
  std::uint32_t mover = 0;

  friend constexpr auto operator<=>(const Rider&, const Rider&) = default;
};

/// All rides at the start and at the end of a tick.
struct Rides {
  std::vector<Ride> at_start;  ///< by mover; empty where there is nothing to ride on
  std::vector<Ride> at_end;
  std::vector<Rider> riders;  ///< at the start, sorted
  std::vector<std::uint32_t> wave;
  std::vector<std::uint32_t> next_wave;

  void reserve(std::size_t movers) {
    reserve_all(movers, at_start, at_end, riders, wave, next_wave);
  }

  void start() {
    at_start.clear();
    riders.clear();
  }
};

/// Rule 3. Gives every rider its platform's velocity, and returns whether there is any.
[[nodiscard]] bool carry_riders(const Environment& environment, Movers& movers,
                                const MoverGrid& grid, Rides& rides, StepReport& report);

/// Takes from all riders of `kinematic`, which waits from `now` on, the velocity that it gave them.
/// Adds them to `changed`.
void drop_riders(std::uint32_t kinematic, FineTime now, Movers& movers, Rides& rides,
                 std::vector<std::uint32_t>& changed);

/// Rule 8 for riders: sets the carrier of every body that stands on a platform, and makes its
/// velocity relative to it.  Requires: positions are rounded.
void release_riders(const Environment& environment, Movers& movers, const MoverGrid& grid,
                    Rides& rides, StepReport& report);

}  // namespace tickbox::sim
