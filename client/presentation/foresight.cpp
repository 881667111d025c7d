#include "client/presentation/foresight.h"

#include "client/views/replica.h"
#include "core/assert.h"

#include <utility>

namespace tickbox::client {

Foresight::Foresight(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules)
    : rules_(std::move(rules)), world_(map, rules_->settings(), 0) {}

const Scene& Foresight::scene(Tick tick, Tick newest, std::span<const game::EntityState> view) {
  TICKBOX_ASSERT(tick > newest);
  if (scenes_.empty()) start(newest, view);
  while (world_.tick < tick)
    step();
  return scenes_.nearest(tick);
}

void Foresight::start(Tick newest, std::span<const game::EntityState> view) {
  world_.clear_entities();
  world_.tick = newest;
  for (const game::EntityState& entity : view) {
    add_entity(world_, *rules_, entity);
  }
}

void Foresight::step() {
  game::step(world_, *rules_, {.leaves = {}, .joins = {}, .inputs = {}}, game::Authority::Replica,
             stepper_);
  std::vector<Spot>& spots = scenes_.append(world_.tick).spots;
  for (std::size_t i = 0; i < world_.size(); ++i) {
    const game::EntityState entity = world_.entity(i);
    spots.push_back({.id = entity.id, .min = entity.min});
  }
}

}  // namespace tickbox::client
