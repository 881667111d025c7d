#pragma once
// The views sent to a client, as lists of slots, and the newest one that it has acknowledged. The
// memory of a view grows with the number of its members.

#include "core/ids.h"
#include "core/tick_ring.h"
#include "protocol/history_depths.h"
#include "server/match/body_slots.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

/// The members of a view, sorted by body id.
using Members = std::vector<SlotId>;

class SentViews {
 public:
  /// `base_age_max`: the age limit of a base, in ticks; below protocol::kTicksRemembered.
  explicit SentViews(std::uint32_t base_age_max);

  /// Returns the memory for the view of `tick`, which counts as sent unless withdraw() follows.
  Members& add(Tick tick);

  /// Removes a view that was not sent after all.
  void withdraw(Tick tick) { sent_.erase(tick); }

  /// Receives an acknowledgement of the view of `tick`. Ignores a view that was never sent or is
  /// too old. Returns whether it is newer than the views acknowledged before, or the first one
  /// since clear_base().
  bool acknowledge(Tick tick);

  /// Drops the acknowledgement: the client has no view any more.
  void clear_base() { base_ = std::nullopt; }

  [[nodiscard]] bool has_acknowledged() const { return base_.has_value(); }

  /// Returns whether there is a base(), without looking at it: the views of a thousand clients are
  /// not in the processor's cache.
  [[nodiscard]] bool has_base(Tick now) const { return base_ && !is_too_old(*base_, now); }

  /// Returns the newest acknowledged view, or nullptr if there is none that is new enough.
  [[nodiscard]] const Members* base(Tick now) const;

  /// Returns the view sent of `tick`, acknowledged or not, or nullptr if none was sent or it is not
  /// remembered any more.
  [[nodiscard]] const Members* find(Tick tick, Tick now) const;

  /// Requires: has_base().
  [[nodiscard]] Tick base_tick() const { return *base_; }

 private:
  [[nodiscard]] bool is_too_old(Tick tick, Tick now) const {
    return now - tick > std::int64_t{base_age_max_};
  }

  std::uint32_t base_age_max_;  ///< ticks
  TickRing<Members, protocol::kTicksRemembered> sent_;
  Tick newest_;  ///< the newest tick added
  std::optional<Tick> base_;
};

}  // namespace tickbox::server
