#include "sim/fixed_bodies.h"

#include "core/assert.h"
#include "sim/body_hash.h"

#include <algorithm>

namespace tickbox::sim {
namespace {

/// The fewest changes that are kept; at most twice as many are. More in one tick are a new room,
/// not coins that are taken: then a step searches the surroundings of every mover again.
constexpr std::size_t kChangesKept = 32;

std::uint64_t hash_of(const Body& body) {
  StreamHasher hasher;
  add_body(hasher, body);
  return hasher.digest();
}

}  // namespace

FixedBodies& FixedBodies::operator=(const FixedBodies& other) {
  if (this == &other) return *this;
  bodies_ = other.bodies_;
  free_ = other.free_;
  by_id_ = other.by_id_;
  solids_ = other.solids_;
  ghosts_ = other.ghosts_;
  hash_ = other.hash_;
  ++serial_;
  changes_.clear();
  return *this;
}

std::uint32_t FixedBodies::slot_of(BodyId id) const {
  const auto place = std::ranges::lower_bound(by_id_, id, {}, &Named::id);
  TICKBOX_ASSERT(place != by_id_.end() && place->id == id);
  return place->slot;
}

const Body* FixedBodies::find(BodyId id) const {
  const auto place = std::ranges::lower_bound(by_id_, id, {}, &Named::id);
  return place != by_id_.end() && place->id == id ? &bodies_[place->slot] : nullptr;
}

void FixedBodies::add(const Body& body) {
  TICKBOX_ASSERT(body.kind == Kind::Fixed && is_within_limits(body));
  const auto place = std::ranges::lower_bound(by_id_, body.id, {}, &Named::id);
  TICKBOX_ASSERT(place == by_id_.end() || place->id != body.id);
  auto slot = static_cast<std::uint32_t>(bodies_.size());
  if (free_.empty()) {
    bodies_.push_back(body);
  } else {
    slot = free_.back();
    free_.pop_back();
    bodies_[slot] = body;
  }
  by_id_.insert(place, {body.id, slot});
  (is_ghost(body) ? ghosts_ : solids_).add(slot, rect_of(box_of(body.min, body.size)));
  hash_ += hash_of(body);
  record_change(body);
}

bool FixedBodies::remove(BodyId id) {
  const auto place = std::ranges::lower_bound(by_id_, id, {}, &Named::id);
  if (place == by_id_.end() || place->id != id) return false;
  const std::uint32_t slot = place->slot;
  const Body& body = bodies_[slot];
  (is_ghost(body) ? ghosts_ : solids_).remove(slot);
  hash_ -= hash_of(body);
  record_change(body);
  free_.push_back(slot);
  by_id_.erase(place);
  return true;
}

void FixedBodies::clear() {
  bodies_.clear();
  free_.clear();
  by_id_.clear();
  solids_.clear();
  ghosts_.clear();
  hash_ = 0;
  ++serial_;
  changes_.clear();
}

void FixedBodies::record_change(const Body& body) {
  if (changes_.size() == 2 * kChangesKept) {
    changes_.erase(changes_.begin(), changes_.begin() + kChangesKept);
  }
  changes_.push_back({rect_of(box_of(body.min, body.size)), is_ghost(body)});
  ++serial_;
}

std::optional<std::span<const FixedChange>> FixedBodies::changes_since(std::uint64_t serial) const {
  TICKBOX_ASSERT(serial <= serial_);
  const std::uint64_t count = serial_ - serial;
  if (count > changes_.size()) return std::nullopt;
  return std::span{changes_}.last(static_cast<std::size_t>(count));
}

std::optional<std::span<const FixedChange>> FixedWatch::poll(const SharedFixedBodies& fixed) {
  const bool is_same = !seen_.owner_before(fixed) && !fixed.owner_before(seen_);
  const std::uint64_t before = serial_;
  seen_ = fixed;
  serial_ = fixed ? fixed->serial() : 0;
  if (!is_same) return std::nullopt;
  return fixed ? fixed->changes_since(before) : std::span<const FixedChange>{};
}

}  // namespace tickbox::sim
