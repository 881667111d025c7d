#pragma once
// The movers of one tick: their bodies, and their state while the tick is computed.

#include "sim/immovables.h"
#include "sim/search_budget.h"
#include "sim/step/motion.h"
#include "sim/step/mover_grid.h"
#include "sim/step_report.h"
#include "sim/world.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace tickbox::sim {

/// The index of no mover.
inline constexpr std::uint32_t kNoMover = 0xffff'ffff;

/// What no stage changes: the settings of the world, and the bodies that nothing moves.
struct Environment {
  WorldSettings settings;
  const Statics* statics = nullptr;
  Immovables immovables;  ///< the statics, and the fixed bodies of the world
};

/// The approach speed up to which nothing bounces: twice the world's gravity per tick.
[[nodiscard]] inline std::int64_t calm_speed(const Environment& environment, Axis axis) {
  return 2 * std::abs(std::int64_t{environment.settings.gravity[axis]});
}

/// The two ends of an axis.
enum class End : std::uint8_t { Low, High };

[[nodiscard]] constexpr End opposite(End end) {
  return end == End::Low ? End::High : End::Low;
}

/// How a mover takes part in a tick.
enum class Role : std::uint8_t {
  Full,    ///< may meet other movers, statics and the border
  Driven,  ///< kinematic: may meet other movers, and the border if it has no path
  Alone,   ///< meets statics and the border only: its layers let it touch no mover
  Ghost,   ///< meets the border only
};

/// A mover between two events of a tick.
struct MoverState {
  Motion motion;
  std::uint32_t version = 0;  ///< grows with every turn; impacts of an older version are stale
  std::uint32_t events = 0;
  std::uint8_t blocked = 0;  ///< a bit for each side towards which nothing can push it
  std::uint8_t changed = 0;  ///< a bit for each axis on which an event changed its velocity
  bool waits = false;        ///< of kinematic bodies: at rest until the tick ends
  bool is_in_crush = false;  ///< crushes a body, or is crushed, until the tick ends
  bool is_bent = false;      ///< has turned or snapped after the tick's start
  bool has_escaped = false;  ///< has left the hull of its first path at the tick's start
  bool has_left = false;     ///< has left the world at the tick's end

  [[nodiscard]] bool is_spent() const { return events >= kEventLimit; }

  [[nodiscard]] bool is_blocked(Axis axis, End end) const {
    return (blocked & bit(axis, end)) != 0;
  }

  void block(Axis axis, End end) { blocked = static_cast<std::uint8_t>(blocked | bit(axis, end)); }

  void unblock(Axis axis) {
    blocked = static_cast<std::uint8_t>(blocked & ~(bit(axis, End::Low) | bit(axis, End::High)));
  }

  [[nodiscard]] bool has_changed(Axis axis) const { return (changed >> axis & 1) != 0; }

  void mark_changed(Axis axis) { changed = static_cast<std::uint8_t>(changed | 1U << axis); }

 private:
  static unsigned bit(Axis axis, End end) { return 1U << (2 * axis + static_cast<unsigned>(end)); }
};

/// A straight piece of a mover's course, which ends at `until`.
struct Piece {
  std::uint32_t mover = 0;
  FineTime until = 0;
  Motion motion;
};

/// Pieces to reserve for each mover: more than the busiest worlds of the tests need.
inline constexpr std::size_t kPiecesPerMover = 8;

/// Reserves the same capacity in several lists.
template <class... Lists>
void reserve_all(std::size_t capacity, Lists&... lists) {
  (lists.reserve(capacity), ...);
}

/// Sorts a list and removes what it has twice.
template <class List>
void sort_unique(List& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// What a mover stands on, and the velocity that this gives it.
struct Ride {
  std::uint32_t wave = kNoMover;  ///< 0: kinematic; n: above n others; kNoMover: none
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

/// All movers of a tick, and the grid that finds them. A mover is named by its index in `bodies`.
struct Movers {
  std::span<Body> bodies;          ///< by id
  std::vector<MoverState> states;  ///< by mover
  std::vector<Role> roles;         ///< by mover
  std::vector<std::uint32_t> kinematics;
  Rides rides;
  MoverGrid grid;
  SearchBudget* searches = nullptr;
  std::vector<std::uint32_t> turned;  ///< those no longer on their first path, each once
  std::vector<Piece> pieces;          ///< finished ones, in the order of time; only with ghosts
  bool has_ghosts = false;            ///< among the movers or the immovables
  unsigned layers = 0;                ///< of all movers but ghosts
  unsigned collides_with = 0;         ///< of all movers but ghosts

  [[nodiscard]] bool meets_movers(std::uint32_t mover) const {
    return roles[mover] <= Role::Driven;
  }

  [[nodiscard]] bool meets_statics(std::uint32_t mover) const {
    return roles[mover] == Role::Full || roles[mover] == Role::Alone;
  }

  /// Calls visit(mover) as the grid's visit_near() does, and counts the visits.
  template <class Visit>
  void visit_near(const Rect& area, Visit&& visit) const {
    std::uint64_t visits = 0;
    grid.visit_near(area, [&](std::uint32_t mover) {
      ++visits;
      visit(mover);
    });
    searches->count(visits);
  }

  void reserve(std::size_t movers) {
    reserve_all(movers, states, roles, kinematics, turned);
    pieces.reserve(kPiecesPerMover * movers);
    rides.reserve(movers);
    grid.reserve(movers);
  }

  void start(std::span<Body> movers, SearchBudget& budget) {
    bodies = movers;
    searches = &budget;
    // These two never shrink: one stepper serves worlds of many sizes.
    if (states.size() < movers.size()) states.resize(movers.size());
    if (roles.size() < movers.size()) roles.resize(movers.size());
    rides.start();
  }
};

/// The body called `id`, or nullptr. Cost: up to three binary searches.
[[nodiscard]] inline const Body* find_body(BodyId id, const Environment& environment,
                                           const Movers& movers) {
  const auto found =
      std::lower_bound(movers.bodies.begin(), movers.bodies.end(), id,
                       [](const Body& body, BodyId sought) { return body.id < sought; });
  return found != movers.bodies.end() && found->id == id ? &*found
                                                         : environment.immovables.find(id);
}

/// Reports that one of two bodies changed the other without a contact, or may have. Does nothing
/// where one of the two is static, as every world on the map has all statics.
inline void record_influence(const Body& a, const Body& b, StepReport& report) {
  const bool are_of_world = a.kind != Kind::Static && b.kind != Kind::Static;
  if (are_of_world) report.influences.push_back(ordered_pair(a.id, b.id));
}

/// Reports two bodies that overlap at the tick's start and should not: a body as crushed, or the
/// pair as overlapping.
inline void record_overlap(const Body& a, const Body& b, StepReport& report) {
  if (!stay_apart(a, b)) return;
  record_influence(a, b, report);
  if (crushes(a) || crushes(b)) {
    report.crushed.push_back(crushes(a) ? b.id : a.id);
  } else {
    report.overlaps.push_back(ordered_pair(a.id, b.id));
  }
}

}  // namespace tickbox::sim
