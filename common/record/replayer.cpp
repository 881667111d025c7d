#include "record/replayer.h"

#include "game/step.h"

#include <utility>

namespace tickbox::record {

Replayer::Replayer(Reader reader, const game::SharedMap& map, const game::Rules& rules)
    : reader_(std::move(reader)), map_(map), rules_(rules) {}

bool Replayer::next() {
  for (;;) {
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
        if (reader_.damage().offset >= kRecordsOffset) lose_world();
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
}

/// Steps the next tick of the record. Fails: false, if the tick is impossible.
bool Replayer::step() {
  const RecordedTick& tick = reader_.ticks()[taken_++];
  if (!game::is_valid(*world_, tick.commands())) {
    lose_world();
    ++damages_;
    return false;
  }
  game::step(*world_, rules_, tick.commands(), game::Authority::Server, stepper_);
  commands_ = &tick;
  hash_ = game::state_hash(*world_);
  recorded_hash_ = tick.state_hash.value_or(hash_);
  return true;
}

/// Begins at a keyframe. Returns true if its world does not continue the one before.
bool Replayer::begin() {
  const Keyframe& keyframe = reader_.keyframe();
  const bool continues = world_ && world_->tick == keyframe.tick;
  if (continues && hash_ == keyframe.state_hash) return false;
  auto restored = game::restore(keyframe.fields(), map_, rules_);
  if (!restored) {
    lose_world();
    ++damages_;
    return false;
  }
  world_.emplace(*std::move(restored));
  commands_ = nullptr;
  recorded_hash_ = keyframe.state_hash;
  hash_ = game::state_hash(*world_);
  return !continues;
}

void Replayer::lose_world() {
  world_.reset();
  commands_ = nullptr;
  ticks_ = 0;
  taken_ = 0;
}

}  // namespace tickbox::record
