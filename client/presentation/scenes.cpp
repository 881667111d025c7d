#include "client/presentation/scenes.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::client {

const Scene& Scenes::nearest(Tick tick) const {
  TICKBOX_ASSERT(!empty());
  const Tick within = std::clamp(tick, oldest().tick, newest().tick);
  return scenes_[static_cast<std::size_t>(within - oldest().tick)];
}

Scene& Scenes::append(Tick tick) {
  TICKBOX_ASSERT(empty() || tick == newest().tick + 1);
  if (count_ == scenes_.size()) scenes_.emplace_back();
  Scene& scene = scenes_[count_++];
  scene.tick = tick;
  scene.spots.clear();
  return scene;
}

void Scenes::forget_before(Tick tick) {
  if (empty() || tick <= oldest().tick) return;
  const auto old = std::min(tick, newest().tick) - oldest().tick;
  const auto held = scenes_.begin() + static_cast<std::ptrdiff_t>(count_);
  std::rotate(scenes_.begin(), scenes_.begin() + static_cast<std::ptrdiff_t>(old), held);
  count_ -= static_cast<std::size_t>(old);
}

}  // namespace tickbox::client
