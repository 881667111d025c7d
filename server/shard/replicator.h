#pragma once
// Sends snapshots: to each client the causes and entities that its view needs, with the events that
// concern it, within its byte budget.

#include "core/clock.h"
#include "protocol/snapshot.h"
#include "server/match/event_delivery.h"
#include "server/match/plan/planner.h"
#include "server/shard/context.h"
#include "server/shard/hosted_room.h"
#include "server/shard/limits.h"
#include "server/shard/load/load_control.h"
#include "server/shard/send_pace.h"
#include "server/shard/session.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {

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
