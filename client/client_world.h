#pragma once
// What a full client has of a session beside a light one: the views, the prediction of its own
// bodies, and what is shown.

#include "client/client_stats.h"
#include "client/match/prediction.h"
#include "client/match/snapshot_world.h"
#include "client/presentation/presentation.h"
#include "client/presentation/view_focus.h"
#include "core/clock.h"
#include "engine/identity.h"
#include "engine/stepper.h"
#include "net/handshake.h"
#include "views/rows.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace tickbox::client {

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

}  // namespace tickbox::client
