#pragma once
// Views become scenes, one for each tick, and two scenes the places in between.
//
// Snapshots may be rare, and are at times lost; still there is a scene of every tick. What was
// stepped from one view to the next is known at each tick in between; only who came whole goes in a
// straight line from the one view to the other. Who appears is there from its first scene on, who
// is gone stands until the first without it, and who was placed elsewhere, or is further away than
// anybody goes, is cut: it stands where it was until it is there.

#include "client/views/replica.h"
#include "core/clock.h"
#include "core/fixed.h"
#include "core/ids.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::client {

// Where everybody is at each of some ticks in a row: what a picture is made of.

/// One body in a scene.
struct Spot {
  BodyId id;
  Vec2 min;             ///< sub-units
  bool is_cut = false;  ///< did not come here from where it was a tick before
};

struct Scene {
  Tick tick;
  std::vector<Spot> spots;  ///< by id
};

class Scenes {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// Requires: not empty, as the next two.
  [[nodiscard]] const Scene& oldest() const { return scenes_.front(); }

  [[nodiscard]] const Scene& newest() const { return scenes_[count_ - 1]; }

  /// Of `tick`, or the nearest there is.
  [[nodiscard]] const Scene& nearest(Tick tick) const;

  /// An empty one of the next tick, or of `tick` where there is none yet. Moves all the others.
  /// Cost: no allocation once warm.
  Scene& append(Tick tick);

  /// Lets go of all that are older than the one of `tick`, but never of the newest.
  void forget_before(Tick tick);

  void clear() { count_ = 0; }

 private:
  std::vector<Scene> scenes_;  ///< the first count_ by tick; the others are memory to reuse
  std::size_t count_ = 0;
};

/// Where a body is shown.
struct Place {
  BodyId id;
  Vec2 min;  ///< sub-units
};

/// On the straight line, where somebody is when `passed` of `whole` have passed.
/// Requires: 0 ≤ passed ≤ whole, 0 < whole.
[[nodiscard]] Vec2 between(Vec2 from, Vec2 to, Duration passed, Duration whole);

/// Where everybody of `from` is, when `passed` of `whole` have passed from there to `to`, by id.
/// Requires: as between().
void blend(const Scene& from, const Scene& to, Duration passed, Duration whole,
           std::vector<Place>& out);

class Interpolation {
 public:
  explicit Interpolation(std::uint32_t ticks_per_second);

  /// Requires: views in the order of their ticks.  Cost: no allocation once warm.
  void on_view(const View& view);

  /// A scene for each tick from the oldest to that of the newest view.
  [[nodiscard]] const Scenes& scenes() const { return scenes_; }

  /// Lets go of scenes older than that of `tick`.
  void forget_before(Tick tick) { scenes_.forget_before(tick); }

  /// The newest view.
  [[nodiscard]] const std::vector<game::EntityState>& newest() const { return newest_; }

 private:
  /// A body of the newest view and the one before.
  struct Course {
    BodyId id;
    Vec2 from;
    Vec2 to;
    bool is_cut = false;
  };

  void find_courses(const View& view);
  void bridge(Tick tick, const View& view);
  void close(const View& view);

  std::int64_t bridged_max_;  ///< ticks between two views
  Scenes scenes_;
  std::vector<game::EntityState> newest_;
  std::vector<Course> courses_;  ///< by id
};

}  // namespace tickbox::client
