#pragma once
// The views of the last ticks that a client holds. Snapshots build on them, and input messages
// acknowledge them.

#include "core/assert.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "game/entity_state.h"
#include "protocol/history_depths.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::client {

/// A view that the client holds.
struct HeldView {
  Tick tick;
  std::vector<game::EntityState> entities;  ///< by id
};

/// The acknowledgement of views in an input message.
struct ViewAck {
  Tick newest;             ///< tick of the newest held view; 0: none
  std::uint64_t bits = 0;  ///< bit i: the client made the view of newest − 1 − i
};

class ReceivedViews {
 public:
  /// Returns the view of `tick`, or nullptr.
  [[nodiscard]] const HeldView* find(Tick tick) const { return views_.find(tick); }

  /// Returns the newest view, or nullptr.
  [[nodiscard]] const HeldView* newest() const { return newest_ ? find(*newest_) : nullptr; }

  [[nodiscard]] const ViewAck& ack() const { return ack_; }

  /// Adds a view of `tick` and returns its empty list of entities. The new view replaces the one
  /// that is protocol::kViewsHeld ticks older.  Requires: `tick` is later than the newest.
  std::vector<game::EntityState>& add(Tick tick) {
    TICKBOX_ASSERT(!newest_ || *newest_ < tick);
    const std::int64_t ahead = tick - ack_.newest;
    ack_.bits = ahead < 64 ? ack_.bits << ahead : 0;
    if (ack_.newest.value != 0 && ahead <= 64) ack_.bits |= std::uint64_t{1} << (ahead - 1);
    ack_.newest = tick;
    newest_ = tick;
    HeldView& view = views_.insert(tick);
    view.tick = tick;
    view.entities.clear();
    return view.entities;
  }

  /// Removes all views. Their entities stay readable until the next add().
  void clear() {
    views_.clear();
    newest_ = std::nullopt;
    ack_ = {};
  }

 private:
  TickRing<HeldView, protocol::kViewsHeld> views_;
  std::optional<Tick> newest_;
  ViewAck ack_;
};

}  // namespace tickbox::client
