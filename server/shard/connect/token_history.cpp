#include "server/shard/connect/token_history.h"

#include "core/assert.h"

#include <bit>

namespace tickbox::server {
namespace {

/// The least time between two removals of expired tokens from a full table, because each removal
/// visits the whole table.
constexpr std::chrono::seconds kClearInterval{1};

}  // namespace

TokenHistory::TokenHistory(std::size_t capacity, Entropy& entropy)
    : key_(net::draw<net::ShortKey>(entropy)),
      capacity_(capacity),
      slots_(std::bit_ceil(2 * capacity)) {
  kept_.reserve(capacity);
}

std::size_t TokenHistory::place_of(const net::TokenId& id) const {
  return net::short_hash(key_, id) & (slots_.size() - 1);
}

/// Returns the slot that has the token, or the one where it would be stored.
std::size_t TokenHistory::slot_of(const net::TokenId& id) const {
  std::size_t slot = place_of(id);
  while (slots_[slot].taken && slots_[slot].token.id != id) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

ShownToken* TokenHistory::find(const net::TokenId& id) {
  Slot& slot = slots_[slot_of(id)];
  return slot.taken ? &slot.token : nullptr;
}

bool TokenHistory::insert(const ShownToken& token, WallTime today) {
  if (size_ == capacity_) clear_out(today);
  if (size_ == capacity_) return false;
  insert(token);
  return true;
}

void TokenHistory::replace(const net::TokenId& pending, const ShownToken& used) {
  remove(pending);
  if (ShownToken* const known = find(used.id)) {
    *known = used;
  } else if (size_ < capacity_) {
    insert(used);
  }
}

void TokenHistory::remove(const net::TokenId& id) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = slot_of(id);
  if (!slots_[hole].taken) return;
  --size_;
  // Later tokens move into the hole, unless the search for them begins behind it.
  for (std::size_t next = (hole + 1) & mask; slots_[next].taken; next = (next + 1) & mask) {
    const std::size_t place = place_of(slots_[next].token.id);
    if (((next - place) & mask) < ((next - hole) & mask)) continue;
    slots_[hole] = slots_[next];
    hole = next;
  }
  slots_[hole].taken = false;
}

void TokenHistory::insert(const ShownToken& token) {
  Slot& slot = slots_[slot_of(token.id)];
  TICKBOX_ASSERT(!slot.taken);
  slot = {.taken = true, .token = token};
  ++size_;
}

void TokenHistory::clear_out(WallTime today) {
  if (today - cleared_ < kClearInterval && today >= cleared_) return;
  cleared_ = today;
  kept_.clear();
  for (Slot& slot : slots_) {
    if (slot.taken && slot.token.expires > today) kept_.push_back(slot.token);
    slot.taken = false;
  }
  size_ = 0;
  for (const ShownToken& token : kept_) {
    insert(token);
  }
}

}  // namespace tickbox::server
