#pragma once
// Samples: the positions of all bodies at each tick, interpolated from the views up to the newest
// one, and extrapolated beyond it. A presentation is made from two samples.
//
// Snapshots may be rare or lost, but every tick has a sample. For replayed bodies the state at each
// tick between two views is known. A body that was sent in full moves in a straight line from one
// view to the other. A new body appears in its first sample. A removed body stays in place until
// the first sample without it. A body that was teleported, or has moved further than its speed
// allows, is cut: it stays at the old position, then is at the new one.
//
// A server without news sends nothing, and the next ticks then follow from the newest view alone:
// a running body keeps running and stops at walls. So the ticks beyond it are steps of that view,
// exact unless news is on its way or was lost. A straight line would not be exact.

#include "client/match/snapshot_world.h"
#include "core/clock.h"
#include "core/fixed.h"
#include "core/ids.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "views/rows.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tickbox::client {

/// One body in a sample.
struct BodySample {
  BodyId id;
  std::uint8_t kind = 0;
  Vec2 min;             ///< sub-units
  bool is_cut = false;  ///< did not move here from its position a tick before
};

struct Sample {
  Tick tick;
  bool is_extrapolated = false;
  std::vector<BodySample> bodies;  ///< by id
};

/// The samples of consecutive ticks.
class SampleBuffer {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// Returns the oldest sample. Requires: not empty; the same for newest() and nearest().
  [[nodiscard]] const Sample& oldest() const { return samples_.front(); }

  [[nodiscard]] const Sample& newest() const { return samples_[count_ - 1]; }

  /// Returns the bodies of the sample before the newest one, or none.
  [[nodiscard]] std::span<const BodySample> before_newest() const {
    if (count_ < 2) return {};
    return samples_[count_ - 2].bodies;
  }

  /// Returns the sample of `tick`, or the nearest one.
  [[nodiscard]] const Sample& nearest(Tick tick) const;

  /// Adds an empty sample of `tick` and returns it. May move all others in memory. Requires:
  /// `tick` is one after the newest sample's, or there is no sample. Cost: no allocation once warm.
  Sample& append(Tick tick);

  /// Removes all samples older than that of `tick`, but never the newest.
  void remove_before(Tick tick);

  void remove_newest() { --count_; }

  void clear() { count_ = 0; }

 private:
  std::vector<Sample> samples_;  ///< the first count_ by tick; the others are memory to reuse
  std::size_t count_ = 0;
};

/// The source of a shown position.
enum class Origin : std::uint8_t {
  Interpolated,  ///< from views
  Extrapolated,  ///< from the newest view stepped further, as no newer one has arrived
  Own,           ///< from the prediction
};

struct PresentedBody {
  BodyId id;
  std::uint8_t kind = 0;
  Vec2 min;  ///< sub-units
  Origin origin = Origin::Interpolated;

  friend bool operator==(const PresentedBody&, const PresentedBody&) = default;
};

/// Returns the point on the straight line between two points when `passed` of `whole` have passed.
/// Requires: `whole` > 0.
[[nodiscard]] Vec2 between(Vec2 from, Vec2 to, Duration passed, Duration whole);

/// Writes all bodies of `from` to `out`, by id, as they are when `passed` of `whole` have passed
/// from there to `to`. Requires: as between().
void blend(const Sample& from, const Sample& to, Duration passed, Duration whole,
           std::vector<PresentedBody>& out);

class Interpolation {
 public:
  /// `like`: an empty world of the match's game, map, tick rate and shared seed. Borrows `stepper`.
  Interpolation(const engine::World& like, engine::Stepper& stepper);

  /// Adds the samples up to that of `view`, and discards the extrapolated ones.
  /// Requires: views in the order of their ticks. Cost: no allocation once warm.
  void on_view(const View& view);

  /// Returns the sample of `tick`, or the oldest one; extrapolated if `tick` is later than
  /// newest_view(). Valid until a later one is requested. Requires: a view was taken.
  /// Cost: steps the extrapolated ticks not stepped yet; no allocation once warm.
  [[nodiscard]] const Sample& sample(Tick tick);

  /// Removes the samples older than that of `tick`, but never the newest.
  void remove_before(Tick tick) { samples_.remove_before(tick); }

  /// Returns the tick of the oldest sample. Requires: a view was taken.
  [[nodiscard]] Tick oldest() const { return samples_.oldest().tick; }

  /// Returns the tick of the newest view; 0 before the first.
  [[nodiscard]] Tick newest_view() const { return newest_view_; }

 private:
  /// The path of a body that is in the newest view and in the one before.
  struct Path {
    BodyId id;
    std::uint8_t kind = 0;
    Vec2 from;
    Vec2 to;
    bool is_cut = false;
  };

  [[nodiscard]] bool is_too_far(Vec2 from, const views::RowHead& to, std::int64_t ticks) const;
  void find_paths(const View& view);
  void interpolate(Tick tick, const View& view);
  void append(const View& view);
  void extrapolate();

  std::int64_t interpolated_max_;  ///< maximum ticks between two views
  SampleBuffer samples_;
  Tick newest_view_;
  std::shared_ptr<const views::Rows> newest_;                  ///< entities of the newest view
  std::shared_ptr<const std::vector<std::byte>> newest_room_;  ///< the room's state in it
  std::vector<views::RowRef> adding_;  ///< those of newest_, on their way into world_
  std::vector<Path> paths_;            ///< by id

  engine::World world_;  ///< the newest extrapolated sample, if there is one
  engine::Stepper& stepper_;
  const engine::TickRecord nothing_;
};

}  // namespace tickbox::client
