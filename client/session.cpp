#include "client/session.h"

#include <algorithm>

namespace tickbox::client {

std::expected<Assets, std::string> find_assets(const net::Accept& accept, AssetCache& cache) {
  std::shared_ptr<const game::Rules> rules = cache.rules(accept.rules, accept.tick_rate);
  const bool seats_known = accept.map_seats >= 1 && accept.map_seats <= game::kSeatsMax;
  if (rules == nullptr || !seats_known || accept.player.value >= accept.map_seats) {
    return std::unexpected{"the server plays \"" + accept.rules +
                           "\", which this client does not have; use the same build at both ends"};
  }
  game::SharedMap map = cache.map(accept.map_seats);
  if (game::map_hash(*map) != accept.map_hash) {
    return std::unexpected{
        "the server's map differs from this client's; use the same build at both ends"};
  }
  return Assets{.map = std::move(map), .rules = std::move(rules)};
}

Session::Session(const Assets& assets, net::ConnectMode mode, const Connection& connection,
                 Instant now)
    : clock(connection.accept().tick_rate, connection.accept().tick, connection.connect_time(),
            now),
      inputs(clock, connection.accept().tick_rate, connection.accept().tick),
      prediction(assets.map, assets.rules, connection.accept().player, connection.accept().body),
      presentation({.map = assets.map,
                    .rules = assets.rules,
                    .own = connection.accept().body,
                    .ticks_per_second = connection.accept().tick_rate}) {
  const BodyId own = connection.accept().body;
  if (mode == net::ConnectMode::Audit) {
    auditor = std::make_unique<Auditor>(assets.map, assets.rules, own);
  } else {
    snapshot_world = std::make_unique<SnapshotWorld>(assets.map, assets.rules, own);
  }
}

void Session::add_to(ClientStats& stats) const {
  stats.inputs_late += inputs.counts().late;
  stats.inputs_substituted += inputs.counts().substituted;
  stats.round_trip.add_all(inputs.counts().round_trip);
  const PresentationCounts& shown = presentation.counts();
  stats.ticks_shown += shown.ticks;
  stats.ticks_extrapolated += shown.extrapolated;
  stats.ticks_extrapolated_wrong += shown.extrapolated_wrong;
  stats.presentation_delay += shown.delay;
  if (snapshot_world != nullptr) stats.replayed += snapshot_world->steps();
  if (auditor == nullptr) return;
  stats.replayed += auditor->ticks();
  stats.audited += auditor->ticks();
  stats.audit_runs += auditor->runs();
  stats.audit_mismatched += auditor->mismatches();
  if (!stats.first_audit_mismatch) stats.first_audit_mismatch = auditor->first_mismatch();
}

}  // namespace tickbox::client
