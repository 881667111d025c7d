#pragma once
// How old the base of a client's snapshots may be: as old as an honest client's base can be.
//
// A plan on an old base judges more bodies, and a client can acknowledge old views on purpose. So a
// base counts while it is no older than the client's round trip and five intervals between its
// snapshots. These count as at least three tenths of a second. So at 60 snapshots a second some
// eighteen may be lost in a row, and at ten a second, which a quiet client is sent, five.

#include "core/ids.h"
#include "protocol/history_depths.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::server {

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
