#pragma once
// The state of one session of a client. The next session starts with a new one.

#include "client/client_stats.h"
#include "client/connection/clock_sync.h"
#include "client/connection/connection.h"
#include "client/connection/sent_inputs.h"
#include "client/event_inbox.h"
#include "client/prediction/prediction.h"
#include "client/presentation/presentation.h"
#include "client/verification/audit.h"
#include "client/views/asset_cache.h"
#include "client/views/snapshot_world.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::client {

/// The map and the rules of a room.
struct Assets {
  game::SharedMap map;
  std::shared_ptr<const game::Rules> rules;
};

/// Returns what `accept` names.
/// Fails: a reason in words, if this client does not have the server's rules, seats or map.
[[nodiscard]] std::expected<Assets, std::string> find_assets(const net::Accept& accept,
                                                             AssetCache& cache);

struct Session {
  Session(const Assets& assets, net::ConnectMode mode, const Connection& connection, Instant now);

  /// Adds the counts of this session.
  void add_to(ClientStats& stats) const;

  /// Returns the tick of the newest held view, made from a snapshot or an audit; 0: none.
  [[nodiscard]] Tick newest_view() const {
    if (snapshot_world == nullptr) return view_tick;
    return snapshot_world->ack() ? snapshot_world->ack()->tick : Tick{};
  }

  ClockSync clock;
  SentInputs inputs;
  EventInbox events;
  std::unique_ptr<SnapshotWorld> snapshot_world;  ///< maker of a player's views
  std::unique_ptr<Auditor> auditor;               ///< maker of an auditor's views
  Prediction prediction;
  Presentation presentation;
  std::vector<game::EntityState> view;  ///< entities of the newest view, by id
  Tick view_tick;                       ///< tick of the newest view
  std::optional<Instant> view_at;       ///< arrival of the newest view
  std::uint32_t desyncs = 0;            ///< views with a wrong hash
};

}  // namespace tickbox::client
