#include "record/live/live_verifier.h"

#include "record/difference.h"

#include <utility>

namespace tickbox::record {

void LiveVerifier::take(Reader::Item item, const Reader& reader) {
  switch (item) {
    case Reader::Item::Keyframe:
      return keyframe(reader);
    case Reader::Item::Ticks:
      for (const RecordedTick& recorded : reader.ticks()) {
        tick(recorded);
      }
      return;
    case Reader::Item::Damage:
      return damaged();
    case Reader::Item::Trailer:
    case Reader::Item::Unfinished:
    case Reader::Item::EndsEarly:
    case Reader::Item::Finished:
      return;
  }
}

/// Compares the world of a keyframe with the one that was stepped, and continues with it.
void LiveVerifier::keyframe(const Reader& reader) {
  auto keyframe = decoder_.begin(reader.world());
  if (!keyframe) return damaged();
  ++result_.segments_whole;
  result_.gaps += reader.keyframe().gap_before ? 1U : 0U;
  result_.last_tick = keyframe->world.tick;
  if (world_ && world_->tick == keyframe->world.tick) {
    if (const auto difference = first_difference(keyframe->world, *world_)) {
      explain(keyframe->world.tick, *difference);
    }
  }
  segment_differs_ = false;
  const std::uint64_t hash = engine::state_hash(keyframe->world);
  if (hash != keyframe->state_hash) {
    differs(keyframe->world.tick, hash_difference(keyframe->state_hash, hash));
  }
  segment_began_ = keyframe->world.tick;
  world_.emplace(std::move(keyframe->world));
}

void LiveVerifier::tick(const RecordedTick& recorded) {
  if (!world_) return;
  if (!decoder_.step(*world_, recorded)) return damaged();
  if (decoder_.gave_up()) {
    world_.reset();
    return;
  }
  ++result_.ticks;
  result_.last_tick = recorded.tick;
  if (!recorded.state_hash) return;
  const std::uint64_t hash = engine::state_hash(*world_);
  if (hash != *recorded.state_hash) {
    differs(recorded.tick, hash_difference(*recorded.state_hash, hash));
  }
}

void LiveVerifier::differs(Tick tick, const Difference& what) {
  ++result_.mismatched;
  segment_differs_ = true;
  if (!result_.first_mismatch) result_.first_mismatch = Mismatch{tick, tick, what};
}

/// Takes the difference of a keyframe from the stepped world. It explains the first tick that
/// differs, if that is in the segment before; if no tick there differs, it is the keyframe's own.
void LiveVerifier::explain(Tick keyframe, const Difference& what) {
  if (!segment_differs_) return differs(keyframe, what);
  Mismatch& first = *result_.first_mismatch;
  if (first.tick < segment_began_) return;
  first.compared = keyframe;
  first.what = what;
}

void LiveVerifier::damaged() {
  ++result_.damages;
  world_.reset();
}

}  // namespace tickbox::record
