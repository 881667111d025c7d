#include "client/session.h"

#include <algorithm>

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

ClientSession::ClientSession(const engine::GameOnMap& assets, const Connection& connection,
                             SharedHistogram& round_trip, Instant now)
    : game(*assets.game),
      player{connection.accept().player.value},
      period(tick_duration(assets.tick_rate)),
      clock(assets.tick_rate, connection.accept().tick, connection.connect_time(), now),
      inputs(game, clock, assets.tick_rate, connection.accept().tick, round_trip),
      commands(game) {}

void ClientSession::add_to(ClientCounts& counts) const {
  counts.inputs_late += inputs.counts().late;
  counts.inputs_substituted += inputs.counts().substituted;
  counts.inputs_discarded += inputs.counts().discarded;
  if (world) world->add_to(counts);
}

void ClientSession::add_gap_before(const View& view, SharedHistogram& snapshot_gap,
                                   Instant now) const {
  if (!world->view_at) return;
  const Duration gap = now - *world->view_at;
  const bool is_quiet = is_on_time(gap, view.tick - view_tick, period);
  const std::int64_t news = view.news <= view.tick ? (view.tick - view.news) + 1 : 1;
  add_gap(snapshot_gap, is_quiet ? std::min(gap, period * news) : gap, gap);
}

void ClientSession::add_waits(SharedHistogram& round_trip, SharedHistogram& snapshot_gap,
                              Instant now) const {
  inputs.add_waiting(round_trip, now);
  if (!world || !world->view_at) return;
  const Duration gap = now - *world->view_at;
  if (gap >= kSilence) add_gap(snapshot_gap, gap, gap);
}

}  // namespace tickbox::client
