#include "record/writer.h"

#include "core/assert.h"
#include "core/hash.h"
#include "core/numbers.h"
#include "record/trailer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tickbox::record {
namespace {

/// The most bytes before a tick in its record: its hash and its length.
constexpr std::size_t kEntryHeadBytes = 8 + 5;

}  // namespace

Writer::Writer(ByteSink& sink, const Header& header, const WriterOptions& options)
    : sink_(sink),
      header_(header),
      chain_(header),
      options_(options),
      ticks_per_batch_(std::clamp(header.tick_rate / kBatchesPerSecond, 1U, kTicksPerRecordMax)),
      ticks_per_quiet_(std::min(header.tick_rate * kQuietSeconds, kTicksPerRecordMax)) {
  open();
}

bool Writer::open() {
  const auto header = encode_header(header_);
  std::array<std::byte, kRecordsOffset> copies{};
  for (std::size_t i = 0; i < kFileHeaderCopies; ++i) {
    std::ranges::copy(header, copies.begin() + static_cast<std::ptrdiff_t>(i * kFileHeaderBytes));
  }
  if (!sink_.write(copies)) {
    ++stats_.records_refused;
    return false;
  }
  stats_.bytes += copies.size();
  state_ = State::Broken;
  return true;
}

bool Writer::needs_keyframe() const {
  switch (state_) {
    case State::Unopened:
    case State::Broken:
      return ticks_until_retry_ == 0;
    case State::Recording: {
      const std::uint32_t seconds = segment_is_quiet_ ? kQuietKeyframeSeconds : kKeyframeSeconds;
      const std::uint32_t ticks = header_.tick_rate * seconds;
      return last_tick_ - keyframe_tick_ >= ticks;
    }
    case State::Finished:
      return false;
  }
  return false;
}

/// Reserves memory for a keyframe and a batch, each as long as the options say. `world_bytes`: of
/// the first keyframe; later ones may have twice as many.
void Writer::make_room(std::size_t world_bytes) {
  constexpr std::size_t kFrame = kRecordHeadBytes + kKeyframeFrameBytes + kChecksumBytes;
  constexpr std::size_t kEntryBytesMin = 64;
  const std::size_t world = std::max(2 * world_bytes, options_.keyframe_bytes);
  const std::size_t entry = kEntryHeadBytes + std::max(options_.tick_bytes, kEntryBytesMin);
  const std::size_t batch = std::min(ticks_per_batch_ * entry, kPayloadBytesMax);
  const std::size_t index = kTrailerHeadBytes + kIndexEntriesMax * kIndexEntryBytes;
  record_.reserve(kFrame + std::max({compressed_bytes_max(world), batch, index}));
  if (options_.compression == Compression::Zstd) {
    record_.resize(world);
    std::vector<std::byte> warm_up;
    compressor_.append(record_, warm_up);
  }
  batch_.reserve(batch);
  index_.reserve(kIndexEntriesMax);
}

void Writer::keyframe(Tick tick, ConstBytes world) {
  TICKBOX_ASSERT(state_ != State::Finished);
  TICKBOX_ASSERT(!any_tick_ || tick == last_tick_);
  flush();
  if (!any_tick_) make_room(world.size());
  last_tick_ = tick;
  any_tick_ = true;
  if (state_ == State::Unopened && !open()) {
    ticks_until_retry_ = ticks_per_batch_;
    return;
  }
  begin_record();
  NumberWriter payload{record_};
  payload.fixed((stats_.keyframes > 0 ? keyframe_tick_ : tick).value);
  payload.fixed(static_cast<std::uint32_t>(world.size()));
  if (carries_header(stats_.keyframes)) payload.bytes(encode_header(header_));
  std::uint16_t flags = 0;
  if (options_.compression == Compression::Zstd) {
    compressor_.append(world, record_);
    flags = kFlagCompressed;
  } else {
    payload.bytes(world);
  }
  const std::uint64_t offset = stats_.bytes;
  if (write_record({.type = RecordType::Keyframe,
                    .flags = flags,
                    .tick = tick,
                    .count = stats_.keyframes})) {
    note_place(tick, offset);
    ++stats_.keyframes;
    keyframe_tick_ = tick;
    last_recorded_ = tick;
    state_ = State::Recording;
    segment_is_quiet_ = true;
  }
}

void Writer::tick(const engine::TickEntry& entry) {
  TICKBOX_ASSERT(any_tick_ && entry.tick == last_tick_ + 1);
  const bool fits = batch_.size() + kEntryHeadBytes + entry.bytes.size() <= kPayloadBytesMax;
  if (gathered_ > 0 && (entry.is_quiet != is_quiet_ || !fits)) flush();
  last_tick_ = entry.tick;
  if (state_ != State::Recording) {
    lose_ticks(1);
    ticks_until_retry_ -= std::min(ticks_until_retry_, 1U);
    return;
  }
  is_quiet_ = entry.is_quiet;
  segment_is_quiet_ = segment_is_quiet_ && is_quiet_;
  ++gathered_;
  if (is_quiet_) {
    quiet_hash_ = entry.state_hash;
  } else {
    NumberWriter batch{batch_};
    batch.fixed(entry.state_hash);
    batch.number(static_cast<std::uint32_t>(entry.bytes.size()));
    batch.bytes(entry.bytes);
  }
  if (gathered_ == (is_quiet_ ? ticks_per_quiet_ : ticks_per_batch_)) flush();
}

