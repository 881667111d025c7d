#include "record/seek.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace tickbox::record {
namespace {

/// By the index: the last keyframe in it that is not after `tick`. Nothing where it cannot be
/// believed.
std::optional<Reader> near(const Reader& recording, Tick tick) {
  const auto trailer = recording.find_trailer();
  if (!trailer) {
    return std::nullopt;
  }
  const auto after = std::ranges::upper_bound(trailer->index, tick, {}, &KeyframePlace::tick);
  if (after == trailer->index.begin() || !recording.has_keyframe(*(after - 1))) {
    return std::nullopt;
  }
  return recording.from_keyframe((after - 1)->offset);
}

}  // namespace

Reader seek(const Reader& recording, Tick tick) {
  Reader walk = near(recording, tick).value_or(recording);
  std::optional<std::size_t> best;
  for (auto item = walk.next(); item != Reader::Item::Finished; item = walk.next()) {
    if (item != Reader::Item::Keyframe) {
      continue;
    }
    if (walk.keyframe().tick > tick) {
      break;
    }
    best = walk.item_offset();
  }
  return best ? recording.from_keyframe(*best) : recording;
}

}  // namespace tickbox::record
