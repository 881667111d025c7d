#pragma once
// Bodies that stand on a kinematic body, directly or in a stack, go where it goes.

#include "sim/step/pairs.h"

#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// What a mover stands on, and the velocity that this gives it.
struct Ride {
  std::uint32_t wave =
      kNoMover;  ///< 0 for kinematic bodies; kNoMover for a mover that rides on nothing
  std::uint32_t on = kNoMover;
  std::uint32_t root = kNoMover;  ///< the kinematic body at the bottom
  std::int64_t length = 0;        ///< of the contact
  Vec2 given;
};

/// A body that rides, and the kinematic body at the bottom.
struct Rider {
  std::uint32_t root = 0;
  std::uint32_t mover = 0;

  friend constexpr auto operator<=>(const Rider&, const Rider&) = default;
};

struct Rides {
  std::vector<Ride> at_start;  ///< by mover; empty where nothing can ride
  std::vector<Ride> at_end;
  std::vector<Rider> riders;  ///< of the tick's start, sorted
  std::vector<std::uint32_t> wave;
  std::vector<std::uint32_t> next_wave;

  void reserve(std::size_t movers) {
    reserve_all(movers, at_start, at_end, riders, wave, next_wave);
  }
};

}  // namespace tickbox::sim
