#pragma once
// Judges a world from a file or from another machine before its first step: whether too many of its
// bodies are in one place.
//
// A step looks at each pair of movers whose paths touch. A file can put all bodies into one place,
// and then the pairs grow with the square of the bodies. So the search keeps no pair, and ends at
// the first body that exceeds a limit.

#include "sim/world.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace tickbox::sim {

struct CrowdingLimits {
  /// Pairs of movers whose paths touch in the next tick, if their velocities do not change.
  std::size_t pairs = 0;
  /// Bodies that one dynamic body overlaps although the step keeps it apart from them.
  std::optional<std::size_t> overlaps_per_body = {};
};

/// The limit that a world exceeds.
enum class Crowding : std::uint8_t { Overlaps, Pairs };

struct CrowdedBody {
  BodyId id{};
  Crowding limit = Crowding::Overlaps;
};

/// Whether two bodies may overlap although the step keeps them apart.
using MayOverlap = std::function<bool(const Body&, const Body&)>;

/// Returns the first mover at which `world` exceeds a limit; nothing if it exceeds none. Overlaps
/// for which `may_overlap` is true do not count.
/// Cost: as the search for pairs of one step. It ends with the mover at which the pairs exceed
/// limits.pairs.
[[nodiscard]] std::optional<CrowdedBody> find_crowded_body(const PhysicsWorld& world,
                                                           const CrowdingLimits& limits,
                                                           const MayOverlap& may_overlap = {});

}  // namespace tickbox::sim
