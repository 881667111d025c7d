#include "record/room_log.h"

#include "core/assert.h"
#include "core/hash.h"
#include "core/numbers.h"

#include <algorithm>
#include <utility>

namespace tickbox::record {
namespace {

/// The most bytes before a tick in its record: its hash and its length.
constexpr std::size_t kEntryHeadBytes = 8 + 5;

/// Begins a record with space for its head; the caller then appends the payload.
void begin_record(std::vector<std::byte>& record) {
  record.assign(kRecordHeadBytes, std::byte{0});
}

/// Returns the type of the record that has a tick.
RecordType type_of(const engine::EncodedTick& entry) {
  if (entry.is_idle) return RecordType::Idle;
  return entry.is_quiet ? RecordType::Quiet : RecordType::Ticks;
}

}  // namespace

RoomLog::RoomLog(const Header& header, const RoomLogOptions& options)
    : header_(without_file(header)),
      header_bytes_(encode_header(header_)),
      chain_(header),
      options_(options),
      ticks_per_batch_(std::clamp(header.tick_rate / kBatchesPerSecond, 1U, kTicksPerRecordMax)),
      ticks_per_quiet_(std::min(header.tick_rate * kQuietSeconds, kTicksPerRecordMax)) {}

bool RoomLog::is_asked() const {
  const bool is_early = asked_ && last_tick_ - *asked_ < header_.tick_rate;
  return !is_early && std::ranges::any_of(sinks_, &Sink::wants_segment);
}

bool RoomLog::needs_keyframe() const {
  if (!any_segment_) return true;
  const std::uint32_t seconds = segment_is_quiet_ ? kQuietKeyframeSeconds : kKeyframeSeconds;
  return last_tick_ - keyframe_tick_ >= std::int64_t{header_.tick_rate} * seconds || is_asked();
}

/// Reserves memory for a keyframe and a batch, each as long as the options say. `world_bytes`: of
/// the first keyframe; later ones may have twice as many.
void RoomLog::reserve(std::size_t world_bytes) {
  constexpr std::size_t kFrame = kRecordHeadBytes + kKeyframeFrameBytes + kChecksumBytes;
  const std::size_t world =
      std::min(std::max(2 * world_bytes, options_.keyframe_bytes), kPayloadBytesMax - kFrame);
  const std::size_t entry = kEntryHeadBytes + options_.tick_bytes;
  const std::size_t batch = std::min(ticks_per_batch_ * entry, kPayloadBytesMax);
  record_.reserve(kFrame + std::max(compressed_bytes_max(world), batch));
  if (options_.compression == Compression::Zstd) {
    record_.resize(world);
    std::vector<std::byte> warm_up;
    compressor_.append(record_, warm_up);
  }
  batch_.reserve(batch);
}

void RoomLog::keyframe(Tick tick, ConstBytes world) {
  TICKBOX_ASSERT(!any_segment_ || tick == last_tick_);
  flush();
  if (any_segment_) {
    const bool asked = is_asked();
    if (asked) asked_ = tick;
    segment_ += asked ? 2 : 1;
  } else {
    reserve(world.size());
  }
  begin_record(record_);
  NumberWriter payload{record_};
  payload.fixed((any_segment_ ? keyframe_tick_ : tick).value);
  payload.fixed(static_cast<std::uint32_t>(world.size()));
  payload.bytes(header_bytes_);
  std::uint16_t flags = 0;
  if (options_.compression == Compression::Zstd) {
    compressor_.append(world, record_);
    flags = kFlagCompressed;
  } else {
    payload.bytes(world);
  }
  any_segment_ = true;
  last_tick_ = tick;
  keyframe_tick_ = tick;
  segment_is_quiet_ = true;
  pass({.type = RecordType::Keyframe, .flags = flags, .tick = tick, .count = segment_});
}

void RoomLog::tick(const engine::EncodedTick& entry) {
  TICKBOX_ASSERT(any_segment_ && entry.tick == last_tick_ + 1);
  TICKBOX_ASSERT(entry.state_hash || entry.is_idle);
  const bool fits = batch_.size() + kEntryHeadBytes + entry.bytes.size() <= kPayloadBytesMax;
  const RecordType type = type_of(entry);
  if (gathered_ > 0 && (type != gathers_ || !fits)) {
    TICKBOX_ASSERT(gathers_ != RecordType::Idle || stretch_hash_);
    flush();
  }
  last_tick_ = entry.tick;
  gathers_ = type;
  stretch_hash_ = entry.state_hash;
  const bool is_stretch = type != RecordType::Ticks;
  segment_is_quiet_ = segment_is_quiet_ && is_stretch;
  ++gathered_;
  if (!is_stretch) {
    NumberWriter batch{batch_};
    batch.fixed(*entry.state_hash);
    batch.number(static_cast<std::uint32_t>(entry.bytes.size()));
    batch.bytes(entry.bytes);
  }
  if (gathered_ == (is_stretch ? ticks_per_quiet_ : ticks_per_batch_)) flush();
}

void RoomLog::end_idle() {
  if (gathers_ == RecordType::Idle) flush();
}

RecordHead RoomLog::gathered_head() const {
  return {.type = gathers_, .tick = {last_tick_.value - gathered_ + 1}, .count = gathered_};
}

void RoomLog::frame_gathered(std::vector<std::byte>& record) const {
  begin_record(record);
  NumberWriter payload{record};
  if (gathers_ == RecordType::Ticks) {
    payload.bytes(batch_);
  } else {
    payload.fixed(stretch_hash_ ? *stretch_hash_ : options_.present_hash());
  }
}

void RoomLog::flush() {
  if (gathered_ == 0) return;
  frame_gathered(record_);
  const RecordHead head = gathered_head();
  batch_.clear();
  gathered_ = 0;  // a sink that runs out of memory ends the process: pass_rest() must not repeat it
  pass(head);
}

void RoomLog::match_ended() {
  for (Sink* sink : sinks_) {
    sink->match_ended();
  }
}

void RoomLog::pass_rest(Sink& sink, std::optional<ConstBytes> unfinished) const {
  TICKBOX_ASSERT(any_segment_);
  std::vector<std::byte> record;
  std::uint64_t checksum = checksum_;
  if (gathered_ > 0) {
    frame_gathered(record);
    const LogRecord ticks = seal(gathered_head(), chain_.seed_after(checksum), record);
    checksum = checksum_of(ticks.bytes);
    sink.append(ticks);
  }
  if (!unfinished) return;
  begin_record(record);
  NumberWriter{record}.bytes(*unfinished);
  sink.append(seal({.type = RecordType::Unfinished, .tick = last_tick_ + 1, .count = 1},
                   chain_.seed_after(checksum), record));
}

/// Passes the payload in record_ to all sinks as a record.
void RoomLog::pass(RecordHead head) {
  const std::uint64_t previous = head.type == RecordType::Keyframe ? 0 : checksum_;
  const LogRecord record = seal(head, chain_.seed_after(previous), record_);
  checksum_ = checksum_of(record.bytes);
  for (Sink* sink : sinks_) {
    sink->append(record);
  }
}

void LogFileStats::add(const LogFileStats& other) {
  bytes += other.bytes;
  records_refused += other.records_refused;
  ticks_recorded += other.ticks_recorded;
  ticks_lost += other.ticks_lost;
  keyframes += other.keyframes;
  gaps += other.gaps;
}

LogFile::LogFile(ByteSink& sink, const Header& header)
    : sink_(sink), header_(header), chain_(header) {}

void LogFile::append(const LogRecord& record) {
  TICKBOX_ASSERT(state_ != State::Finished);
  switch (record.head.type) {
    case RecordType::Keyframe:
      return keyframe(record);
    case RecordType::Ticks:
    case RecordType::Quiet:
    case RecordType::Idle:
      return ticks(record);
    case RecordType::Unfinished:
      if (state_ == State::Recording) has_end_ = write(record.bytes);
      return;
    case RecordType::Trailer:
      return;
  }
}

/// Begins a segment. After a loss the number must show that something is missing.
void LogFile::keyframe(const LogRecord& record) {
  const RecordHead& head = record.head;
  if (state_ == State::Broken && is_open_ && head.count == segment_ + 1) return;
  if (is_open_ ? !write(record.bytes) : !open(record)) return;
  if (stats_.keyframes > 0 && head.tick > last_tick_ && !has_lost_) {
    stats_.ticks_lost += head.tick.value - last_tick_.value;
    ++stats_.gaps;
  }
  ++stats_.keyframes;
  segment_ = head.count;
  keyframe_tick_ = head.tick;
  last_tick_ = head.tick;
  has_lost_ = false;
  state_ = State::Recording;
}

void LogFile::ticks(const LogRecord& record) {
  const RecordHead& head = record.head;
  if (state_ == State::Waiting) return;
  if (state_ == State::Recording && write(record.bytes)) {
    stats_.ticks_recorded += head.count;
    last_tick_ = head.tick + (head.count - 1);
    return;
  }
  stats_.ticks_lost += head.count;
  if (!std::exchange(has_lost_, true)) ++stats_.gaps;
}

/// Writes the file header and the first keyframe.
bool LogFile::open(const LogRecord& keyframe) {
  header_.first_segment = keyframe.head.count;
  const auto header = encode_header(header_);
  std::vector<std::byte> begin{header.begin(), header.end()};
  begin.insert(begin.end(), keyframe.bytes.begin(), keyframe.bytes.end());
  is_open_ = write(begin);
  return is_open_;
}

/// Writes bytes that end with a record.
bool LogFile::write(ConstBytes bytes) {
  if (!sink_.write(bytes)) {
    ++stats_.records_refused;
    state_ = State::Broken;
    return false;
  }
  stats_.bytes += bytes.size();
  checksum_ = checksum_of(bytes);
  return true;
}

bool LogFile::finish() {
  TICKBOX_ASSERT(state_ != State::Finished);
  if (!has_end_ && is_open_) {
    std::vector<std::byte> trailer(kRecordHeadBytes);
    NumberWriter payload{trailer};
    payload.fixed(keyframe_tick_.value);
    payload.fixed(static_cast<std::uint32_t>(stats_.ticks_recorded));
    payload.fixed(stats_.gaps);
    const RecordHead head{.type = RecordType::Trailer,
                          .flags = has_lost_ ? kFlagTicksLost : std::uint16_t{0},
                          .tick = last_tick_,
                          .count = segment_ + 1};
    has_end_ = write(seal(head, chain_.seed_after(checksum_), trailer).bytes);
  }
  state_ = State::Finished;
  return has_end_;
}

}  // namespace tickbox::record
