#pragma once
// The state of one session of a client. The next session starts with a new state.

#include "client/client_stats.h"
#include "client/connection/clock_sync.h"
#include "client/connection/connection.h"
#include "client/connection/sent_commands.h"
#include "client/connection/sent_inputs.h"
#include "client/match/event_inbox.h"
#include "client/match/prediction.h"
#include "client/match/snapshot_world.h"
#include "client/presentation/presentation.h"
#include "client/presentation/view_focus.h"
#include "engine/identity.h"
#include "engine/stepper.h"
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

/// Returns an empty world of the room's game, map, tick rate and shared seed.
[[nodiscard]] engine::World world_like(const engine::GameOnMap& assets, const net::Accept& accept);

struct ClientSession {
  ClientSession(const engine::GameOnMap& assets, engine::Stepper& stepper,
                const Connection& connection, Instant now);

  /// Adds the counts of this session, and what has waited for the server until `now`.
  void add_to(ClientStats& stats, Instant now) const;

  /// Returns the acknowledgement of the newest view that is held, or nothing.
  [[nodiscard]] std::optional<protocol::ViewAck> ack() const;

  /// Returns the tick of the newest held view; 0: none.
  [[nodiscard]] Tick newest_view() const {
    return snapshot_world.newest() != nullptr ? snapshot_world.newest()->tick : Tick{};
  }

  const GameTable& game;
  Player player;
  ClockSync clock;
  SentInputs inputs;
  SentCommands commands;
  protocol::Snapshot snapshot;  ///< the one that was received last
  views::ReceivedEvents received_events;
  EventInbox events;
  SnapshotWorld snapshot_world;
  Prediction prediction;
  Presentation presentation;
  ViewFocus focus;
  /// The entities of the newest view, by id, and the room's state; empty before the first view.
  std::shared_ptr<const views::Rows> view;
  std::shared_ptr<const std::vector<std::byte>> room;
  Tick view_tick;                  ///< tick of the newest view
  std::uint16_t receipt = 0;       ///< of the newest view's snapshot
  std::optional<Instant> view_at;  ///< arrival of the newest view
  std::uint32_t desyncs = 0;       ///< views with a wrong hash
};

}  // namespace tickbox::client
