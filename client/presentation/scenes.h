#pragma once
// Where everybody is at each of some ticks in a row: what a picture is made of.

#include "core/fixed.h"
#include "core/ids.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tickbox::client {

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

  /// An empty one of the next tick, or of `tick` where there is none yet.
  /// Cost: no allocation once warm.
  Scene& append(Tick tick);

  /// Lets go of all that are older than the one of `tick`, but never of the newest.
  void forget_before(Tick tick);

  void clear() { count_ = 0; }

 private:
  std::vector<Scene> scenes_;  ///< the first count_ by tick; the others are memory to reuse
  std::size_t count_ = 0;
};

}  // namespace tickbox::client
