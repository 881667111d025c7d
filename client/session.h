#pragma once
// The state of one session of a client. The next session starts with a new state.

#include "client/client_stats.h"
#include "client/connection/clock_sync.h"
#include "client/connection/connection.h"
#include "client/connection/sent_inputs.h"
#include "client/connection/shared_histogram.h"
#include "client/match/event_inbox.h"
#include "client/match/prediction.h"
#include "client/match/snapshot_world.h"
#include "client/presentation/presentation.h"
#include "client/presentation/view_focus.h"
#include "core/clock.h"
#include "engine/identity.h"
#include "engine/stepper.h"
#include "net/handshake.h"
#include "protocol/messages.h"
#include "protocol/snapshot.h"
#include "views/events.h"
#include "views/rows.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tickbox::client {

/// What a full client has of a session beside a light one: the views, the prediction of its own
/// bodies, and what is shown.
struct ClientWorld {
  /// `assets`: those that `accept` names. Borrows `stepper`.
  ClientWorld(const engine::GameOnMap& assets, const net::Accept& accept, engine::Stepper& stepper);

  /// Takes a new view, and returns how the prediction compares with it.
  Reconciliation on_view(const View& taken, Instant now);

  /// Predicts a tick with an input at `now`. The tick was due at `due`, the next is at `next_due`.
  void predict(Tick tick, ConstBytes input, Instant now, Instant due, Instant next_due);

  /// Adds the counts of this world.
  void add_to(ClientCounts& counts) const;

  SnapshotWorld snapshot_world;
  Prediction prediction;
  Presentation presentation;
  ViewFocus focus;
  /// The entities of the newest view, by id, and the room's state; empty before the first view.
  std::shared_ptr<const views::Rows> view;
  std::shared_ptr<const std::vector<std::byte>> room;
  std::optional<Instant> view_at;  ///< arrival of the newest view
};

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
  /// The acknowledgement of the newest view; nothing before the first, and after a view with a
  /// wrong hash.
  std::optional<protocol::ViewAck> ack;
  Tick view_tick;                      ///< tick of the newest view
  std::uint32_t desyncs = 0;           ///< views with a wrong hash
  std::unique_ptr<ClientWorld> world;  ///< nullptr in a light client
};

}  // namespace tickbox::client
