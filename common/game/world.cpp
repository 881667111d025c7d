#include "game/world.h"

#include "core/assert.h"
#include "core/hash.h"

#include <algorithm>
#include <utility>

namespace tickbox::game {

World::World(SharedMap map, sim::WorldSettings settings, std::uint64_t seed)
    : rng(seed), map_(std::move(map)), physics_(settings, map_->statics), seats_(map_->seats) {
  TICKBOX_ASSERT(map_->seats <= kSeatsMax);
}

SeatState& World::seat(PlayerId player) {
  TICKBOX_ASSERT(player.value < seats_.size());
  return seats_[player.value];
}

const SeatState& World::seat(PlayerId player) const {
  TICKBOX_ASSERT(player.value < seats_.size());
  return seats_[player.value];
}

BodyId World::body_of(PlayerId player) const {
  return player_body(player, seat(player).generation);
}

EntityState World::entity(std::size_t index) const {
  const sim::Body& body = physics_.movers()[index];
  return {.id = body.id, .min = body.min, .velocity = body.velocity, .traits = traits_[index]};
}

void World::append_entities(std::vector<EntityState>& out) const {
  for (std::size_t i = 0; i < size(); ++i) {
    out.push_back(entity(i));
  }
}

std::size_t World::index_of(BodyId id) const {
  const std::span<const sim::Body> movers = physics_.movers();
  const auto found = std::ranges::lower_bound(movers, id, {}, &sim::Body::id);
  return found != movers.end() && found->id == id ? static_cast<std::size_t>(found - movers.begin())
                                                  : size();
}

void World::add(const sim::Body& body, const Traits& traits) {
  physics_.add(body);
  traits_.insert(traits_.begin() + static_cast<std::ptrdiff_t>(index_of(body.id)), traits);
}

bool World::remove(BodyId id) {
  const std::size_t index = index_of(id);
  if (index == size()) {
    return false;
  }
  physics_.remove(id);
  traits_.erase(traits_.begin() + static_cast<std::ptrdiff_t>(index));
  return true;
}

void World::clear_entities() {
  physics_.clear();
  traits_.clear();
}

std::uint64_t state_hash(const World& world) {
  BufferedHasher hasher;
  hasher.add(world.tick.value);
  hasher.add(world.rng.state());
  for (const SeatState& seat : world.seats()) {
    hasher.add(seat.generation);
    hasher.add(seat.score);
    hasher.add(static_cast<std::uint8_t>(seat.taken));
  }
  for (std::size_t i = 0; i < world.size(); ++i) {
    hasher.add(entity_hash(world.entity(i)));
  }
  return hasher.digest();
}

}  // namespace tickbox::game
