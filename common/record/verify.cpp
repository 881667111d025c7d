#include "record/verify.h"

#include "core/assert.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tickbox::record {
namespace {

/// Counts segments: those that lost something to damage are lost, the others whole. Numbers that
/// are missing count as lost only beside damage: elsewhere a sink has lost them, or wanted a
/// segment.
class SegmentCount {
 public:
  /// `first`: number of the file's first segment, if it is known.
  explicit SegmentCount(std::optional<std::uint32_t> first) : first_(first) {}

  void damage() { damaged_ = true; }

  /// Begins segment `number`. `previous` is the tick of the keyframe before, `last_tick` the last
  /// tick read.
  void begin(std::uint32_t number, Tick previous, std::optional<Tick> last_tick) {
    end(number, previous, last_tick);
    current_ = number;
    damaged_ = false;
  }

  /// Ends the count by the trailer, which has the number of segments and the tick of the last
  /// keyframe.
  void trailer(const Trailer& trailer, std::optional<Tick> last_tick) {
    end(trailer.end_segment, trailer.last_keyframe, last_tick);
    closed_ = true;
  }

  void finish() {
    if (!closed_ && (current_ || damaged_)) ++(damaged_ ? lost_ : whole_);
  }

  [[nodiscard]] std::uint32_t whole() const { return whole_; }

  [[nodiscard]] std::uint32_t lost() const { return lost_; }

 private:
  void end(std::uint32_t next, Tick previous, std::optional<Tick> last_tick) {
    if (!damaged_) {
      if (current_) ++whole_;
      return;
    }
    if (!current_) {
      lost_ += first_ ? next - *first_ : 1;
      return;
    }
    // Damage that begins exactly at the next keyframe costs nothing of this segment. Then only one
    // segment is missing, and the `previous` of the segment after it is the last tick read.
    const bool reached_next = next == *current_ + 2 && last_tick == previous;
    ++(reached_next ? whole_ : lost_);
    lost_ += next - *current_ - 1;
  }

  std::optional<std::uint32_t> first_;
  std::optional<std::uint32_t> current_;
  bool damaged_ = false;
  bool closed_ = false;
  std::uint32_t whole_ = 0;
  std::uint32_t lost_ = 0;
};

/// Returns whether a segment's world was stepped to its end, so that the next keyframe can be
/// compared.
bool reached_end(const Segment& segment, const SegmentResult& result) {
  return segment.continued && !result.no_world && !result.impossible && !result.given_up;
}

/// Adds the results of segments in file order.
class Sum {
 public:
  Sum(const VerifyOptions& options, std::optional<std::uint32_t> first)
      : options_(options), segments_(first) {}

  void damage(std::uint32_t stretches) {
    for (; stretches > 0; --stretches) {
      damaged_segment();
    }
  }

  void header_damage(std::uint32_t stretches) { sum_.damages += stretches; }

  void add(const Segment& segment, const SegmentResult& result);
  VerifyResult finish(const Segments& segments);

 private:
  void damaged_segment() {
    ++sum_.damages;
    segments_.damage();
  }

  void compare_keyframe(const Segment& segment, const SegmentResult& result);

