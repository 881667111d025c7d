#include "record/viewing.h"

#include "core/assert.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tickbox::record {

Viewing::Viewing(engine::Games games, std::function<bool()> stopped)
    : games_(games), stopped_(std::move(stopped)), options_{.stopped = stopped_} {}

MutableBytes Viewing::reserve(std::size_t count) {
  if (has_ended_ || count > kLogBytesMax - size_) return {};
  if (count > bytes_.size() - size_) {
    const std::size_t size = std::min(kLogBytesMax, std::max(size_ + count, 2 * size_));
    bytes_.reserve(size);
    bytes_.resize(size);
    read_moved_bytes(0);
  }
  return MutableBytes{bytes_}.subspan(size_, count);
}

void Viewing::append(std::size_t count) {
  TICKBOX_ASSERT(count <= bytes_.size() - size_);
  size_ += count;
}

bool Viewing::append(ConstBytes bytes) {
  const MutableBytes space = reserve(bytes.size());
  if (space.size() != bytes.size()) return false;
  std::ranges::copy(bytes, space.begin());
  append(bytes.size());
  return true;
}

void Viewing::end() {
  has_ended_ = true;
}

bool Viewing::read() {
  if (refusal_) return false;
  if (!index_ && !open()) return !refusal_;
  grow(*index_, 0);
  grow(verifier_->reader(), 0);
  if (shown_) grow(shown_->reader(), 0);
  Reader::Item item{};
  do {
    item = index_->next();
    segments_.add(item, *index_);
  } while (item != Reader::Item::Waiting && item != Reader::Item::Finished);
  return true;
}

/// Lets a reader go on with all bytes that are here.
void Viewing::grow(Reader& reader, std::size_t dropped) const {
  reader.grow(log(), dropped);
  if (has_ended_) reader.end_growth();
}

/// Opens the log. Returns false if its header is not here yet, or if it is refused.
bool Viewing::open() {
  const ConstBytes begin = has_ended_ ? log() : log().first(std::min(size_, kRecordsOffset));
  auto reader = Reader::open(begin);
  if (!reader) {
    const bool may_follow = !has_ended_ && reader.error() == RecordError::HeaderCut;
    return !may_follow && refuse({.build = {}, .words = describe(reader.error(), begin)});
  }
  const Header& header = reader->header();
  auto on_map =
      engine::find_game_on_map(games_, identity_of(header), header.tick_rate, "the recording");
  index_ = *std::move(reader);
  if (!on_map) {
    return refuse({.build = on_map.error().what, .words = std::move(on_map.error().words)});
  }
  on_map_ = *std::move(on_map);
  verifier_.emplace(*index_, game(), on_map_.map, options_);
  return true;
}

bool Viewing::refuse(LogRefusal refusal) {
  refusal_ = std::move(refusal);
  return false;
}

/// Lets the readers go on with bytes that are elsewhere in memory. What is shown has ticks that
/// point into the bytes before, so it is sought again.
void Viewing::read_moved_bytes(std::size_t dropped) {
  if (!is_open()) return;
  grow(*index_, dropped);
  grow(verifier_->reader(), dropped);
  if (!std::exchange(shown_, std::nullopt)) return;
  seek(at_);
}

void Viewing::remove_before(Tick tick) {
  auto& all = segments_.all;
  std::size_t count = 0;
  while (count + 1 < all.size() && all[count].last < tick &&
         all[count + 1].offset <= verifier_->reader().offset()) {
    ++count;
  }
  if (count == 0) return;
  const std::size_t dropped = all[count].offset - kRecordsOffset;
  // The header stays, so that a log is always one that can be read.
  const auto records = bytes_.begin() + static_cast<std::ptrdiff_t>(kRecordsOffset);
  bytes_.erase(records, records + static_cast<std::ptrdiff_t>(dropped));
  size_ -= dropped;
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  for (Segment& segment : all) {
    segment.offset -= dropped;
    segment.end -= dropped;
  }
  read_moved_bytes(dropped);
}

bool Viewing::seek(Tick tick) {
  const auto& all = segments_.all;
  if (all.empty()) return false;
  const auto after = std::ranges::upper_bound(all, tick, {}, &Segment::keyframe);
  const auto segment = after == all.begin() ? after : std::prev(after);
  const Tick target = std::clamp(tick, segment->keyframe, segment->last);
  if (world() != nullptr && world()->tick == target) return true;
  // A keyframe does not tell the events of its tick. So it is stepped to, if it can be; a segment
  // may have no tick.
  auto from = segment;
  while (target == from->keyframe && from != all.begin() && std::prev(from)->continued) {
    --from;
  }
  const bool steps_on =
      world() != nullptr && world()->tick >= from->keyframe && world()->tick < target;
  if (!steps_on) {
    shown_.emplace(index_->from_keyframe(from->offset), game(), on_map_.map);
    shown_->stop_when(stopped_);
  }
  bool is_stopped = false;
  while (!is_stopped && (world() == nullptr || world()->tick < target) && shown_->next()) {
    is_stopped = stopped();
  }
  if (world() != nullptr) at_ = world()->tick;
  return world() != nullptr && (!is_stopped || world()->tick >= target);
}

bool Viewing::step() {
  if (!shown_ || shown_->gave_up()) return seek(at_ + (shown_ ? 1 : 0));
  if (!stopped() && shown_->next()) {
    at_ = world()->tick;
    return true;
  }
  // Damage behind the last tick: the tick before it stays.
  if (world() == nullptr && !shown_->gave_up()) seek(at_);
  return false;
}

const engine::World* Viewing::world() const {
  return shown_ && shown_->has_world() ? &shown_->world() : nullptr;
}

const engine::TickReport* Viewing::report() const {
  return world() != nullptr ? shown_->report() : nullptr;
}

bool Viewing::verify() {
  if (!verifier_) return false;
  const Reader::Item item = verifier_->next();
  return item != Reader::Item::Waiting && item != Reader::Item::Finished;
}

VerifyResult Viewing::verdict() const {
  return verifier_ ? verifier_->result() : VerifyResult{};
}

}  // namespace tickbox::record
