#include "sim/world.h"

#include "core/assert.h"
#include "sim/body_hash.h"

#include <algorithm>
#include <utility>

namespace tickbox::sim {
namespace {

bool has_lower_id(const Body& body, BodyId id) {
  return body.id < id;
}

}  // namespace

World::World(WorldSettings settings, SharedStatics statics)
    : settings_(settings), statics_(std::move(statics)) {
  TICKBOX_ASSERT(statics_ != nullptr);
}

const Body* World::find(BodyId id) const {
  const auto place = std::lower_bound(movers_.begin(), movers_.end(), id, has_lower_id);
  return place != movers_.end() && place->id == id ? &*place : nullptr;
}

Body* World::find(BodyId id) {
  const auto place = std::lower_bound(movers_.begin(), movers_.end(), id, has_lower_id);
  return place != movers_.end() && place->id == id ? &*place : nullptr;
}

void World::add(const Body& body) {
  TICKBOX_ASSERT(body.kind != Kind::Static);
  TICKBOX_ASSERT(body.path == kNoPath || body.path < statics_->paths().size());
  TICKBOX_ASSERT(is_within_limits(body));
  TICKBOX_ASSERT(statics_->find(body.id) == nullptr);
  const auto place = std::lower_bound(movers_.begin(), movers_.end(), body.id, has_lower_id);
  TICKBOX_ASSERT(place == movers_.end() || place->id != body.id);
  movers_.insert(place, body);
}

bool World::remove(BodyId id) {
  const auto place = std::lower_bound(movers_.begin(), movers_.end(), id, has_lower_id);
  if (place == movers_.end() || place->id != id) return false;
  movers_.erase(place);
  return true;
}

void World::remove(std::span<const BodyId> ids) {
  if (ids.empty()) return;
  std::erase_if(movers_,
                [ids](const Body& body) { return std::ranges::binary_search(ids, body.id); });
}

void World::clear() {
  movers_.clear();
}

std::uint64_t state_hash(const World& world) {
  StreamHasher hasher;
  hasher.add(world.settings().gravity.x);
  hasher.add(world.settings().gravity.y);
  hasher.add(static_cast<std::uint8_t>(world.settings().border));
  hasher.add(world.statics().hash());
  hasher.add(static_cast<std::uint32_t>(world.movers().size()));
  for (const Body& body : world.movers()) {
    add_body(hasher, body);
  }
  return hasher.digest();
}

}  // namespace tickbox::sim
