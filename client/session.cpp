#include "client/session.h"

#include "client/connection/silence.h"

#include <algorithm>

namespace tickbox::client {

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
