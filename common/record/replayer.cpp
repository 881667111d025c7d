#include "record/replayer.h"

#include "engine/log/tick_codec.h"
#include "engine/tick_record.h"

#include <utility>

namespace tickbox::record {
namespace {

using Item = Reader::Item;

/// Some milliseconds.
constexpr std::uint64_t kSearchesPerQuestion = 65'536;

}  // namespace

void stop_when(const std::function<bool()>& stopped, engine::Stepper& stepper) {
  if (stopped) stepper.limit({.searches = kSearchesPerQuestion, .gives_up = stopped});
}

Replayer::Replayer(Reader reader, const GameTable& game, const engine::SharedMap& map)
    : reader_(std::move(reader)), like_(game, map, reader_.header().tick_rate, 0), log_(game) {}

void Replayer::restart(Reader reader) {
  reader_ = std::move(reader);
  item_ = {};
  leave_segment();
}

Item Replayer::read() {
  item_ = reader_.next();
  taken_ = 0;
  is_impossible_ = false;
  if (item_ == Item::Keyframe) {
    begin();
  } else if (item_ == Item::Damage) {
    if (reader_.damage().offset >= kRecordsOffset) leave_segment();
    ++damages_;
  }
  return item_;
}

/// Takes the world of a keyframe, whose hash may differ from the one that the keyframe names. The
/// next tick is stepped from it.
void Replayer::begin() {
  if (keyframe_) world_.emplace(std::move(keyframe_->world));
  auto keyframe = engine::decode_keyframe(reader_.world(), like_);
  if (!keyframe) return refuse();
  log_.begin(*keyframe);
  keyframe_ = *std::move(keyframe);
  if (world_ && world_->tick == keyframe_->world.tick) return;
  world_.reset();
  is_stepped_ = false;
  recorded_hash_ = keyframe_->state_hash;
}

const EncodedTick* Replayer::upcoming() const {
  if (!has_world()) return nullptr;
  if (item_ == Item::Ticks && taken_ < reader_.ticks().size()) return &reader_.ticks()[taken_];
  return item_ == Item::Unfinished && taken_ == 0 ? &reader_.unfinished() : nullptr;
}

const engine::DecodedTick* Replayer::decode() {
  const EncodedTick* const recorded = upcoming();
  if (recorded == nullptr) return nullptr;
  ++taken_;
  recorded_hash_ = recorded->state_hash;
  const bool is_possible =
      log_.read(recorded->bytes, tick_) && (!recorded->is_quiet || tick_.sources.empty());
  if (is_possible) return &tick_;
  refuse();
  return nullptr;
}

bool Replayer::step() {
  if (decode() == nullptr) return false;
  if (keyframe_) {
    world_.emplace(std::move(keyframe_->world));
    keyframe_.reset();
  }
  if (!engine::is_valid(*world_, tick_.record)) {
    refuse();
    return false;
  }
  is_stepped_ = item_ == Item::Ticks;
  if (is_stepped_) {
    report_ = &stepper_.replay(*world_, tick_.record);
  } else {
    const engine::RequestReader requested{world_->game(), tick_.record};
    engine::TickRecord done;
    stepper_.step(*world_, requested.request(), done);
  }
  if (gave_up()) leave_segment();
  return has_world();
}

bool Replayer::next() {
  while (!gave_up()) {
    if (item_ == Item::Ticks && step()) return true;
    if (gave_up()) break;
    read();
    if (item_ == Item::Finished || item_ == Item::Waiting) break;
    if (item_ == Item::Keyframe && keyframe_ && !continues()) return true;
  }
  return false;
}

/// Counts an impossible record, and leaves out the rest of its segment.
void Replayer::refuse() {
  is_impossible_ = true;
  ++damages_;
  leave_segment();
}

void Replayer::leave_segment() {
  world_.reset();
  keyframe_.reset();
  is_stepped_ = false;
}

}  // namespace tickbox::record
