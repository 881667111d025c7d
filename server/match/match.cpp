#include "server/match/match.h"

#include "server/match/sent_views.h"

#include <utility>

namespace tickbox::server {
namespace {

engine::World opened(const GameTable& game, engine::SharedMap map, std::uint32_t tick_rate,
                     std::uint64_t seed) {
  engine::World world{game, std::move(map), tick_rate, seed};
  engine::Stepper stepper;
  stepper.open(world);
  return world;
}

}  // namespace

Match::Match(const GameTable& game, engine::SharedMap map, std::uint32_t tick_rate,
             std::uint64_t seed)
    : Match(opened(game, std::move(map), tick_rate, seed)) {}

Match::Match(engine::World world)
    : world_(std::move(world)),
      tick_log_(world_),
      history_(world_, base_age_max(world_.tick_rate())) {
  store_state();
}

void Match::tick(const engine::TickRequest& request) {
  if (!request.is_idle) end_idle();
  report_ = &stepper_.step(world_, request, record_);
  if (request.is_idle) return;
  store_state();
  history_.record(world_, record_, *report_);
}

/// Makes good for the idle ticks since the last step.
void Match::end_idle() {
  if (stored_ == world_.tick) return;
  idle_from_ = stored_;
  idle_to_ = world_.tick;
  states_.move(idle_from_, idle_to_);
  stored_ = idle_to_;
  history_.record_idle(idle_to_);
}

const StateAt* Match::state_after(Tick tick) const {
  if (record_.is_idle && tick > stored_ && tick <= world_.tick) return states_.find(stored_);
  const bool is_before_end = tick >= idle_from_ && tick < idle_to_;
  return states_.find(is_before_end ? idle_to_ : tick);
}

/// Stores the state after the present tick in place of the oldest one.
void Match::store_state() {
  rows_sum_ = hasher_.hash_rows(world_);
  hash_ = engine::state_hash(world_, rows_sum_);
  stored_ = world_.tick;
  StateAt& now = states_.insert(world_.tick);
  store_rows(now);
  now.room.assign(std::as_const(world_).room().begin(), std::as_const(world_).room().end());
  now.room_hash = engine::room_hash(world_);
}

/// Stores the rows in place of those of an older tick. Rows that are still at rest since then stay.
void Match::store_rows(StateAt& now) {
  const std::span<const std::uint32_t> active = world_.active_rows();
  if (now.rest_version == world_.rest_version()) {
    now.rows.assign_active(world_);
  } else {
    now.rest_version = world_.rest_version();
    now.rows.assign(world_);
    now.hashes.reserve(now.rows.capacity());
    now.hashes.resize(world_.size());
    std::size_t row = 0;
    const auto store_resting = [&](std::size_t end) {
      for (; row < end; ++row) {
        now.hashes[row] = world_.resting_hash(row);
      }
    };
    for (const std::uint32_t next : active) {
      store_resting(next);
      row = next + 1;
    }
    store_resting(world_.size());
  }
  for (std::size_t at = 0; at < active.size(); ++at) {
    now.hashes[active[at]] = views::member_hash(world_, active[at], hasher_.active_hash(at));
  }
}

}  // namespace tickbox::server
