#include "record/copy.h"

#include "engine/keyframe.h"
#include "engine/world.h"
#include "record/decoder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::record {
namespace {

class Copy {
 public:
  Copy(Writer& writer, Decoder decoder, const CopyRange& range)
      : writer_(writer), decoder_(std::move(decoder)), range_(range) {
    decoder_.stop_when(range.stopped);
  }

  void keyframe(const Keyframe& keyframe, ConstBytes world);
  void tick(const RecordedTick& tick);
  void unfinished(const RecordedTick& tick);

  void damage(const Damage& damage) {
    ++result_.damages;
    if (damage.offset >= kRecordsOffset) in_segment_ = false;
  }

  /// Returns whether the copy is to end early.
  [[nodiscard]] bool gives_up() {
    result_.interrupted = decoder_.gave_up() || (range_.stopped && range_.stopped());
    return result_.interrupted;
  }

  [[nodiscard]] bool done() const {
    return result_.differs || (result_.first && result_.last >= range_.to && !in_stretch_);
  }

  CopyResult finish();

 private:
  void begin(Tick tick, ConstBytes world);
  void write(const RecordedTick& tick);
  void step_towards(const RecordedTick& tick);

  Writer& writer_;
  Decoder decoder_;
  const CopyRange& range_;
  std::optional<engine::World> before_;  ///< world on the way to range_.from
  bool in_segment_ = false;              ///< the next ticks continue what was written
  bool in_stretch_ = false;              ///< quiet ticks wait for the last tick of their stretch
  std::vector<std::byte> keyframe_;
  bool ended_ = false;
  CopyResult result_;
};

/// Writes a keyframe; the ticks between the last written tick and the keyframe are lost.
void Copy::begin(Tick tick, ConstBytes world) {
  if (!result_.first) {
    result_.first = tick;
  } else if (tick > result_.last) {
    result_.ticks_lost += tick.value - result_.last.value;
    ++result_.gaps;
    writer_.lose(tick);
  }
  result_.last = tick;
  writer_.keyframe(tick, world);
  in_segment_ = true;
  in_stretch_ = false;
}

void Copy::keyframe(const Keyframe& keyframe, ConstBytes world) {
  before_.reset();
  in_segment_ = false;
  if (keyframe.tick > range_.to) return;
  auto decoded = decoder_.begin(world);
  if (!decoded || engine::state_hash(decoded->world) != keyframe.state_hash) {
    ++result_.damages;
  } else if (keyframe.tick >= range_.from) {
    begin(keyframe.tick, world);
  } else {
    before_.emplace(std::move(decoded->world));
  }
}

void Copy::step_towards(const RecordedTick& tick) {
  if (!decoder_.step(*before_, tick)) {
    ++result_.damages;
    before_.reset();
    return;
  }
  if (decoder_.gave_up()) {
    result_.interrupted = true;
    before_.reset();
    return;
  }
  if (before_->tick < range_.from) return;
  const std::uint64_t hash = engine::state_hash(*before_);
  result_.differs = hash != tick.state_hash.value_or(hash);
  if (!result_.differs) {
    const auto sources = engine::sources_by_seat(decoder_.last(), before_->seats().size());
    engine::encode_keyframe(*before_, hash, sources, keyframe_);
    begin(before_->tick, keyframe_);
  }
  before_.reset();
}

/// Writes a tick. A quiet stretch is written at its last tick, the only one with a hash.
void Copy::write(const RecordedTick& tick) {
  result_.last = tick.tick;
  ++result_.ticks;
  in_stretch_ = !tick.state_hash;
  if (in_stretch_) return;
  if (tick.is_quiet) {
    writer_.quiet(tick.tick, *tick.state_hash);
  } else {
    writer_.tick({.tick = tick.tick, .bytes = tick.bytes, .state_hash = *tick.state_hash});
  }
}

void Copy::tick(const RecordedTick& tick) {
  if (before_) {
    step_towards(tick);
  } else if (in_segment_ && (tick.tick <= range_.to || in_stretch_)) {
    if (decoder_.tick(tick) != nullptr) return write(tick);
    ++result_.damages;
    in_segment_ = false;
  }
}

void Copy::unfinished(const RecordedTick& tick) {
  if (!in_segment_ || before_ || tick.tick > range_.to) return;
  if (decoder_.tick(tick) == nullptr) {
    ++result_.damages;
  } else {
    result_.written = writer_.unfinished(tick.tick, tick.bytes);
    ended_ = true;
  }
}

CopyResult Copy::finish() {
  if (!ended_ && !result_.interrupted) result_.written = writer_.finish();
  return result_;
}

}  // namespace

CopyResult copy(Reader reader, Writer& writer, const GameTable& game, const engine::SharedMap& map,
                const CopyRange& range) {
  Copy copy{writer, {game, map, reader.header().tick_rate}, range};
  for (auto item = reader.next(); item != Reader::Item::Finished && !copy.done();
       item = reader.next()) {
    if (copy.gives_up()) break;
    switch (item) {
      case Reader::Item::Keyframe:
        copy.keyframe(reader.keyframe(), reader.world());
        break;
      case Reader::Item::Ticks:
        for (const RecordedTick& tick : reader.ticks()) {
          copy.tick(tick);
        }
        break;
      case Reader::Item::Unfinished:
        copy.unfinished(reader.unfinished());
        break;
      case Reader::Item::Damage:
        copy.damage(reader.damage());
        break;
      case Reader::Item::Trailer:
      case Reader::Item::EndsEarly:
      case Reader::Item::Finished:
        break;
    }
  }
  return copy.finish();
}

}  // namespace tickbox::record
