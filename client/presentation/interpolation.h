#pragma once
// Interpolation: makes a scene of each tick from the views, and positions between two scenes.
//
// Snapshots may be rare or lost, but every tick has a scene. For replayed bodies the state at each
// tick between two views is known. A body that was sent in full moves in a straight line from one
// view to the other. A new body appears in its first scene. A removed body stays in place until the
// first scene without it. A body that was teleported, or is further away than any body moves, is
// cut: it stays at the old position, then is at the new one.

#include "client/views/replica.h"
#include "core/clock.h"
#include "core/fixed.h"
#include "core/ids.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::client {

// Scenes: the positions of all bodies at consecutive ticks, from which a picture is made.

/// One body in a scene.
struct Spot {
  BodyId id;
  Vec2 min;             ///< sub-units
  bool is_cut = false;  ///< did not move here from its position a tick before
};

struct Scene {
  Tick tick;
  std::vector<Spot> spots;  ///< by id
};

class Scenes {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// Returns the oldest scene.  Requires: not empty; the same for newest() and nearest().
  [[nodiscard]] const Scene& oldest() const { return scenes_.front(); }

  [[nodiscard]] const Scene& newest() const { return scenes_[count_ - 1]; }

  /// Returns the scene of `tick`, or the nearest one.
  [[nodiscard]] const Scene& nearest(Tick tick) const;

  /// Adds an empty scene of `tick` and returns it. May move all others in memory.  Requires: `tick`
  /// is one after the newest scene's, or there is no scene.
  /// Cost: no allocation once warm.
  Scene& append(Tick tick);

  /// Removes all scenes older than that of `tick`, but never the newest.
  void forget_before(Tick tick);

  void clear() { count_ = 0; }

 private:
  std::vector<Scene> scenes_;  ///< the first count_ by tick; the others are memory to reuse
  std::size_t count_ = 0;
};

/// The position at which a body is shown.
struct Place {
  BodyId id;
  Vec2 min;  ///< sub-units
};

/// Returns the point on the straight line between two points when `passed` of `whole` have passed.
[[nodiscard]] Vec2 between(Vec2 from, Vec2 to, Duration passed, Duration whole);

/// Writes the positions of all bodies of `from` to `out`, by id, when `passed` of `whole` have
/// passed from there to `to`.  Requires: as between().
void blend(const Scene& from, const Scene& to, Duration passed, Duration whole,
           std::vector<Place>& out);

class Interpolation {
 public:
  explicit Interpolation(std::uint32_t ticks_per_second);

  /// Adds the scenes up to that of `view`.
  /// Requires: views in the order of their ticks.  Cost: no allocation once warm.
  void on_view(const View& view);

  /// Returns a scene for each tick from the oldest to that of the newest view.
  [[nodiscard]] const Scenes& scenes() const { return scenes_; }

  /// Removes the scenes older than that of `tick`, but never the newest.
  void forget_before(Tick tick) { scenes_.forget_before(tick); }

  /// Returns the entities of the newest view.
  [[nodiscard]] const std::vector<game::EntityState>& newest() const { return newest_; }

 private:
  /// The path of a body that is in the newest view and in the one before.
  struct Course {
    BodyId id;
    Vec2 from;
    Vec2 to;
    bool is_cut = false;
  };

  void find_courses(const View& view);
  void bridge(Tick tick, const View& view);
  void close(const View& view);

  std::int64_t bridged_max_;  ///< maximum ticks between two views
  Scenes scenes_;
  std::vector<game::EntityState> newest_;
  std::vector<Course> courses_;  ///< by id
};

}  // namespace tickbox::client
