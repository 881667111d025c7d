#include "client/presentation/extrapolation.h"

#include "client/views/snapshot_world.h"
#include "core/assert.h"

#include <utility>

namespace tickbox::client {

Extrapolation::Extrapolation(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules)
    : rules_(std::move(rules)), world_(map, rules_->settings(), 0) {}

const Sample& Extrapolation::sample(Tick tick, Tick newest,
                                    std::span<const game::EntityState> view) {
  TICKBOX_ASSERT(tick > newest);
  if (samples_.empty()) start(newest, view);
  while (world_.tick < tick)
    step();
  return samples_.nearest(tick);
}

void Extrapolation::start(Tick newest, std::span<const game::EntityState> view) {
  world_.clear_entities();
  world_.tick = newest;
  for (const game::EntityState& entity : view) {
    add_entity(world_, *rules_, entity);
  }
}

void Extrapolation::step() {
  game::step(world_, *rules_, {.leaves = {}, .joins = {}, .inputs = {}}, game::Authority::Client,
             stepper_);
  std::vector<BodySample>& bodies = samples_.append(world_.tick).bodies;
  for (std::size_t i = 0; i < world_.size(); ++i) {
    const game::EntityState entity = world_.entity(i);
    bodies.push_back({.id = entity.id, .min = entity.min});
  }
}

}  // namespace tickbox::client
