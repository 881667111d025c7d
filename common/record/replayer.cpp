#include "record/replayer.h"

#include <utility>

namespace tickbox::record {

Replayer::Replayer(Reader reader, const GameTable& game, const engine::SharedMap& map)
    : reader_(std::move(reader)), decoder_(game, map, reader_.header().tick_rate) {}

bool Replayer::next() {
  while (!gave_up()) {
    if (taken_ < ticks_) {
      if (step()) return true;
      continue;
    }
    switch (reader_.next()) {
      case Reader::Item::Keyframe:
        if (begin()) return true;
        break;
      case Reader::Item::Ticks:
        taken_ = 0;
        ticks_ = world_ ? reader_.ticks().size() : 0;
        break;
      case Reader::Item::Damage:
        if (reader_.damage().offset >= kRecordsOffset) discard_world();
        ++damages_;
        break;
      case Reader::Item::Trailer:
      case Reader::Item::Unfinished:
      case Reader::Item::EndsEarly:
        break;
      case Reader::Item::Finished:
        return false;
    }
  }
  return false;
}

/// Steps the next tick of the record. Fails: false, if the tick is impossible, or if its step was
/// given up.
bool Replayer::step() {
  const EncodedTick& tick = reader_.ticks()[taken_++];
  if (!decoder_.step(*world_, tick)) {
    discard_world();
    ++damages_;
    return false;
  }
  if (gave_up()) {
    discard_world();
    return false;
  }
  is_stepped_ = true;
  hash_ = engine::state_hash(*world_);
  recorded_hash_ = tick.state_hash.value_or(hash_);
  return true;
}

/// Begins at a keyframe. Returns true if its world does not continue the one before.
bool Replayer::begin() {
  auto keyframe = decoder_.begin(reader_.world());
  if (!keyframe) {
    discard_world();
    ++damages_;
    return false;
  }
  const bool continues = world_ && world_->tick == keyframe->world.tick;
  if (continues && hash_ == keyframe->state_hash) return false;
  world_.emplace(std::move(keyframe->world));
  is_stepped_ = false;
  recorded_hash_ = keyframe->state_hash;
  hash_ = engine::state_hash(*world_);
  return !continues;
}

void Replayer::discard_world() {
  world_.reset();
  is_stepped_ = false;
  ticks_ = 0;
  taken_ = 0;
}

}  // namespace tickbox::record