  const VerifyOptions& options_;
  std::optional<Tick> last_tick_;
  const Segment* before_ = nullptr;  ///< segment whose end is compared with the next keyframe
  const SegmentResult* before_result_ = nullptr;
  bool before_is_first_ = false;  ///< the first mismatch of all is in that segment
  SegmentCount segments_;
  VerifyResult sum_;
};

void Sum::add(const Segment& segment, const SegmentResult& result) {
  damage(segment.damage_before);
  segments_.begin(segment.number, segment.previous, last_tick_);
  sum_.interrupted = sum_.interrupted || result.given_up;
  last_tick_ = segment.last;
  sum_.gaps += segment.gap_before ? 1U : 0U;
  if (result.no_world) {
    damaged_segment();
  } else {
    compare_keyframe(segment, result);
  }
  sum_.ticks += result.ticks;
  sum_.recovered_ticks += sum_.damages > 0 ? result.ticks : 0;
  sum_.mismatched += result.mismatched;
  before_is_first_ = !sum_.first_mismatch && result.first_mismatch;
  if (before_is_first_) sum_.first_mismatch = result.first_mismatch;
  if (!sum_.unrepeatable) sum_.unrepeatable = result.unrepeatable;
  if (result.impossible) damaged_segment();
  const bool comparable = reached_end(segment, result);
  before_ = comparable ? &segment : nullptr;
  before_result_ = comparable ? &result : nullptr;
}

/// The keyframe after a segment explains the first of the segment's ticks that differs. If none of
/// these ticks differs, a difference is that of the keyframe itself.
void Sum::compare_keyframe(const Segment& segment, const SegmentResult& result) {
  const auto difference = before_ != nullptr ? before_result_->next : std::nullopt;
  const bool diverged = before_ != nullptr && before_result_->first_mismatch;
  if (diverged) {
    if (before_is_first_ && difference) {
      sum_.first_mismatch->compared = segment.keyframe;
      sum_.first_mismatch->what = *difference;
    }
    return;
  }
  const bool in_range = segment.keyframe >= options_.from && segment.keyframe <= options_.to;
  if (!in_range || (!difference && !result.keyframe)) return;
  ++sum_.mismatched;
  if (!sum_.first_mismatch) {
    sum_.first_mismatch = Mismatch{.tick = segment.keyframe,
                                   .compared = segment.keyframe,
                                   .what = difference ? *difference : *result.keyframe};
  }
}

VerifyResult Sum::finish(const Segments& segments) {
  sum_.interrupted = sum_.interrupted || segments.interrupted;
  damage(segments.damage_after);
  if (segments.trailer) {
    sum_.gaps += segments.trailer->gap_before ? 1U : 0U;
    // Segments that were removed look like a gap, and the trailer does not know of it. Of a file
    // that began late the trailer alone knows.
    if (sum_.damages == 0 && sum_.gaps > segments.trailer->gaps) ++sum_.damages;
    sum_.gaps = std::max(sum_.gaps, segments.trailer->gaps);
    segments_.trailer(*segments.trailer, last_tick_);
  }
  segments_.finish();
  sum_.segments_whole = segments_.whole();
  sum_.segments_lost = segments_.lost();
  sum_.complete = segments.trailer && sum_.damages == 0 && sum_.gaps == 0 && !sum_.interrupted;
  sum_.ends_early = segments.ends_early;
  sum_.unfinished = segments.unfinished;
  sum_.last_tick = last_tick_.value_or(Tick{0});
  return sum_;
}

}  // namespace

bool SegmentVerifier::in_range(Tick tick) const {
  return tick >= options_.from && tick <= options_.to;
}

bool SegmentVerifier::gives_up(SegmentResult& result) const {
  result.given_up = decoder_.gave_up() || (options_.stopped && options_.stopped());
  return result.given_up;
}

/// Returns whether the range has the segment's keyframe, one of its ticks or the unfinished tick
/// after it.
bool SegmentVerifier::wanted(const Segment& segment) const {
  return segment.keyframe <= options_.to &&
         (segment.last >= options_.from ||
          (options_.step_unfinished && segment.last + 1 >= options_.from));
}

/// Steps a tick and compares its hash. Fails: false, if the tick is not possible, or if its step
/// was given up: then nothing is compared.
bool SegmentVerifier::take(engine::World& world, const RecordedTick& recorded,
                           SegmentResult& result) {
  if (!decoder_.step(world, recorded)) {
    result.impossible = true;
    return false;
  }
  if (decoder_.gave_up()) {
    result.given_up = true;
    return false;
  }
  const bool is_wanted = in_range(recorded.tick);
  if (is_wanted) ++result.ticks;
  if (!recorded.state_hash) {
    waits_ = waits_ || is_wanted;
    return true;
  }
  if (!std::exchange(waits_, false) && !is_wanted) return true;
  const std::uint64_t hash = engine::state_hash(world);
  if (hash != *recorded.state_hash) {
    ++result.mismatched;
    if (!result.first_mismatch) {
      result.first_mismatch = Mismatch{.tick = recorded.tick,
                                       .compared = recorded.tick,
                                       .what = hash_difference(*recorded.state_hash, hash)};
    }
  }
  return true;
}

