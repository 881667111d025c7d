#include "record/verify.h"

#include "core/assert.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tickbox::record {

SegmentVerifier::SegmentVerifier(const GameTable& game, const engine::SharedMap& map,
                                 std::uint32_t tick_rate, const VerifyOptions& options)
    : options_(options), decoder_(game, map, tick_rate) {
  decoder_.stop_when(options.stopped);
  if (!options.twice) return;
  beside_.emplace(game, map, tick_rate);
  beside_->stop_when(options.stopped);
}

bool SegmentVerifier::gives_up() {
  result_.given_up = decoder_.gave_up() || (options_.stopped && options_.stopped());
  return result_.given_up;
}

void SegmentVerifier::begin(const Reader& reader) {
  result_ = {};
  waits_ = false;
  world_.reset();
  second_.reset();
  if (gives_up()) return;
  auto keyframe = decoder_.begin(reader.world());
  result_.no_world = !keyframe;
  if (!keyframe) return;
  const std::uint64_t hash = engine::state_hash(keyframe->world);
  if (hash != keyframe->state_hash) {
    result_.keyframe = hash_difference(keyframe->state_hash, hash);
  }
  world_.emplace(std::move(keyframe->world));
  if (beside_) second_.emplace(beside_->begin(reader.world())->world);
}

void SegmentVerifier::verify(Reader::Item item, const Reader& reader) {
  if (item == Reader::Item::Unfinished) {
    if (world_ && !gives_up()) step_unfinished(reader.unfinished());
    world_.reset();
    return;
  }
  for (const EncodedTick& recorded : reader.ticks()) {
    if (!world_) return;
    // Ticks beyond the range are stepped to the end of a quiet stretch, or to the keyframe that
    // explains a mismatch; no others are.
    const bool is_needed = recorded.tick <= options_.to || waits_ || result_.first_mismatch;
    if (!is_needed || gives_up() || !step(recorded)) {
      world_.reset();
      return;
    }
    if (second_) repeat(recorded);
  }
}

/// Steps a tick and compares its hash. Fails: false, if the tick is not possible, or if its step
/// was given up: then nothing is compared.
bool SegmentVerifier::step(const EncodedTick& recorded) {
  result_.impossible = !decoder_.step(*world_, recorded);
  result_.given_up = decoder_.gave_up();
  if (result_.impossible || result_.given_up) return false;
  if (is_wanted(recorded.tick)) {
    ++result_.ticks;
    waits_ = true;
  }
  if (!recorded.state_hash || !std::exchange(waits_, false)) return true;
  const std::uint64_t hash = engine::state_hash(*world_);
  if (hash == *recorded.state_hash) return true;
  ++result_.mismatched;
  if (!result_.first_mismatch) {
    result_.first_mismatch = Mismatch{.tick = recorded.tick,
                                      .compared = recorded.tick,
                                      .what = hash_difference(*recorded.state_hash, hash)};
  }
  return true;
}

/// Steps the second world by the tick that the first was stepped by. If the step was stopped,
/// nothing can be said.
void SegmentVerifier::repeat(const EncodedTick& recorded) {
  const bool is_possible = beside_->step(*second_, recorded);
  if (beside_->gave_up() ||
      (is_possible && engine::state_hash(*second_) == engine::state_hash(*world_))) {
    return;
  }
  result_.unrepeatable = Mismatch{.tick = recorded.tick,
                                  .compared = recorded.tick,
                                  .what = difference_or_hashes(*world_, *second_)};
  second_.reset();
}

void SegmentVerifier::step_unfinished(const EncodedTick& recorded) {
  if (!options_.step_unfinished || recorded.tick > options_.to) return;
  result_.impossible = !decoder_.step_unfinished(*world_, recorded);
  result_.given_up = decoder_.gave_up();
}

void SegmentVerifier::compare_next(const Reader& reader) {
  if (!world_) return;
  if (const auto next = decoder_.begin(reader.world())) {
    result_.at_next_keyframe = first_difference(next->world, *world_);
  }
}

/// Returns whether the range has the segment's keyframe, one of its ticks or the unfinished tick
/// after it.
bool SegmentVerifier::is_wanted(const Segment& segment) const {
  return segment.keyframe <= options_.to &&
         (segment.last >= options_.from ||
          (options_.step_unfinished && segment.last + 1 >= options_.from));
}

