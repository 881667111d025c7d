#include "client/session.h"

#include "client/connection/silence.h"

#include <algorithm>

namespace tickbox::client {

engine::World world_like(const engine::GameOnMap& assets, const net::Accept& accept) {
  engine::World world{*assets.game, assets.map, assets.tick_rate, 0};
  world.shared_seed = accept.shared_seed;
  return world;
}

ClientSession::ClientSession(const engine::GameOnMap& assets, engine::Stepper& stepper,
                             const Connection& connection, Instant now)
    : game(*assets.game),
      player{connection.accept().player.value},
      clock(assets.tick_rate, connection.accept().tick, connection.connect_time(), now),
      inputs(game, clock, assets.tick_rate, connection.accept().tick),
      commands(game),
      snapshot_world(world_like(assets, connection.accept()), player, stepper),
      prediction(world_like(assets, connection.accept()), player, stepper),
      presentation(world_like(assets, connection.accept()), player, stepper),
      focus(player),
      view(std::make_shared<views::Rows>(game)),
      room(std::make_shared<std::vector<std::byte>>()) {}

std::optional<protocol::ViewAck> ClientSession::ack() const {
  if (snapshot_world.newest() == nullptr) return std::nullopt;
  return protocol::ViewAck{.tick = snapshot_world.newest()->tick, .receipt = receipt};
}

void ClientSession::add_to(ClientStats& stats, Instant now) const {
  stats.inputs_late += inputs.counts().late;
  stats.inputs_substituted += inputs.counts().substituted;
  stats.inputs_discarded += inputs.counts().discarded;
  stats.round_trip.add_all(inputs.counts().round_trip);
  inputs.add_waiting(stats.round_trip, now);
  if (view_at && now - *view_at >= kSilence) stats.add_gap(now - *view_at, now - *view_at);
  const PresentationCounts& shown = presentation.counts();
  stats.ticks_shown += shown.ticks;
  stats.ticks_extrapolated += shown.extrapolated;
  stats.ticks_extrapolated_wrong += shown.extrapolated_wrong;
  stats.presentation_delay += shown.delay;
  stats.replayed += snapshot_world.steps();
}

}  // namespace tickbox::client
