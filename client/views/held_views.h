#pragma once
// The views that a client holds of the last ticks: what snapshots are built on.

#include "core/tick_ring.h"
#include "game/entity_state.h"
#include "protocol/history_depths.h"

#include <optional>
#include <vector>

namespace tickbox::client {

struct HeldView {
  Tick tick;
  std::vector<game::EntityState> entities;  ///< by id
};

class HeldViews {
 public:
  /// The view of `tick`, or nullptr.
  [[nodiscard]] const HeldView* find(Tick tick) const { return views_.find(tick); }

  /// The newest of all, or nullptr.
  [[nodiscard]] const HeldView* newest() const;

  /// Where the view of `tick` is to be written; it takes the place of one protocol::kViewsHeld
  /// ticks older. Requires: later than the newest.
  std::vector<game::EntityState>& add(Tick tick);

  /// Holds none any more. What they were is still there to be read, until the next add().
  void clear();

 private:
  TickRing<HeldView, protocol::kViewsHeld> views_;
  std::optional<Tick> newest_;
};

}  // namespace tickbox::client
