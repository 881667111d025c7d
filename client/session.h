#pragma once
// The state of one session of a client. The next session starts with a new state.

#include "client/client_stats.h"
#include "client/client_world.h"
#include "client/connection/clock_sync.h"
#include "client/connection/connection.h"
#include "client/connection/sent_commands.h"
#include "client/connection/sent_inputs.h"
#include "client/connection/shared_histogram.h"
#include "client/match/event_inbox.h"
#include "engine/identity.h"
#include "protocol/messages.h"
#include "protocol/snapshot.h"
#include "views/events.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace tickbox::client {

struct ClientSession {
  /// Borrows `round_trip`, to which its inputs add.
  ClientSession(const engine::GameOnMap& assets, const Connection& connection,
                SharedHistogram& round_trip, Instant now);

  /// Adds the counts of this session.
  void add_to(ClientCounts& counts) const;

  /// Adds the gap between the newest view and `view`, which arrives at `now`, if there is one.
  /// Requires: a full client.
  void add_gap_before(const View& view, SharedHistogram& snapshot_gap, Instant now) const;

  /// Adds, in microseconds, what has waited for the server until `now`.
  void add_waits(SharedHistogram& round_trip, SharedHistogram& snapshot_gap, Instant now) const;

  const GameTable& game;
  Player player;
  Duration period;  ///< of a tick
  ClockSync clock;
  SentInputs inputs;
  SentCommands commands;
  protocol::Snapshot snapshot;  ///< the one that was received last
  views::ReceivedEvents received_events;
  EventInbox events;
  /// The acknowledgement of the newest view; nothing before the first, after a view with a wrong
  /// hash, and while a client that became full waits for its first view.
  std::optional<protocol::ViewAck> ack;
  Tick view_tick;                      ///< tick of the newest view
  std::uint32_t desyncs = 0;           ///< views with a wrong hash
  std::unique_ptr<ClientWorld> world;  ///< nullptr in a light client
};

}  // namespace tickbox::client
