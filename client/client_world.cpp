#include "client/client_world.h"

namespace tickbox::client {
namespace {

/// Returns an empty world of the room's game, map, tick rate and shared seed.
engine::World world_like(const engine::GameOnMap& assets, const net::Accept& accept) {
  engine::World world{*assets.game, assets.map, assets.tick_rate, 0};
  world.shared_seed = accept.shared_seed;
  return world;
}

Player player_of(const net::Accept& accept) {
  return {accept.player.value};
}

}  // namespace

ClientWorld::ClientWorld(const engine::GameOnMap& assets, const net::Accept& accept,
                         engine::Stepper& stepper)
    : snapshot_world(world_like(assets, accept), player_of(accept), stepper),
      prediction(world_like(assets, accept), player_of(accept), stepper),
      presentation(world_like(assets, accept), player_of(accept), stepper),
      focus(player_of(accept)),
      view(std::make_shared<views::Rows>(*assets.game)),
      room(std::make_shared<std::vector<std::byte>>()) {}

Reconciliation ClientWorld::on_view(const View& taken, Instant now) {
  view_at = now;
  view = taken.rows;
  room = taken.room;
  const Reconciliation reconciliation = prediction.reconcile(taken);
  presentation.on_view(taken, prediction, now);
  focus.on_view(taken);
  return reconciliation;
}

void ClientWorld::predict(Tick tick, ConstBytes input, Instant now, Instant due, Instant next_due) {
  prediction.predict(tick, input);
  presentation.on_tick(prediction, due, next_due);
  presentation.count_tick(now);
}

void ClientWorld::add_to(ClientCounts& counts) const {
  const PresentationCounts& shown = presentation.counts();
  counts.ticks_shown += shown.ticks;
  counts.ticks_extrapolated += shown.extrapolated;
  counts.ticks_extrapolated_wrong += shown.extrapolated_wrong;
  counts.presentation_delay += shown.delay;
  counts.replayed += snapshot_world.steps();
}

}  // namespace tickbox::client
