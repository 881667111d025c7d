#pragma once
// Interpolation: makes a sample of each tick from the views, and positions between two samples.
//
// Snapshots may be rare or lost, but every tick has a sample. For replayed bodies the state at each
// tick between two views is known. A body that was sent in full moves in a straight line from one
// view to the other. A new body appears in its first sample. A removed body stays in place until
// the first sample without it. A body that was teleported, or is further away than any body moves,
// is cut: it stays at the old position, then is at the new one.

#include "client/views/snapshot_world.h"
#include "core/clock.h"
#include "core/fixed.h"
#include "core/ids.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::client {

// InterpolationBuffer: the positions of all bodies at consecutive ticks, from which a picture is
// made.

/// One body in a sample.
struct BodySample {
  BodyId id;
  Vec2 min;             ///< sub-units
  bool is_cut = false;  ///< did not move here from its position a tick before
};

struct Sample {
  Tick tick;
  std::vector<BodySample> bodies;  ///< by id
};

class InterpolationBuffer {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// Returns the oldest sample.  Requires: not empty; the same for newest() and nearest().
  [[nodiscard]] const Sample& oldest() const { return samples_.front(); }

  [[nodiscard]] const Sample& newest() const { return samples_[count_ - 1]; }

  /// Returns the sample of `tick`, or the nearest one.
  [[nodiscard]] const Sample& nearest(Tick tick) const;

  /// Adds an empty sample of `tick` and returns it. May move all others in memory.  Requires:
  /// `tick` is one after the newest sample's, or there is no sample. Cost: no allocation once warm.
  Sample& append(Tick tick);

  /// Removes all samples older than that of `tick`, but never the newest.
  void forget_before(Tick tick);

  void clear() { count_ = 0; }

 private:
  std::vector<Sample> samples_;  ///< the first count_ by tick; the others are memory to reuse
  std::size_t count_ = 0;
};

/// The position at which a body is shown.
struct BodyPosition {
  BodyId id;
  Vec2 min;  ///< sub-units
};

/// Returns the point on the straight line between two points when `passed` of `whole` have passed.
[[nodiscard]] Vec2 between(Vec2 from, Vec2 to, Duration passed, Duration whole);

/// Writes the positions of all bodies of `from` to `out`, by id, when `passed` of `whole` have
/// passed from there to `to`.  Requires: as between().
void blend(const Sample& from, const Sample& to, Duration passed, Duration whole,
           std::vector<BodyPosition>& out);

class Interpolation {
 public:
  explicit Interpolation(std::uint32_t ticks_per_second);

  /// Adds the samples up to that of `view`.
  /// Requires: views in the order of their ticks.  Cost: no allocation once warm.
  void on_view(const View& view);

  /// Returns a sample for each tick from the oldest to that of the newest view.
  [[nodiscard]] const InterpolationBuffer& samples() const { return samples_; }

  /// Removes the samples older than that of `tick`, but never the newest.
  void forget_before(Tick tick) { samples_.forget_before(tick); }

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
  void interpolate(Tick tick, const View& view);
  void close(const View& view);

  std::int64_t interpolated_max_;  ///< maximum ticks between two views
  InterpolationBuffer samples_;
  std::vector<game::EntityState> newest_;
  std::vector<Course> courses_;  ///< by id
};

}  // namespace tickbox::client
