#pragma once
// The views that a client was sent, as sets of lives: what it holds of a tick once it has
// acknowledged it.

#include "core/bounded.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "protocol/snapshot.h"
#include "server/room/lives.h"

#include <cstdint>
#include <optional>

namespace tickbox::server {

/// Members by the id of their bodies.
using ViewMembers = BoundedVector<LifeId, protocol::kViewMembersMax>;

class SentViews {
 public:
  /// `base_age_max`: ticks after which a view is no base any more; below
  /// protocol::kTicksRemembered.
  explicit SentViews(std::uint32_t base_age_max);

  /// Where the view of `tick` is to be written, once it is decided that it will be sent.
  ViewMembers& add(Tick tick);

  /// It was not sent after all.
  void withdraw(Tick tick) { sent_.erase(tick); }

  /// The client holds the view of `tick`. Whoever acknowledges what was never sent, or was long
  /// ago, changes nothing.  Returns whether it is newer than what the client held before.
  bool acknowledge(Tick tick);

  /// The client holds nothing any more.
  void forget() { base_ = std::nullopt; }

  [[nodiscard]] bool has_acknowledged() const { return base_.has_value(); }

  /// The newest acknowledged view, or nullptr where there is none that is new enough.
  [[nodiscard]] const ViewMembers* base(Tick now) const;

  /// The view that was sent of `tick`, acknowledged or not, or nullptr where it was none or is not
  /// remembered any more.
  [[nodiscard]] const ViewMembers* find(Tick tick, Tick now) const;

  /// Requires: base().
  [[nodiscard]] Tick base_tick() const { return *base_; }

 private:
  [[nodiscard]] bool is_too_old(Tick tick, Tick now) const {
    return now - tick > std::int64_t{base_age_max_};
  }

  std::uint32_t base_age_max_;  ///< ticks
  TickRing<ViewMembers, protocol::kTicksRemembered> sent_;
  Tick newest_;  ///< added
  std::optional<Tick> base_;
};

}  // namespace tickbox::server
