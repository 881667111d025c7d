#pragma once
// The views sent to a client, as lists of slots; the newest one that it has acknowledged, the base
// of the next snapshot; and how old that base may be.
//
// A view differs little from the one before, so what is stored of it is the difference: how many
// members at the beginning and at the end are the same, and which are between them. Three views are
// stored whole: the newest, the base, and the one before the oldest difference, of which every
// other one is made.

#include "core/ids.h"
#include "protocol/history_depths.h"
#include "server/match/body_slots.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

/// The members of a view, sorted by body id.
using Members = std::vector<SlotId>;

class SentViews {
 public:
  /// `base_age_max`: the age limit of a base, in ticks; below protocol::kTicksRemembered.
  explicit SentViews(std::uint32_t base_age_max);

  /// Records the view sent of `tick`. Requires: a later tick than before. Cost: linear in the
  /// members; no allocation once warm.
  void add(Tick tick, std::span<const SlotId> members);

  /// Receives an acknowledgement of the view of `tick`. Ignores a view that was never sent or is
  /// too old. Returns whether it is newer than the views acknowledged before, or the first one
  /// since clear_base(). Cost: constant; looks at no view, because those of a thousand clients are
  /// not in the processor's cache.
  bool acknowledge(Tick tick);

  /// Drops the acknowledgement: the client has no view any more.
  void clear_base() { base_tick_ = std::nullopt; }

  [[nodiscard]] bool has_acknowledged() const { return base_tick_.has_value(); }

  /// Returns whether there is a base(), without looking at it.
  [[nodiscard]] bool has_base(Tick now) const {
    return base_tick_ && !is_too_old(*base_tick_, now);
  }

  /// Returns the newest acknowledged view, or nullptr if there is none that is new enough. Cost:
  /// makes it from the last one that was returned, and looks at the changes between both alone.
  [[nodiscard]] const Members* base(Tick now);

  /// Requires: has_base().
  [[nodiscard]] Tick base_tick() const { return *base_tick_; }

  /// Returns the view sent last, or nullptr if there is none that is as new as a base must be. If
  /// it is also the last base() that was returned, then this is the same list.
  [[nodiscard]] const Members* newest(Tick now) const;

  /// Begins to read the lists that base(), newest() and add() need into the processor's cache.
  void prefetch() const;

  /// Returns the view sent of `tick`, acknowledged or not, or nothing if none was sent or it is not
  /// remembered any more. Cost: makes it from all views before.
  [[nodiscard]] std::optional<Members> find(Tick tick, Tick now) const;

 private:
  /// A view that was sent, by what it has in common with the one before.
  struct Change {
    Tick tick;
    std::uint32_t first = 0;  ///< members that both begin with
    std::uint32_t last = 0;   ///< members that both end with
    std::uint32_t added = 0;  ///< members between them, in added_
  };

  [[nodiscard]] bool is_too_old(Tick tick, Tick now) const {
    return now - tick > std::int64_t{base_age_max_};
  }

  /// A place between two changes.
  struct Place {
    std::uint32_t change = 0;  ///< the next one, in changes_
    std::uint32_t added = 0;   ///< its first member in added_
  };

  [[nodiscard]] bool was_sent(Tick tick) const;
  void remove_old(Tick now);
  [[nodiscard]] Place advance(Members& view, Place from, Tick to) const;

  std::uint32_t base_age_max_;  ///< ticks
  Tick last_;                   ///< the tick of the newest view
  std::uint64_t sent_ = 0;      ///< bit i: a view was sent of the tick i before last_
  std::optional<Tick> base_tick_;
  std::optional<Tick> made_;     ///< the tick of base_, if all changes after it are remembered
  Place behind_made_;            ///< behind the change that has made base_
  std::vector<Change> changes_;  ///< the oldest first; some of them are too old
  std::vector<SlotId> added_;    ///< of all changes, one after another
  Members newest_;
  Members base_;
  Members oldest_;  ///< the view before the first change
};

// --- how old the base of a client's snapshots may be: as old as an honest client's base can be ---
//
// A plan on an old base judges more bodies, and a client can acknowledge old views on purpose. So a
// base counts while it is no older than the client's round trip and five intervals between its
// snapshots. These count as at least three tenths of a second. So at 60 snapshots a second some
// eighteen may be lost in a row, and at ten a second, which a quiet client is sent, five.

/// Returns the greatest age of a base, in ticks: one second, but at least 24 ticks, and at most
/// protocol::kBaseAgeMax.
[[nodiscard]] constexpr std::uint32_t base_age_max(std::uint32_t tick_rate) {
  return std::clamp(tick_rate, 24U, protocol::kBaseAgeMax);
}

class BaseAge {
 public:
  /// A base may be older than the round trip by this many intervals between snapshots.
  static constexpr std::size_t kIntervals = 5;

  BaseAge() = default;

  explicit BaseAge(std::uint32_t tick_rate) : tick_rate_(tick_rate) {}

  /// Records that a snapshot of `tick` is sent.
  void on_sent(Tick tick) {
    std::shift_right(sent_.begin(), sent_.end(), 1);
    sent_.front() = tick;
  }

  /// Measures the round trip by a view that the client acknowledges for the first time, in tick
  /// `now`. It grows by one tick per second at most, so that a client that acknowledges late on
  /// purpose gains little.
  void on_acknowledged(Tick tick, Tick now) {
    const auto measured = static_cast<std::uint32_t>(std::max<std::int64_t>(now - tick, 0));
    if (!round_trip_ || measured < *round_trip_) {
      round_trip_ = measured;
      grown_ = now;
    } else if (measured > *round_trip_ && now - grown_ >= std::int64_t{tick_rate_}) {
      ++*round_trip_;
      grown_ = now;
    }
  }

  /// Returns the greatest age of a base for a snapshot of tick `now`, in ticks.
  [[nodiscard]] std::int64_t limit(Tick now) const {
    if (!round_trip_) return base_age_max(tick_rate_);
    const std::int64_t intervals = std::max<std::int64_t>(3 * tick_rate_ / 10, now - sent_.back());
    return std::min<std::int64_t>(*round_trip_ + intervals, base_age_max(tick_rate_));
  }

 private:
  std::uint32_t tick_rate_ = 60;
  std::array<Tick, kIntervals> sent_{};      ///< the ticks of the last snapshots, the newest first
  std::optional<std::uint32_t> round_trip_;  ///< ticks, from a snapshot to its acknowledgement
  Tick grown_;                               ///< when the measured round trip last changed
};

}  // namespace tickbox::server
