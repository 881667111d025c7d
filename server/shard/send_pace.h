#pragma once
// Decides in which ticks a client is sent something.

#include "core/clock.h"
#include "core/ids.h"
#include "protocol/snapshot.h"
#include "server/shard/limits.h"
#include "server/shard/session.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tickbox::server {

struct SendPace {
  /// The time between two statuses (protocol::LinkStatus) sent to a client.
  static constexpr std::uint32_t kStatusSeconds = 2;

  std::uint32_t tick_rate = 60;                  ///< per second
  std::uint32_t snapshot_rate = 0;               ///< per second, to each client; 0: one each tick
  std::uint32_t snapshot_rate_far = 0;           ///< to each far client; 0: as to the others
  std::uint64_t plan_work = kPlanWorkPerSecond;  ///< of all plans, in units of ViewPlan::work

  /// Returns whether it is a client's turn: clients take turns if snapshots are rarer than ticks.
  [[nodiscard]] bool has_turn(const Session& session, Tick tick) const {
    const std::uint64_t rate =
        session.is_far && snapshot_rate_far != 0 ? snapshot_rate_far : snapshot_rate;
    const std::uint64_t turn = std::uint64_t{tick.value} + session.player.value;
    return rate == 0 || turn * rate / tick_rate != (turn - 1) * rate / tick_rate;
  }

  /// Returns whether a snapshot of `tick` is due. One that was put off in the tick before is. Full
  /// views, for a client without a base, are rarer. All views are rarer for a client that proves no
  /// receipt.
  [[nodiscard]] bool is_due(const Session& session, Tick tick, bool has_base, Instant now) const {
    if (session.snapshots.turn != SnapshotTurn::PutOff && !has_turn(session, tick)) return false;
    const std::uint32_t interval =
        std::max(has_base ? 0 : tick_rate / kFullViewsPerSecond,
                 unproven_interval(session.snapshots.receipts.silence(now)));
    return session.snapshots.last.value == 0 || tick - session.snapshots.last >= interval;
  }

  /// Returns whether a snapshot of `tick` is due even if the client can compute all of it.
  [[nodiscard]] bool is_quiet_due(const Session& session, Tick tick) const {
    return tick - session.snapshots.last >= std::int64_t{tick_rate / kQuietSnapshotsPerSecond};
  }

  /// Returns the ticks between two snapshots to each client while a shard has too little time: as
  /// between those to a quiet client, which every client and every part of this server is used to.
  [[nodiscard]] std::uint32_t least_interval() const {
    return std::max(2U, tick_rate / kQuietSnapshotsPerSecond);
  }

  /// Returns the least ticks between two snapshots to a client that has proven no receipt for
  /// `silence`; 0: no limit.
  [[nodiscard]] std::uint32_t unproven_interval(Duration silence) const {
    for (const UnprovenPace& pace : kUnprovenPaces) {
      if (silence >= pace.silence) return tick_rate / pace.per_second;
    }
    return 0;
  }

  /// Returns the status of the client's packets if it is due, and notes that it is sent.
  [[nodiscard]] std::optional<protocol::LinkStatus> poll_status(Session& session, Tick tick) const {
    Tick& last = session.snapshots.last_status;
    if (tick - last < std::int64_t{tick_rate} * kStatusSeconds) return std::nullopt;
    last = tick;
    return link_status(session);
  }
};

}  // namespace tickbox::server
