#pragma once
// The impacts that are still to come in a tick, and which of them still count.

#include "sim/response.h"
#include "sim/step/block.h"
#include "sim/step/impact_queue.h"
#include "sim/step/pairs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

struct Impacts {
  ImpactQueue queue;
  Block block;                           ///< of the event that is handled
  std::vector<std::uint32_t> changed;    ///< by the last event: their impacts are searched again
  std::vector<Pair> crushing;            ///< a kinematic body and the body that it crushes
  std::vector<std::uint32_t> leaning;    ///< movers that touch movers, and may touch walls
  std::vector<std::uint32_t> undecided;  ///< movers whose first wall the sweep has to find
  std::vector<ImpactEvent> on_walls;     ///< the first walls that are known before the sweep
  std::vector<std::uint32_t> escaped;    ///< movers that have left the hull of their first path

  void reserve(std::size_t movers) {
    constexpr std::size_t kImpactsPerMover = 8;
    constexpr std::size_t kChangedPerMover = 4;
    block.reserve(movers);
    queue.reserve(kImpactsPerMover * movers);
    changed.reserve(kChangedPerMover * movers);
    reserve_all(movers, crushing, leaning, undecided, on_walls, escaped);
  }

  void start(std::size_t movers) {
    block.start(movers);
    queue.clear();
    changed.clear();
    crushing.clear();
    leaning.clear();
    undecided.clear();
    on_walls.clear();
    escaped.clear();
  }
};

/// The event of a mover that meets a wall.
[[nodiscard]] inline ImpactEvent event_of(const WallHit& hit, std::uint32_t mover,
                                          const Movers& movers) {
  const auto [low_id, high_id] = ordered_pair(movers.bodies[mover].id, hit.id);
  ImpactEvent event{.versions = movers.states[mover].version & kVersionMask,
                    .kind = hit.wall == WallHit::kNoWall ? Partner::Border : Partner::Immovable,
                    .low_id = low_id,
                    .high_id = high_id,
                    .mover = mover,
                    .partner = hit.wall};
  event.set(hit.impact);
  return event;
}

/// The event of two movers that meet.
[[nodiscard]] inline ImpactEvent event_of(const Impact& impact, std::uint32_t a, std::uint32_t b,
                                          const Movers& movers) {
  const auto [low_id, high_id] = ordered_pair(movers.bodies[a].id, movers.bodies[b].id);
  ImpactEvent event{
      .versions = (movers.states[a].version + movers.states[b].version) & kVersionMask,
      .kind = Partner::Mover,
      .low_id = low_id,
      .high_id = high_id,
      .mover = a,
      .partner = b};
  event.set(impact);
  return event;
}

/// Whether one of two movers crushes the other: they have no impacts until the tick ends.
[[nodiscard]] inline bool is_crushing(std::uint32_t a, std::uint32_t b, const Movers& movers,
                                      std::span<const Pair> crushing) {
  if (!movers.states[a].is_in_crush || !movers.states[b].is_in_crush) return false;
  for (const Pair pair : crushing) {
    if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return true;
  }
  return false;
}

/// Whether an impact of two movers counts: a one-way body must be hit on its solid side, and
/// neither may crush the other.
[[nodiscard]] inline bool counts(const Impact& impact, std::uint32_t a, std::uint32_t b,
                                 const Movers& movers, std::span<const Pair> crushing) {
  const OneWay of_a = movers.bodies[a].one_way;
  const OneWay of_b = movers.bodies[b].one_way;
  const Motion& a_motion = movers.states[a].motion;
  const Motion& b_motion = movers.states[b].motion;
  if (of_a != OneWay::None && !is_from_solid_side(of_a, impact, b_motion, a_motion)) return false;
  if (of_b != OneWay::None && !is_from_solid_side(of_b, impact, a_motion, b_motion)) return false;
  return !is_crushing(a, b, movers, crushing);
}

/// Whether nothing has turned the bodies of `event` since it was found.
[[nodiscard]] inline bool is_current(const ImpactEvent& event, const Movers& movers,
                                     std::span<const Pair> crushing) {
  const std::uint32_t version = movers.states[event.mover].version;
  if (event.kind != Partner::Mover) return (version & kVersionMask) == event.versions;
  const std::uint32_t partner_version = movers.states[event.partner].version;
  return ((version + partner_version) & kVersionMask) == event.versions &&
         !is_crushing(event.mover, event.partner, movers, crushing);
}

/// Adds the event of a mover that meets a wall, if there is one.
inline void push(const WallHit& hit, std::uint32_t mover, const Movers& movers, Impacts& impacts) {
  if (hit.found) impacts.queue.push(event_of(hit, mover, movers));
}

}  // namespace tickbox::sim
