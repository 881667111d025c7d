#pragma once
// The time of ticks: which ticks are due, and what a shard gives up while its ticks take more than
// their time.

#include "core/clock.h"

#include <cstdint>
#include <limits>
#include <string_view>

namespace tickbox::server {

/// Decides which ticks are due. Absolute deadlines never drift; a bounded number of late ticks is
/// caught up, and the rest is reported as slipped.
class TickPacer {
 public:
  /// The most ticks that the world catches up after a stall; time beyond is slipped. An eighth of a
  /// second at 60 Hz: longer bursts would make every client's inputs late at once.
  static constexpr std::int64_t kCatchUpMax = 8;

  /// The value of `left` for a server that ticks until it is stopped.
  static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

  /// The first tick is due one period after `start`. Requires: ticks_per_second > 0.
  TickPacer(Instant start, std::uint32_t ticks_per_second);

  /// Returns when the next tick is due.
  [[nodiscard]] Instant next() const { return deadline(ticks_ + 1); }

  /// Returns the ticks to run now, 0 to kCatchUpMax, and at most `left`. Ticks due beyond
  /// kCatchUpMax are slipped: their deadlines move to the future.
  [[nodiscard]] std::int64_t due(Instant now, std::uint64_t left = kNoEnd);

  /// Records that the tick of next() has been run.
  void ran() { ++ticks_; }

  [[nodiscard]] std::uint64_t slipped() const { return slipped_; }

  /// Returns how late the first tick of the last due() was, before a stall moved its deadline; 0 if
  /// none was due.
  [[nodiscard]] Duration behind() const { return behind_; }

 private:
  /// Returns a deadline that is exact at any rate: whole seconds are computed apart from the rest.
  [[nodiscard]] Instant deadline(std::int64_t tick) const;

  Instant start_;
  std::int64_t rate_;
  std::int64_t ticks_ = 0;
  std::uint64_t slipped_ = 0;
  Duration behind_{};
};

// --- what is given up ---
//
// What a shard gives up while its ticks take more than their time: first snapshots become rarer,
// then no new client joins. What is left slips (TickPacer).
//
//   time of each tick ─► load, the mean of the last ticks ─► limit of the plans' work per tick
//                                                        ─► level: what is given up
//
// The limit is the work for which there is time: a tick may take kLoadWanted of its period, and
// what does not depend on snapshots takes its part of that. Time and work are measured together, so
// the limit needs neither the cost of a unit nor a search, and it does not swing. It is never below
// what the Replicator sends each client in any case.
//
// A level begins and ends only after a time. One slow tick changes nothing: it counts as two
// periods at most. There is no clock here: the caller measures.

/// What a shard gives up, each in addition to those before.
enum class Overload : std::uint8_t {
  None,
  FewerSnapshots,
  RefusesJoins,  ///< clients that hold a seat may still return
};

/// Returns "none", "fewer_snapshots" or "refuses_joins".
[[nodiscard]] std::string_view name_of(Overload level);

/// The time that a tick has taken.
struct TickTime {
  Duration sending{};  ///< the snapshots; 0 in a tick whose snapshots are skipped
  Duration rest{};     ///< all else: packets received since the tick before, and the step
};

/// The work of the plans of a tick, in units of ViewPlan::work.
struct PlanWork {
  std::uint64_t wanted = 0;  ///< of all snapshots that were due
  std::uint64_t done = 0;    ///< of those that were not put off
};

/// Shares of the period of a tick, in thousandths. Snapshots become rarer so that ticks take no
/// more than the first. The rest is for what happens now and then, and for ticks that are caught
/// up. If ticks take as much as the second nevertheless, rarer snapshots do not suffice, and joins
/// are refused until ticks take less than the third. A loop that catches up sends less often, so
/// its ticks may stay just below their period while it has no time left.
inline constexpr std::int64_t kLoadWanted = 850;
inline constexpr std::int64_t kLoadRefuses = 950;
inline constexpr std::int64_t kLoadAdmits = 900;
static_assert(kLoadWanted < kLoadAdmits && kLoadAdmits < kLoadRefuses);

/// Whether something is the case for good: it begins after a time, and ends after a time.
class Lasting {
 public:
  /// Both in ticks.
  Lasting(std::uint32_t begins_after, std::uint32_t ends_after)
      : begins_after_(begins_after), ends_after_(ends_after) {}

  /// Counts a tick. It begins once `begins` was true in `begins_after` more ticks than false. It
  /// ends once `continues` was false in `ends_after` ticks in a row.
  void count(bool begins, bool continues);

  [[nodiscard]] bool is_on() const { return is_on_; }

 private:
  std::uint32_t begins_after_;
  std::uint32_t ends_after_;
  std::uint32_t ticks_ = 0;  ///< towards the next change
  bool is_on_ = false;
};

class LoadControl {
 public:
  /// `work_max`: the limit of work per tick of a shard that has the time.
  LoadControl(std::uint32_t tick_rate, std::uint64_t work_max);

  /// Adds a tick.
  void add_tick(const TickTime& time, const PlanWork& work);

  /// Returns the most work that the plans of the next tick may take.
  [[nodiscard]] std::uint64_t work_limit() const { return work_limit_; }

  [[nodiscard]] Overload level() const;

  /// Returns the mean time of the last ticks, in thousandths of their period.
  [[nodiscard]] std::uint32_t load() const;

 private:
  [[nodiscard]] std::uint64_t work_in_time() const;

  /// The mean of the last ticks is the sum of them all, each weighted less by a sixteenth than the
  /// next: sixteen times the mean.
  static constexpr std::int64_t kTicksMeant = 16;

  static void add(std::int64_t& sum, std::int64_t value) {
    sum += value - (sum + kTicksMeant - 1) / kTicksMeant;
  }

  std::int64_t period_;  ///< nanoseconds
  std::uint64_t work_max_;
  std::uint64_t work_limit_;
  std::int64_t sending_ = 0;  ///< nanoseconds; a sum as above, as all below
  std::int64_t rest_ = 0;
  std::int64_t wanted_ = 0;
  std::int64_t done_ = 0;
  Lasting is_short_;  ///< of time for all snapshots
  Lasting is_over_;   ///< has no time even for the fewest
};

}  // namespace tickbox::server
