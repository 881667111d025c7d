#include "server/match/match.h"

#include <utility>

namespace tickbox::match {
namespace {

engine::World opened(const GameTable& game, engine::SharedMap map, std::uint32_t tick_rate,
                     std::uint64_t seed, engine::Stepper& stepper) {
  engine::World world{game, std::move(map), tick_rate, seed};
  stepper.open(world);
  return world;
}

}  // namespace

Match::Match(const GameTable& game, engine::SharedMap map, std::uint32_t tick_rate,
             std::uint64_t seed)
    : world_(opened(game, std::move(map), tick_rate, seed, stepper_)),
      tick_log_(world_),
      log_(world_, base_age_max(tick_rate)) {
  const std::size_t rows = log_.slots().capacity();
  states_.for_each_slot([&](StateAt& state) {
    state.rows = views::Rows{game};
    state.rows.reserve(rows);
    state.hashes.reserve(rows);
  });
  store_state();
}

void Match::tick(const engine::TickRequest& request) {
  report_ = &stepper_.step(world_, request, record_);
  store_state();
  log_.note(world_, record_, *report_);
}

/// Stores the state after the present tick in place of the oldest one.
void Match::store_state() {
  hash_ = hasher_.hash(world_);
  StateAt& now = states_.insert(world_.tick);
  now.rows.assign(world_);
  now.hashes.clear();
  for (std::size_t row = 0; row < world_.size(); ++row) {
    now.hashes.push_back(views::member_hash(world_, row, hasher_.row_hashes()[row]));
  }
  now.room.assign(std::as_const(world_).room().begin(), std::as_const(world_).room().end());
  now.room_hash = engine::room_hash(world_);
}

}  // namespace tickbox::match
