#pragma once
// A client's view, and the views of the last ticks that it holds. Snapshots build on them, and
// input messages acknowledge them.

#include "core/assert.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "game/entity_state.h"
#include "protocol/history_depths.h"
#include "protocol/messages.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::client {

/// A view that the client holds.
struct HeldView {
  Tick tick;
  std::vector<game::EntityState> entities;  ///< by id
};

/// A player's body in view that the server teleported at the end of a tick.
struct SeenTeleport {
  BodyId id;
  Tick tick;
};

/// A client's view at a tick: entities by id, in the server's state.
struct View {
  Tick tick;
  std::span<const game::EntityState> entities;
  /// The last tick in which another mover touched the own body or the server teleported it. A tick
  /// in which this is possible but unknown counts too.
  Tick touched;
  /// The server had news to send; without news it sends nothing for a while.
  bool has_news = false;
  /// The first tick after the previous view with a change that does not follow from that view, as
  /// far as the client knows. Later than `tick`: there was none.
  Tick news = {};
  /// The states at the ticks between the previous view and this one, oldest first, as correct as
  /// the view. Bodies that were sent in full are missing. Empty for a full view.
  std::span<const HeldView> replayed_ticks = {};
  /// The teleports of replayed bodies since the previous view.
  std::span<const SeenTeleport> teleports = {};
};

class ReceivedViews {
 public:
  /// Returns the view of `tick`, or nullptr.
  [[nodiscard]] const HeldView* find(Tick tick) const { return views_.find(tick); }

  /// Returns the newest view, or nullptr.
  [[nodiscard]] const HeldView* newest() const { return ack_ ? find(ack_->tick) : nullptr; }

  /// Returns the acknowledgement of the newest view, or nothing if no view is held.
  [[nodiscard]] const std::optional<protocol::ViewAck>& ack() const { return ack_; }

  /// Adds a view of `tick` with its snapshot's receipt, and returns its empty list of entities. The
  /// new view replaces the one that is protocol::kViewsHeld ticks older. Requires: `tick` is later
  /// than the newest.
  std::vector<game::EntityState>& add(Tick tick, std::uint16_t receipt) {
    TICKBOX_ASSERT(!ack_ || ack_->tick < tick);
    ack_ = {.tick = tick, .receipt = receipt};
    HeldView& view = views_.insert(tick);
    view.tick = tick;
    view.entities.clear();
    return view.entities;
  }

  /// Removes all views. Their entities stay readable until the next add().
  void clear() {
    views_.clear();
    ack_ = std::nullopt;
  }

 private:
  TickRing<HeldView, protocol::kViewsHeld> views_;
  std::optional<protocol::ViewAck> ack_;
};

}  // namespace tickbox::client
