#include "client/held_views.h"

#include "core/assert.h"

namespace tickbox::client {

const HeldView* HeldViews::find(Tick tick) const {
  const Slot& slot = slots_[tick.value % kViews];
  return slot.is_held && slot.view.tick == tick ? &slot.view : nullptr;
}

const HeldView* HeldViews::newest() const {
  return newest_ ? find(*newest_) : nullptr;
}

std::vector<game::EntityState>& HeldViews::add(Tick tick) {
  TICKBOX_ASSERT(!newest_ || *newest_ < tick);
  newest_ = tick;
  Slot& slot = slots_[tick.value % kViews];
  slot.is_held = true;
  slot.view.tick = tick;
  slot.view.entities.clear();
  return slot.view.entities;
}

void HeldViews::clear() {
  for (Slot& slot : slots_) {
    slot.is_held = false;
  }
  newest_ = std::nullopt;
}

}  // namespace tickbox::client