/// Steps the second world by the tick that the first was stepped by. Returns whether they are
/// equal, or nothing can be said because the step was stopped.
bool SegmentVerifier::repeat(engine::World& beside, const engine::World& world,
                             const RecordedTick& recorded, SegmentResult& result) {
  const bool is_possible = beside_->step(beside, recorded);
  if (beside_->gave_up() ||
      (is_possible && engine::state_hash(beside) == engine::state_hash(world)))
    return true;
  result.unrepeatable = Mismatch{
      .tick = recorded.tick,
      .compared = recorded.tick,
      .what =
          first_difference(world, beside)
              .value_or(hash_difference(engine::state_hash(world), engine::state_hash(beside)))};
  return false;
}

void SegmentVerifier::step_unfinished(engine::World& world, const RecordedTick& recorded,
                                      SegmentResult& result) {
  if (!options_.step_unfinished || recorded.tick > options_.to) return;
  result.impossible = !decoder_.step_unfinished(world, recorded);
  result.given_up = decoder_.gave_up();
}

SegmentResult SegmentVerifier::verify(const Segment& segment) {
  SegmentResult result;
  waits_ = false;
  if (!wanted(segment)) return result;
  if (gives_up(result)) return result;
  Reader reader = recording_.from_keyframe(segment.offset);
  const Reader::Item first = reader.next();
  TICKBOX_ASSERT(first == Reader::Item::Keyframe);
  auto keyframe = decoder_.begin(reader.world());
  if (!keyframe) {
    result.no_world = true;
    return result;
  }
  auto second = beside_ ? beside_->begin(reader.world()) : std::nullopt;
  engine::World& world = keyframe->world;
  const std::uint64_t hash = engine::state_hash(world);
  if (hash != keyframe->state_hash) {
    result.keyframe = hash_difference(keyframe->state_hash, hash);
  }
  while (reader.offset() < segment.end) {
    const Reader::Item item = reader.next();
    if (item == Reader::Item::Unfinished) {
      step_unfinished(world, reader.unfinished(), result);
      return result;
    }
    TICKBOX_ASSERT(item == Reader::Item::Ticks);
    for (const RecordedTick& recorded : reader.ticks()) {
      // Ticks beyond the range are stepped to the end of a quiet stretch, or to the keyframe that
      // explains a mismatch; no others are.
      if (recorded.tick > options_.to && !waits_ && !result.first_mismatch) return result;
      if (gives_up(result) || !take(world, recorded, result)) return result;
      if (second && !repeat(second->world, world, recorded, result)) second.reset();
    }
  }
  if (segment.continued && reader.next() == Reader::Item::Keyframe) {
    const auto next = decoder_.begin(reader.world());
    if (next) result.next = first_difference(next->world, world);
  }
  return result;
}

VerifyResult add_up(const Segments& segments, std::span<const SegmentResult> results,
                    const VerifyOptions& options) {
  TICKBOX_ASSERT(results.size() == segments.all.size());
  Sum sum{options, segments.first};
  sum.header_damage(segments.header_damage);
  for (std::size_t i = 0; i < results.size(); ++i) {
    sum.add(segments.all[i], results[i]);
  }
  return sum.finish(segments);
}

VerifyResult verify(const Reader& reader, const GameTable& game, const engine::SharedMap& map,
                    const VerifyOptions& options) {
  const Segments segments = segments_of(reader, options.stopped);
  SegmentVerifier verifier{reader, game, map, options};
  std::vector<SegmentResult> results;
  results.reserve(segments.all.size());
  for (const Segment& segment : segments.all) {
    results.push_back(verifier.verify(segment));
    if (options.progress) {
      options.progress(
          static_cast<std::uint32_t>(std::uint64_t{1'000} * results.size() / segments.all.size()));
    }
  }
  return add_up(segments, results, options);
}

}  // namespace tickbox::record
