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

PhysicsWorld::PhysicsWorld(WorldSettings settings, SharedStatics statics)
    : settings_(settings), statics_(std::move(statics)) {
  TICKBOX_ASSERT(statics_ != nullptr);
}

PhysicsWorld& PhysicsWorld::operator=(const PhysicsWorld& other) {
  if (this == &other) return *this;
  settings_ = other.settings_;
  statics_ = other.statics_;
  movers_ = other.movers_;
  const bool has_own = fixed_ && fixed_.use_count() == 1;
  if (has_own) {
    *fixed_ = other.fixed();
  } else {
    fixed_ = other.fixed_;
  }
  return *this;
}

const FixedBodies& PhysicsWorld::fixed() const {
  static const FixedBodies kNone;
  return fixed_ ? *fixed_ : kNone;
}

/// The fixed bodies, shared with no other world.
FixedBodies& PhysicsWorld::own_fixed() {
  if (!fixed_) {
    fixed_ = std::make_shared<FixedBodies>();
  } else if (fixed_.use_count() > 1) {
    fixed_ = std::make_shared<FixedBodies>(*fixed_);
  }
  return *fixed_;
}

const Body* PhysicsWorld::find(BodyId id) const {
  const Body* mover = find_mover(id);
  return mover == nullptr && fixed_ ? fixed_->find(id) : mover;
}

const Body* PhysicsWorld::find_mover(BodyId id) const {
  const auto place = std::lower_bound(movers_.begin(), movers_.end(), id, has_lower_id);
  return place != movers_.end() && place->id == id ? &*place : nullptr;
}

Body* PhysicsWorld::find_mover(BodyId id) {
  const auto place = std::lower_bound(movers_.begin(), movers_.end(), id, has_lower_id);
  return place != movers_.end() && place->id == id ? &*place : nullptr;
}

void PhysicsWorld::add(std::span<const Body> bodies) {
  std::size_t movers = 0;
  for (const Body& body : bodies) {
    TICKBOX_ASSERT(body.kind != Kind::Static);
    TICKBOX_ASSERT(body.path == kNoPath || body.path < statics_->paths().size());
    TICKBOX_ASSERT(is_within_limits(body));
    const std::span<const Body> walls = statics_->bodies();
    TICKBOX_ASSERT(walls.empty() || body.id < walls.front().id || !statics_->find(body.id));
    if (body.kind == Kind::Fixed) {
      TICKBOX_ASSERT(find_mover(body.id) == nullptr);
      own_fixed().add(body);
    } else {
      TICKBOX_ASSERT(!fixed_ || fixed_->find(body.id) == nullptr);
      ++movers;
    }
  }
  std::size_t from = movers_.size();
  std::size_t to = from + movers;
  movers_.resize(to);
  for (std::size_t i = bodies.size(); i-- > 0;) {
    const Body& body = bodies[i];
    if (body.kind == Kind::Fixed) continue;
    while (from > 0 && body.id < movers_[from - 1].id) {
      movers_[--to] = movers_[--from];
    }
    TICKBOX_ASSERT(from == 0 || movers_[from - 1].id < body.id);
    movers_[--to] = body;
  }
}

bool PhysicsWorld::remove(BodyId id) {
  const auto place = std::lower_bound(movers_.begin(), movers_.end(), id, has_lower_id);
  if (place != movers_.end() && place->id == id) {
    movers_.erase(place);
    return true;
  }
  return fixed_ && fixed_->find(id) != nullptr && own_fixed().remove(id);
}

void PhysicsWorld::remove(std::span<const BodyId> ids) {
  if (ids.empty()) return;
  const auto first = std::lower_bound(movers_.begin(), movers_.end(), ids.front(), has_lower_id);
  auto kept = first;
  auto next = ids.begin();  // both are sorted
  for (auto body = first; body != movers_.end(); ++body) {
    while (next != ids.end() && *next < body->id) {
      ++next;
    }
    const bool is_removed = next != ids.end() && *next == body->id;
    if (!is_removed) *kept++ = *body;
  }
  movers_.erase(kept, movers_.end());
  if (fixed().empty()) return;
  for (const BodyId id : ids) {
    if (fixed_->find(id) != nullptr) own_fixed().remove(id);
  }
}

void PhysicsWorld::clear() {
  movers_.clear();
  if (fixed_.use_count() > 1) {
    fixed_.reset();
  } else if (fixed_) {
    fixed_->clear();
  }
}

std::uint64_t state_hash(const PhysicsWorld& world) {
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
