#include "client/views/held_views.h"

#include "core/assert.h"

namespace tickbox::client {

const HeldView* HeldViews::newest() const {
  return newest_ ? find(*newest_) : nullptr;
}

std::vector<game::EntityState>& HeldViews::add(Tick tick) {
  TICKBOX_ASSERT(!newest_ || *newest_ < tick);
  newest_ = tick;
  HeldView& view = views_.insert(tick);
  view.tick = tick;
  view.entities.clear();
  return view.entities;
}

void HeldViews::clear() {
  views_.clear();
  newest_ = std::nullopt;
}

}  // namespace tickbox::client
