#include "client/commands/replay/replay_cursor.h"

#include "core/assert.h"

#include <algorithm>
#include <utility>

namespace tickbox::commands {

ReplayCursor::ReplayCursor(const RecordedMatch& match, record::Segments segments)
    : match_(match), segments_(std::move(segments)) {
  TICKBOX_ASSERT(!segments_.all.empty());
  seek(first());
}

void ReplayCursor::seek(Tick tick) {
  const auto after = std::ranges::upper_bound(segments_.all, tick, {}, &record::Segment::keyframe);
  const auto segment = after == segments_.all.begin() ? after : std::prev(after);
  const Tick target = std::clamp(tick, segment->keyframe, segment->last);
  if (at_ == target) return;
  // Within one segment it is cheaper to step on than to begin at the keyframe. From the segment
  // before, the ticks up to the keyframe are compared as well.
  const bool continues = segment != segments_.all.begin() && std::prev(segment)->continued;
  const Tick from = continues ? std::prev(segment)->keyframe : segment->keyframe;
  const bool steps_on =
      has_world_ && replayer_->world().tick >= from && replayer_->world().tick < target;
  if (!steps_on) {
    replayer_.emplace(match_.reader().from_keyframe(segment->offset), *match_.setting.game,
                      match_.setting.map);
    has_world_ = false;
  }
  at_ = target;
  while (!has_world_ || replayer_->world().tick < target) {
    has_world_ = replayer_->next();
    if (!has_world_) return;
    if (replayer_->hash() != replayer_->recorded_hash()) {
      mismatched_.insert(replayer_->world().tick);
    }
  }
}

}  // namespace tickbox::commands
