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

World& World::operator=(const World& other) {
  if (this == &other) return *this;
  settings_ = other.settings_;
  statics_ = other.statics_;
  movers_ = other.movers_;
  const bool has_own = fixed_ && other.fixed_ && fixed_.use_count() == 1;
  if (has_own) {
    *fixed_ = *other.fixed_;
  } else {
    fixed_ = other.fixed_;
  }
  return *this;
}

const FixedBodies& World::fixed() const {
  static const FixedBodies kNone;
  return fixed_ ? *fixed_ : kNone;
}

/// The fixed bodies, shared with no other world.
FixedBodies& World::own_fixed() {
  if (!fixed_) {
    fixed_ = std::make_shared<FixedBodies>();
  } else if (fixed_.use_count() > 1) {
    fixed_ = std::make_shared<FixedBodies>(*fixed_);
  }
  return *fixed_;
}

const Body* World::find(BodyId id) const {
  const Body* mover = find_mover(id);
  return mover == nullptr && fixed_ ? fixed_->find(id) : mover;
}

const Body* World::find_mover(BodyId id) const {
  const auto place = std::lower_bound(movers_.begin(), movers_.end(), id, has_lower_id);
  return place != movers_.end() && place->id == id ? &*place : nullptr;
}

Body* World::find_mover(BodyId id) {
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
  if (body.kind == Kind::Fixed) {
    own_fixed().add(body);
    return;
  }
  TICKBOX_ASSERT(!fixed_ || fixed_->find(body.id) == nullptr);
  movers_.insert(place, body);
}

bool World::remove(BodyId id) {
  const auto place = std::lower_bound(movers_.begin(), movers_.end(), id, has_lower_id);
  if (place != movers_.end() && place->id == id) {
    movers_.erase(place);
    return true;
  }
  return fixed_ && fixed_->find(id) != nullptr && own_fixed().remove(id);
}

void World::remove(std::span<const BodyId> ids) {
  if (ids.empty()) return;
  std::erase_if(movers_,
                [ids](const Body& body) { return std::ranges::binary_search(ids, body.id); });
  if (fixed().empty()) return;
  for (const BodyId id : ids) {
    if (fixed_->find(id) != nullptr) own_fixed().remove(id);
  }
}

void World::clear() {
  movers_.clear();
  fixed_.reset();
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
  if (const FixedBodies& fixed = world.fixed(); !fixed.empty()) {
    hasher.add(static_cast<std::uint32_t>(fixed.size()));
    hasher.add(fixed.hash());
  }
  return hasher.digest();
}

}  // namespace tickbox::sim