SegmentResult SegmentVerifier::verify(const Reader& recording, const Segment& segment) {
  if (!is_wanted(segment)) return {};
  Reader reader = recording.from_keyframe(segment.offset);
  const Reader::Item first = reader.next();
  TICKBOX_ASSERT(first == Reader::Item::Keyframe);
  begin(reader);
  while (world_ && reader.offset() < segment.end) {
    const Reader::Item item = reader.next();
    verify(item, reader);
  }
  if (world_ && segment.continued && reader.next() == Reader::Item::Keyframe) compare_next(reader);
  return result_;
}

void VerifySum::add(const Segment& segment, const SegmentResult& result) {
  const bool is_lost = !segment.is_whole || result.no_world || result.impossible;
  ++(is_lost ? sum_.segments_lost : sum_.segments_whole);
  sum_.interrupted = sum_.interrupted || result.given_up;
  sum_.last_tick = segment.last;
  sum_.damages += result.no_world ? 1U : 0U;
  compare_keyframe(segment, result);
  sum_.ticks += result.ticks;
  sum_.recovered_ticks += segment.damage_before || sum_.damages > 0 ? result.ticks : 0;
  sum_.damages += result.impossible ? 1U : 0U;
  sum_.mismatched += result.mismatched;
  const bool is_comparable = segment.continued && !is_lost && !result.given_up;
  differs_ = is_comparable && result.first_mismatch;
  at_next_keyframe_ = is_comparable ? result.at_next_keyframe : std::nullopt;
  has_first_ = !sum_.first_mismatch && result.first_mismatch;
  if (has_first_) sum_.first_mismatch = result.first_mismatch;
  if (!sum_.unrepeatable) sum_.unrepeatable = result.unrepeatable;
}

/// The keyframe after a segment explains the first of the segment's ticks that differs. If none of
/// these ticks differs, a difference is that of the keyframe itself.
void VerifySum::compare_keyframe(const Segment& segment, const SegmentResult& result) {
  if (result.no_world) return;
  if (differs_) {
    if (has_first_ && at_next_keyframe_) {
      sum_.first_mismatch->compared = segment.keyframe;
      sum_.first_mismatch->what = *at_next_keyframe_;
    }
    return;
  }
  const bool is_wanted = segment.keyframe >= from_ && segment.keyframe <= to_;
  if (!is_wanted || (!at_next_keyframe_ && !result.keyframe)) return;
  ++sum_.mismatched;
  if (!sum_.first_mismatch) {
    sum_.first_mismatch =
        Mismatch{.tick = segment.keyframe,
                 .compared = segment.keyframe,
                 .what = at_next_keyframe_ ? *at_next_keyframe_ : *result.keyframe};
  }
}

VerifyResult VerifySum::result(const Segments& segments) const {
  VerifyResult sum = sum_;
  sum.damages += segments.damages;
  sum.segments_lost += segments.missing;
  sum.interrupted = sum.interrupted || segments.interrupted;
  sum.gaps = segments.gaps;
  sum.complete = segments.trailer && sum.damages == 0 && sum.gaps == 0 && !sum.interrupted;
  sum.ends_early = segments.ends_early;
  sum.unfinished = segments.unfinished;
  return sum;
}

VerifyResult verify(const Reader& reader, const GameTable& game, const engine::SharedMap& map,
                    const VerifyOptions& options) {
  const Segments segments = segments_of(reader, options.stopped);
  SegmentVerifier verifier{game, map, reader.header().tick_rate, options};
  VerifySum sum{options};
  for (std::size_t i = 0; i < segments.all.size(); ++i) {
    sum.add(segments.all[i], verifier.verify(reader, segments.all[i]));
    if (options.progress) {
      options.progress(
          static_cast<std::uint32_t>(std::uint64_t{1'000} * (i + 1) / segments.all.size()));
    }
  }
  return sum.result(segments);
}

void LiveVerifier::verify(Reader::Item item, const Reader& reader) {
  segments_.add(item, reader);
  if (item == Reader::Item::Ticks || item == Reader::Item::Unfinished) {
    return verifier_.verify(item, reader);
  }
  if (item != Reader::Item::Keyframe) return;
  if (segments_.all.size() > 1) {
    const Segment& before = segments_.all.front();
    if (before.continued) verifier_.compare_next(reader);
    sum_.add(before, verifier_.result());
    segments_.all.erase(segments_.all.begin());
  }
  verifier_.begin(reader);
}

VerifyResult LiveVerifier::result() const {
  VerifySum sum = sum_;
  if (!segments_.all.empty()) sum.add(segments_.all.back(), verifier_.result());
  return sum.result(segments_);
}

}  // namespace tickbox::record