void Writer::quiet(Tick last, std::uint64_t state_hash) {
  TICKBOX_ASSERT(any_tick_ && last > last_tick_);
  flush();
  const std::uint32_t count = last.value - last_tick_.value;
  TICKBOX_ASSERT(count <= kTicksPerRecordMax);
  last_tick_ = last;
  if (state_ != State::Recording) {
    lose_ticks(count);
    ticks_until_retry_ -= std::min(ticks_until_retry_, count);
    return;
  }
  is_quiet_ = true;
  quiet_hash_ = state_hash;
  gathered_ = count;
  flush();
}

void Writer::flush() {
  if (gathered_ == 0) return;
  const std::uint32_t count = std::exchange(gathered_, 0U);
  begin_record();
  NumberWriter payload{record_};
  if (is_quiet_) {
    payload.fixed(quiet_hash_);
  } else {
    payload.bytes(batch_);
  }
  batch_.clear();
  if (write_record({.type = is_quiet_ ? RecordType::Quiet : RecordType::Ticks,
                    .tick = {last_tick_.value - count + 1},
                    .count = count})) {
    stats_.ticks_recorded += count;
    last_recorded_ = last_tick_;
  } else {
    lose_ticks(count);
  }
}

void Writer::lose_ticks(std::uint32_t count) {
  stats_.ticks_lost += count;
  if (!gap_) {
    ++stats_.gaps;
    gap_ = true;
  }
}

void Writer::lose(Tick last) {
  TICKBOX_ASSERT(state_ != State::Finished);
  TICKBOX_ASSERT(any_tick_ && last > last_tick_);
  flush();
  lose_ticks(last.value - last_tick_.value);
  last_tick_ = last;
  if (state_ == State::Recording) {
    state_ = State::Broken;
    ticks_until_retry_ = 0;
  }
}

bool Writer::unfinished(Tick tick, ConstBytes bytes) {
  TICKBOX_ASSERT(state_ != State::Finished);
  TICKBOX_ASSERT(any_tick_ && tick == last_tick_ + 1);
  flush();
  bool written = false;
  if (state_ == State::Recording) {
    begin_record();
    NumberWriter{record_}.bytes(bytes);
    written = write_record({.type = RecordType::Unfinished, .tick = tick, .count = 1});
  }
  state_ = State::Finished;
  return written;
}

/// Adds every index_stride_-th place to the index. A full index drops every second place and
/// doubles the stride.
void Writer::note_place(Tick tick, std::uint64_t offset) {
  if (stats_.keyframes % index_stride_ != 0) return;
  index_.push_back({.offset = offset, .tick = tick, .segment = stats_.keyframes});
  if (index_.size() < kIndexEntriesMax) return;
  index_stride_ *= 2;
  std::erase_if(index_,
                [this](const KeyframePlace& place) { return place.segment % index_stride_ != 0; });
}

bool Writer::finish() {
  TICKBOX_ASSERT(state_ != State::Finished);
  flush();
  bool written = false;
  if (state_ != State::Unopened) {
    begin_record();
    NumberWriter payload{record_};
    encode_trailer({.last_keyframe = keyframe_tick_,
                    .ticks = static_cast<std::uint32_t>(stats_.ticks_recorded),
                    .gaps = stats_.gaps,
                    .index = std::move(index_)},
                   payload);
    written = write_record(
        {.type = RecordType::Trailer, .tick = last_recorded_, .count = stats_.keyframes});
  }
  state_ = State::Finished;
  return written;
}

/// Begins a record with space for its head; the caller then appends the payload to record_.
void Writer::begin_record() {
  record_.assign(kRecordHeadBytes, std::byte{0});
}

/// Adds head and checksum to the payload in record_, and writes the record to the sink in one call.
bool Writer::write_record(RecordHead head) {
  head.payload_bytes = static_cast<std::uint32_t>(record_.size() - kRecordHeadBytes);
  TICKBOX_ASSERT(head.payload_bytes <= kPayloadBytesMax);
  if (gap_) head.flags = static_cast<std::uint16_t>(head.flags | kFlagGapBefore);
  store_head(record_, head);
  const std::uint64_t previous = head.type == RecordType::Keyframe ? 0 : checksum_;
  const std::uint64_t checksum = hash_bytes(record_, chain_.seed_after(previous));
  NumberWriter{record_}.fixed(checksum);
  if (!sink_.write(record_)) {
    ++stats_.records_refused;
    state_ = State::Broken;
    ticks_until_retry_ = ticks_per_batch_;
    return false;
  }
  ++stats_.records;
  stats_.bytes += record_.size();
  checksum_ = checksum;
  gap_ = false;
  return true;
}

}  // namespace tickbox::record
