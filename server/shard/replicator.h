#pragma once
// Sends snapshots: to each client the causes and entities that its view needs, with the events that
// concern it, within its byte budget.

#include "core/clock.h"
#include "protocol/snapshot.h"
#include "server/match/event_router.h"
#include "server/match/plan/planner.h"
#include "server/shard/context.h"
#include "server/shard/hosted_room.h"
#include "server/shard/limits.h"
#include "server/shard/send_pace.h"
#include "server/shard/session.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

/// The snapshots that are due in a tick.
struct DueSnapshots {
  std::uint64_t count = 0;
  std::uint64_t work = 0;  ///< of the last plans of their clients
};

/// Puts snapshots off, the costliest first, until the others are within `limit` of work, or take
/// half of the work or less. One that costs no more than an equal share of the limit is never put
/// off. `may_wait`: the due ones that were not put off in the last tick; it is sorted.
void postpone_costliest(const DueSnapshots& due, std::uint64_t limit,
                        std::span<SessionSnapshots*> may_wait);

class Replicator {
 public:
  /// `snapshot_bytes`: the byte budget of each client.
  Replicator(ShardContext& context, const SendPace& pace, const Rate& snapshot_bytes);

  /// Queues the events of the tick that a room has just stepped for the clients that receive them.
  void queue_events(HostedRoom& room);

  /// Decides for every client whether a snapshot is due, and puts the costliest off, none twice in
  /// a row. Call it once per tick, before send().
  void choose_due(RoomList& rooms, Instant now);

  /// Sends each client of a room whose turn it is the present tick, if the tick has news for it or
  /// the last snapshot is a tenth of a second old. The newest bases come first: islands only grow
  /// on the way (MatchHistory::islands_since()).
  void send(HostedRoom& room, Instant now);

 private:
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
  std::vector<SessionSnapshots*> may_wait_;
  std::vector<Session*> due_;    ///< of the room in progress, by the age of the base
  protocol::Snapshot snapshot_;  ///< the one in progress
  Members view_;                 ///< its members
};

}  // namespace tickbox::server
