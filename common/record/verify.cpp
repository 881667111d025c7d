#include "record/verify.h"

#include "core/assert.h"
#include "core/text.h"

#include <utility>

namespace tickbox::record {
namespace {

using Item = Reader::Item;

Mismatch mismatch_at(Tick tick, Difference&& what) {
  return {.tick = tick, .compared = tick, .what = std::move(what)};
}

/// Returns the difference of the hash that a keyframe names from that of its world.
std::optional<Difference> wrong_hash(const engine::Keyframe& keyframe) {
  const std::uint64_t hash = engine::state_hash(keyframe.world);
  if (hash == keyframe.state_hash) return std::nullopt;
  return hash_difference(keyframe.state_hash, hash);
}

}  // namespace

std::optional<Difference> first_difference(const engine::World& expected,
                                           const engine::World& got) {
  auto found = engine::compare_worlds(expected, got);
  if (!found) return std::nullopt;
  engine::FieldDifference& first = found->first_fields.front();
  return Difference{.entity = found->entity,
                    .subject = std::move(found->subject),
                    .field = std::move(first.field),
                    .expected = std::move(first.expected),
                    .got = std::move(first.got)};
}

Difference difference_or_hashes(const engine::World& expected, const engine::World& got) {
  auto first = first_difference(expected, got);
  return first ? *std::move(first)
               : hash_difference(engine::state_hash(expected), engine::state_hash(got));
}

Difference hash_difference(std::uint64_t expected, std::uint64_t got) {
  return {.entity = std::nullopt,
          .subject = {},
          .field = "state_hash",
          .expected = hash_text(expected),
          .got = hash_text(got)};
}

SegmentVerifier::SegmentVerifier(const Reader& recording, const GameTable& game,
                                 const engine::SharedMap& map, const VerifyOptions& options)
    : options_(options), replayer_(recording, game, map) {
  replayer_.stop_when(options.stopped);
  stop_when(options.stopped, beside_);
}

bool SegmentVerifier::gives_up() {
  result_.given_up = replayer_.gave_up() || (options_.stopped && options_.stopped());
  return result_.given_up;
}

SegmentResult SegmentVerifier::verify(const Segment& segment) {
  if (!is_wanted(segment)) return {};
  replayer_.restart(replayer_.reader().from_keyframe(segment.offset));
  Item item = replayer_.read();
  TICKBOX_ASSERT(item == Item::Keyframe);
  begin();
  while (replayer_.has_world()) {
    item = replayer_.read();
    if (item == Item::Keyframe) compare_keyframe();
    if (item == Item::Unfinished) step_unfinished();
    if (item != Item::Ticks) break;
    step_ticks();
  }
  return result_;
}

/// Returns whether the range has the segment's keyframe, one of its ticks or the unfinished tick
/// after it.
bool SegmentVerifier::is_wanted(const Segment& segment) const {
  return segment.keyframe <= options_.to &&
         (segment.last >= options_.from ||
          (options_.step_unfinished && segment.last + 1 >= options_.from));
}

void SegmentVerifier::begin() {
  result_ = {};
  waits_ = false;
  second_.reset();
  if (gives_up()) return replayer_.leave_segment();
  const engine::Keyframe* const keyframe = replayer_.keyframe();
  result_.no_world = keyframe == nullptr;
  if (result_.no_world) return;
  const Tick tick = keyframe->world.tick;
  auto wrong = wrong_hash(*keyframe);
  if (wrong && is_wanted(tick)) result_.keyframe = mismatch_at(tick, *std::move(wrong));
  if (options_.twice) second_.emplace(keyframe->world);
}

void SegmentVerifier::step_ticks() {
  while (const EncodedTick* const recorded = replayer_.upcoming()) {
    // Ticks beyond the range are stepped to the end of a quiet stretch, or to the keyframe that
    // explains a mismatch; no others are.
    const bool is_needed = recorded->tick <= options_.to || waits_ || result_.first_mismatch;
    if (!is_needed || gives_up() || !step()) return replayer_.leave_segment();
    compare(*recorded);
    if (second_) repeat(recorded->tick);
  }
}

void SegmentVerifier::step_unfinished() {
  const EncodedTick* const requested = replayer_.upcoming();
  if (requested != nullptr && !gives_up() && options_.step_unfinished &&
      requested->tick <= options_.to) {
    (void)step();
  }
  replayer_.leave_segment();
}

/// Steps the next tick. Fails: false, if it is not possible, or if its step was given up.
bool SegmentVerifier::step() {
  if (replayer_.step()) return true;
  result_.impossible = replayer_.is_impossible();
  result_.given_up = replayer_.gave_up();
  return false;
}

void SegmentVerifier::compare(const EncodedTick& recorded) {
  if (is_wanted(recorded.tick)) {
    ++result_.ticks;
    waits_ = true;
  }
  if (!recorded.state_hash || !std::exchange(waits_, false)) return;
  const std::uint64_t hash = replayer_.hash();
  if (hash != *recorded.state_hash) {
    count(recorded.tick, hash_difference(*recorded.state_hash, hash));
  }
}

void SegmentVerifier::count(Tick tick, Difference&& what) {
  ++result_.mismatched;
  if (!result_.first_mismatch) result_.first_mismatch = mismatch_at(tick, std::move(what));
}

/// Steps the second world by the tick that the first was stepped by. If the step was stopped,
/// nothing can be said.
void SegmentVerifier::repeat(Tick tick) {
  const engine::TickRecord& record = replayer_.entered()->record;
  const bool is_possible = engine::is_valid(*second_, record);
  if (is_possible) beside_.replay(*second_, record);
  if (beside_.gave_up() ||
      (is_possible && engine::state_hash(*second_) == engine::state_hash(replayer_.world()))) {
    return;
  }
  result_.unrepeatable = mismatch_at(tick, difference_or_hashes(replayer_.world(), *second_));
  second_.reset();
}

/// The keyframe after a segment explains the first of the segment's ticks that differs. If none of
/// these ticks differs, a difference is that of the keyframe itself.
void SegmentVerifier::compare_keyframe() {
  if (!replayer_.continues()) return;
  result_.has_compared_next = true;
  const engine::Keyframe& keyframe = *replayer_.keyframe();
  const Tick tick = keyframe.world.tick;
  auto what = first_difference(keyframe.world, replayer_.world());
  if (result_.first_mismatch) {
    if (!what) return;
    result_.first_mismatch->compared = tick;
    result_.first_mismatch->what = *std::move(what);
    return;
  }
  if (!what) what = wrong_hash(keyframe);
  if (what && is_wanted(tick)) count(tick, *std::move(what));
}

void VerifySum::add(const Segment& segment, const SegmentResult& result) {
  const bool is_lost = !segment.is_whole || result.no_world || result.impossible;
  ++(is_lost ? sum_.segments_lost : sum_.segments_whole);
  sum_.interrupted = sum_.interrupted || result.given_up;
  sum_.last_tick = segment.last;
  sum_.damages += result.no_world ? 1U : 0U;
  sum_.ticks += result.ticks;
  sum_.recovered_ticks += segment.damage_before || sum_.damages > 0 ? result.ticks : 0;
  sum_.damages += result.impossible ? 1U : 0U;
  // The segment before has compared this one's keyframe, if its ticks lead to it.
  const bool is_keyframe_wrong = result.keyframe && !has_compared_next_;
  sum_.mismatched += result.mismatched + (is_keyframe_wrong ? 1U : 0U);
  if (!sum_.first_mismatch) {
    sum_.first_mismatch = is_keyframe_wrong ? result.keyframe : result.first_mismatch;
  }
  if (!sum_.unrepeatable) sum_.unrepeatable = result.unrepeatable;
  has_compared_next_ = result.has_compared_next;
}

VerifyResult VerifySum::result(const Segments& segments) const {
  VerifyResult sum = sum_;
  sum.damages += segments.damages;
  sum.segments_lost += segments.missing;
  sum.interrupted = sum.interrupted || segments.interrupted;
  sum.gaps = segments.gaps;
  sum.complete = segments.is_complete() && sum.damages == 0 && !sum.interrupted;
  sum.ends_early = segments.ends_early;
  sum.unfinished = segments.unfinished;
  return sum;
}

SharedVerification::SharedVerification(const Reader& recording, const GameTable& game,
                                       const engine::SharedMap& map, const VerifyOptions& options)
    : recording_(recording),
      game_(game),
      map_(map),
      options_(options),
      segments_(segments_of(recording, options.stopped)),
      results_(segments_.all.size()) {}

void SharedVerification::work(const std::function<void(std::uint32_t)>& progress) {
  SegmentVerifier verifier{recording_, game_, map_, options_};
  for (std::size_t i = next_++; i < results_.size(); i = next_++) {
    results_[i] = verifier.verify(segments_.all[i]);
    const std::uint64_t done = ++done_;
    if (progress) progress(static_cast<std::uint32_t>(1'000 * done / results_.size()));
  }
}

VerifyResult SharedVerification::result() const {
  VerifySum sum;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    sum.add(segments_.all[i], results_[i]);
  }
  return sum.result(segments_);
}

VerifyResult verify(const Reader& reader, const GameTable& game, const engine::SharedMap& map,
                    const VerifyOptions& options) {
  SharedVerification all{reader, game, map, options};
  all.work(options.progress);
  return all.result();
}

Item LiveVerifier::next() {
  const Item item = verifier_.replayer().read();
  if (item == Item::Waiting) return item;
  segments_.add(item, reader());
  if (item == Item::Ticks) verifier_.step_ticks();
  if (item == Item::Unfinished) verifier_.step_unfinished();
  if (item != Item::Keyframe) return item;
  if (segments_.all.size() > 1) {
    verifier_.compare_keyframe();
    sum_.add(segments_.all.front(), verifier_.result());
    segments_.all.erase(segments_.all.begin());
  }
  verifier_.begin();
  return item;
}

VerifyResult LiveVerifier::result() const {
  VerifySum sum = sum_;
  if (!segments_.all.empty()) sum.add(segments_.all.back(), verifier_.result());
  return sum.result(segments_);
}

}  // namespace tickbox::record
