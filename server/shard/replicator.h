#pragma once
// Sends snapshots: to each client the causes and entities that its view needs, with the events that
// concern it, within its byte budget.

#include "core/clock.h"
#include "core/ids.h"
#include "protocol/snapshot.h"
#include "server/match/event_delivery.h"
#include "server/match/plan/planner.h"
#include "server/shard/context.h"
#include "server/shard/hosted_room.h"
#include "server/shard/limits.h"
#include "server/shard/session.h"
#include "server/shard/tick_time.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {

/// Decides in which ticks a client is sent something.
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

/// The snapshots that are due in a tick.
struct DueSnapshots {
  std::uint64_t count = 0;
  std::uint64_t work = 0;  ///< of the last plans of their clients
};

/// A snapshot that may be put off.
struct MayWait {
  SessionSnapshots* snapshots = nullptr;
  std::uint64_t rank = 0;  ///< the highest is put off first
};

/// The work of the snapshots that are not put off.
struct WorkLimit {
  std::uint64_t work = 0;
  /// A tick does at least this part of the work, 1 of N: what is put off is added to later ticks.
  std::uint64_t ticks = 2;
};

/// Puts snapshots off by their rank, until the others are within the limit, or take the part of the
/// work that this tick must do. One that costs no more than an equal share of the limit is never
/// put off. `may_wait` is sorted. Returns the work that is put off.
std::uint64_t postpone_costliest(const DueSnapshots& due, const WorkLimit& limit,
                                 std::span<MayWait> may_wait);

/// Returns the rank of a snapshot of `tick` while ticks take more than their time. Large views on
/// old bases wait: these clients are far or lose packets, and gain the least. Each tick since its
/// last snapshot lets a client wait less, so all get about an equal share of the work.
[[nodiscard]] std::uint64_t rank_under_load(const SessionSnapshots& snapshots, Tick tick);

class Replicator {
 public:
  /// `snapshot_bytes`: the byte budget of each client.
  Replicator(ShardContext& context, const SendPace& pace, const Rate& snapshot_bytes);

  /// Queues the events of the tick that a room has just stepped for the clients that receive them.
  void queue_events(HostedRoom& room);

  /// Limits the work of all plans of a tick further than SendPace::plan_work; for the present. Then
  /// a client can be put off several times in a row, but gets SendPace::least_interval() at least.
  void set_work_limit(std::uint64_t work) { work_limit_ = work; }

  /// Decides for every client whether a snapshot is due, and puts the costliest off. If that is
  /// only for SendPace::plan_work, none is put off twice in a row. Call it once per tick, before
  /// send().
  void choose_due(RoomList& rooms, Instant now);

  /// Returns the work of the snapshots since the last call.
  [[nodiscard]] PlanWork consume_work() { return std::exchange(work_, {}); }

  /// Sends each client of a room whose turn it is the present tick, if the tick has news for it or
  /// the last snapshot is a tenth of a second old. The newest bases come first: islands only grow
  /// on the way (MatchHistory::islands_since()).
  void send(HostedRoom& room, Instant now);

 private:
  /// Returns the work of a tick for which a shard has the time.
  [[nodiscard]] std::uint64_t usual_work() const { return pace_.plan_work / pace_.tick_rate; }

  [[nodiscard]] bool is_overloaded() const { return work_limit_ < usual_work(); }

  [[nodiscard]] bool choose_due(Session& session, Instant now);
  void postpone(const DueSnapshots& due);
  void gather_due(HostedRoom& room);
  void send(Session& session, Instant now);
  [[nodiscard]] std::optional<ViewPlan> plan(Session& session, const Members* base,
                                             std::size_t bytes, const EventQueue::Due& events);
  [[nodiscard]] ConstBytes encode(Session& session, const ViewPlan& plan, std::size_t events);

  ShardContext& context_;
  SendPace pace_;
  Rate snapshot_bytes_;
  EventRouter router_;
  Planner planner_;
  std::uint64_t work_limit_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t work_saved_ = 0;  ///< work within the limit that the last tick has not done
  PlanWork work_;
  std::vector<MayWait> may_wait_;
  std::vector<Session*> due_;    ///< of the room in progress, by the age of the base
  protocol::Snapshot snapshot_;  ///< the one in progress
  Members view_;                 ///< its members
};

}  // namespace tickbox::server
