#pragma once
// Contacts at the exact start of a tick, before anything has moved.

#include "sim/step/impacts.h"

#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// The last contact by which each mover came to rest on a wall, touching no other mover. If it
/// begins a tick with the same fields and touches no mover, the contact is the same again.
struct RestMemo {
  struct Rest {
    Body body;
    WallHit on;
  };

  std::vector<Rest> rests;  ///< by mover, as the next
  std::vector<std::uint8_t> has_rest;

  void reserve(std::size_t movers) { reserve_all(movers, rests, has_rest); }

  /// To be called where the statics are others than before.
  void forget() { has_rest.clear(); }

  void start(std::size_t movers) {
    rests.resize(movers);
    has_rest.resize(movers, 0);
  }
};

}  // namespace tickbox::sim
